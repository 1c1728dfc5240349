package descent_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
)

// variance is the function f(P) = −‖XP‖²/n, the negative variance of centered samples projected
// onto P. Its minimizer spans the principal components.
type variance struct{ x *mat.Dense }

func (f variance) Evaluate(p, grad *mat.Dense) (float64, error) {
	n, _ := f.x.Dims()
	var y mat.Dense
	y.Mul(f.x, p)
	if grad != nil {
		grad.Mul(f.x.T(), &y)
		grad.Scale(-2/float64(n), grad)
	}
	return -inner(&y, &y) / float64(n), nil
}

func ExampleMinimize() {
	x := mat.NewDense(6, 3, []float64{
		3, 0, 0,
		-3, 0, 0,
		0, 2, 0,
		0, -2, 0,
		0, 0, 1,
		0, 0, -1,
	})
	m := stiefel.New(3, 2)
	var start mat.Dense
	m.Random(ctx, &start, rand.New(rand.NewPCG(1, 2)))

	r, err := descent.Minimize(context.Background(), variance{x}, m, &start, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Status)
	fmt.Printf("variance kept: %.6f of %.6f\n", -r.Value, 28./6)
	// Output:
	// GradientTolerance
	// variance kept: 4.333333 of 4.666667
}
