package search_test

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/search"
)

// This example stores vectors and finds the vectors that are nearest to a query.
func ExampleRows_Nearest() {
	x := dist.NewMatrix(4, 3, []float32{
		1, 0, 0,
		0, 1, 0,
		0, 0.9, 0.1,
		0, 0, 1,
	})
	rows, err := search.NewRows(x, search.StorageFloat32)
	if err != nil {
		fmt.Println(err)
		return
	}
	query := []float32{0, 2, 0.1}
	found, err := rows.Nearest(context.Background(), nil, query, 2, search.MeasureCosine, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found {
		fmt.Printf("row %d: %.4f\n", f.Row, f.Value)
	}
	// Output:
	// row 1: 0.9988
	// row 2: 0.9982
}

// This example adds and deletes rows. Other goroutines may search at the same time.
func ExampleCollection() {
	c := search.NewCollection(2, search.StorageFloat32)
	first, err := c.Append(dist.NewMatrix(3, 2, []float32{0, 0, 1, 0, 2, 0}))
	if err != nil {
		fmt.Println(err)
		return
	}
	before := c.Snapshot()
	c.Delete(first)
	query := []float32{0, 0}
	for _, rows := range []*search.Rows{before, c.Snapshot()} {
		found, err := rows.Nearest(context.Background(), nil, query, 1, search.MeasureSqEuclidean, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d rows, the nearest is %d\n", rows.Len(), found[0].ID)
	}
	// Output:
	// 3 rows, the nearest is 0
	// 2 rows, the nearest is 1
}

// Sketches make searches faster and take a quarter of the memory of the rows. The results do not depend on sketches.
func ExampleNewRows_noSketch() {
	x := dist.NewMatrix[float32](4096, 64, nil)
	for i := range x.Data {
		x.Data[i] = float32(i%97) - 48
	}
	query := x.Row(1000)
	for _, options := range [][]search.RowOption{nil, {search.NoSketch}} {
		rows, err := search.NewRows(x, search.StorageFloat32, options...)
		if err != nil {
			fmt.Println(err)
			return
		}
		found, err := rows.Nearest(context.Background(), nil, query, 2, search.MeasureSqEuclidean, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d bytes: rows %d and %d\n", rows.Bytes(), found[0].Row, found[1].Row)
	}
	// Output:
	// 1392640 bytes: rows 30 and 127
	// 1081344 bytes: rows 30 and 127
}
