package vecmath_test

import (
	"fmt"

	"github.com/gomonge/monge/vecmath"
)

func ExampleSoftmax() {
	logits := []float32{2, 1, 0.1}
	p := make([]float32, len(logits))
	vecmath.Softmax(p, logits)
	fmt.Printf("%.3f\n", p)
	// Output: [0.659 0.242 0.099]
}

func ExampleLogSumExp() {
	// exp(1000) overflows, but the logarithm of the sum does not.
	fmt.Printf("%.4f\n", vecmath.LogSumExp([]float64{1000, 1000}))
	// Output: 1000.6931
}
