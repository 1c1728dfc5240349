package dist

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestAnswers checks a few values computed by hand. Package internal/matrix compares many values
// with their definition.
func TestAnswers(t *testing.T) {
	x, z := NewMatrix(2, 2, []float64{0, 0, 3, 4}), NewMatrix(3, 2, []float64{0, 0, 3, 4, 0, 1})
	d := NewMatrix[float64](2, 3, nil)
	SqEuclidean(d, x, z)
	if got, want := fmt.Sprint(d.Data), "[0 25 1 25 0 18]"; got != want {
		t.Errorf("distances %v, want %v", got, want)
	}
	const lambda = 0.5
	Gibbs(d, x, z, lambda)
	for j, sq := range []float64{0, 25, 1, 25, 0, 18} {
		if got, want := d.At(j/3, j%3), math.Exp(-lambda*sq); !(math.Abs(got-want) <= 1e-14*want) {
			t.Errorf("exp(−%v·%v) = %v, want %v", lambda, sq, got, want)
		}
	}
}

func ExampleSqEuclidean() {
	x := NewMatrix(2, 2, []float64{0, 0, 3, 4})
	z := NewMatrix(1, 2, []float64{0, 0})
	d := NewMatrix[float64](2, 1, nil)
	SqEuclidean(d, x, z)
	fmt.Println(d.Data)
	// Output: [0 25]
}

func ExampleMatrix() {
	a := mat.NewDense(2, 2, []float64{0, 0, 3, 4})
	x := Matrix[float64](a.RawMatrix()) // shares the elements of a
	d := mat.NewDense(2, 2, nil)
	SqEuclidean(Matrix[float64](d.RawMatrix()), x, x)
	fmt.Println(mat.Formatted(d))
	// Output:
	// ⎡ 0  25⎤
	// ⎣25   0⎦
}
