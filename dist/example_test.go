package dist_test

import (
	"fmt"

	"github.com/gomonge/monge/dist"
)

// This example projects three samples of three features to two components.
func ExampleProject() {
	x := dist.NewMatrix(3, 3, []float32{
		1, 2, 3,
		4, 5, 6,
		7, 8, 9,
	})
	p := dist.NewMatrix(3, 2, []float32{
		1, 0,
		0, 1,
		0, 1,
	})
	y := dist.NewMatrix[float32](3, 2, nil)
	dist.Project(y, x, p, []float32{-4, -11}) // −mean·p
	fmt.Println(y.Data)
	// Output: [-3 -6 0 0 3 6]
}
