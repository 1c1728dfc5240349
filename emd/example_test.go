package emd_test

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/emd"
)

// This example finds how much each of two suppliers delivers to each of three customers.
func ExampleSolver_Solve() {
	cost := dist.NewMatrix(2, 3, []float64{
		1, 4, 5,
		6, 2, 1,
	})
	var s emd.Solver[float64]
	r, err := s.Solve(context.Background(), &emd.Problem[float64]{
		Cost: cost,
		A:    []float64{5, 7},    // supplies
		B:    []float64{4, 3, 5}, // demands
	})
	if err != nil {
		panic(err)
	}
	for _, e := range r.Plan {
		fmt.Printf("%d to %d: %v\n", e.Row, e.Column, e.Mass)
	}
	fmt.Println("cost", r.Cost)
	// Output:
	// 0 to 0: 4
	// 0 to 1: 1
	// 1 to 1: 2
	// 1 to 2: 5
	// cost 17
}

// This example assigns three workers to four tasks at the least cost.
func ExampleSolver_Assign() {
	cost := dist.NewMatrix(3, 4, []float64{
		4, 1, 3, 9,
		2, 0, 5, 8,
		3, 2, 2, 7,
	})
	var s emd.Solver[float64]
	task := make([]int, 3)
	sum, err := s.Assign(context.Background(), task, cost)
	if err != nil {
		panic(err)
	}
	fmt.Println(task, sum)
	// Output: [1 0 2] 5
}
