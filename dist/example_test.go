package dist_test

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
)

// A service holds vectors, and looks for those that are nearest to a query.
func ExampleSearcher() {
	x := dist.NewMatrix(4, 3, []float32{
		1, 0, 0,
		0, 1, 0,
		0, 0.9, 0.1,
		0, 0, 1,
	})
	rows, err := dist.NewRows(x, dist.StorageFloat32)
	if err != nil {
		fmt.Println(err)
		return
	}
	var s dist.Searcher // one for each goroutine
	query := []float32{0, 2, 0.1}
	found, err := s.Nearest(context.Background(), rows, dist.NewMatrix(1, 3, query), 2, dist.MeasureCosine)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found[0] {
		fmt.Printf("row %d: %.4f\n", f.Row, f.Value)
	}
	// Output:
	// row 1: 0.9988
	// row 2: 0.9982
}

// Three samples of three features are projected to two components.
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
	dist.Project(y, x, p, []float32{-4, -11}) // less mean·p
	fmt.Println(y.Data)
	// Output: [-3 -6 0 0 3 6]
}
