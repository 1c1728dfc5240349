package sinkhorn_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/sinkhorn"
)

// This example solves one problem of two small clouds and computes the gradient of its cost.
func ExampleSolver_Solve() {
	x := dist.NewMatrix(2, 1, []float64{0, 1})
	y := dist.NewMatrix(2, 1, []float64{0.5, 1.5})
	s, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Tolerance: 1e-9, Gradient: true})
	if err != nil {
		panic(err)
	}
	r, err := s.Solve(context.Background(), &sinkhorn.Problem[float64]{X: x, Y: y, Lambda: 2})
	if err != nil {
		panic(err)
	}
	dx, dy := dist.NewMatrix[float64](2, 1, nil), dist.NewMatrix[float64](2, 1, nil)
	if err := r.PointGradientTo(context.Background(), dx, dy, sinkhorn.GradientUnrolled); err != nil {
		panic(err)
	}
	fmt.Printf("%v, cost %.4f, gradient %.3f %.3f\n", r.Status, r.Cost, dx.Data, dy.Data)
	// Output: converged, cost 0.3692, gradient [-0.409 -0.591] [0.591 0.409]
}

// In this example, the cost matrix contains transport costs, and the weights are supplies and demands. The plan for a large λ
// is close to the cheapest plan.
func ExampleSolver_Solve_cost() {
	cost := dist.NewMatrix(2, 3, []float64{
		1, 4, 5,
		6, 2, 1,
	})
	s, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Tolerance: 1e-9})
	if err != nil {
		panic(err)
	}
	r, err := s.Solve(context.Background(), &sinkhorn.Problem[float64]{
		Cost: cost, A: []float64{30, 20}, B: []float64{25, 10, 15}, Lambda: 20,
	})
	if err != nil {
		panic(err)
	}
	plan := dist.NewMatrix[float64](2, 3, nil)
	if err := r.PlanTo(context.Background(), plan, 0); err != nil {
		panic(err)
	}
	fmt.Printf("%v, cost %.2f, plan %.2f %.2f\n", r.Status, r.Cost, plan.Row(0), plan.Row(1))
	// Output: converged, cost 70.00, plan [25.00 5.00 0.00] [0.00 5.00 15.00]
}

// This example sets a deadline. If the deadline ends a solve, Solve also returns a result with the plan of the last whole
// iteration. If no iteration was completed, the methods of the result return ErrNoResult.
func ExampleSolver_Solve_deadline() {
	x, y := dist.NewMatrix[float64](300, 1, nil), dist.NewMatrix[float64](300, 1, nil)
	for i := range x.Data {
		x.Data[i], y.Data[i] = float64(i)/300, float64(i*i)/90000
	}
	s, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Lambda: 10, Tolerance: 1e-9})
	if err != nil {
		panic(err)
	}
	solve := func(deadline time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		r, err := s.Solve(ctx, &sinkhorn.Problem[float64]{X: x, Y: y})
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err // without a result
		}
		row := dist.NewMatrix[float64](1, 300, nil)
		if err := r.PlanTo(context.Background(), row, 7); err != nil {
			return err // sinkhorn.ErrNoResult: the deadline was too short for one iteration
		}
		var mass float64
		for _, t := range row.Data {
			mass += t
		}
		fmt.Printf("%v, %.3f of a row's mass\n", r.Status, 300*mass)
		return nil
	}
	fmt.Println(solve(time.Hour))
	fmt.Println(solve(0))
	// Output:
	// converged, 1.000 of a row's mass
	// <nil>
	// the solve was canceled before its first iteration
}

// This example solves many small problems at once. The callback may be called concurrently.
func ExampleSolver_SolveBatch() {
	problems := make([]sinkhorn.Problem[float32], 1000)
	for i := range problems {
		problems[i] = sinkhorn.Problem[float32]{
			X: dist.NewMatrix(1, 1, []float32{0}),
			Y: dist.NewMatrix(1, 1, []float32{float32(i)}),
		}
	}
	s, err := sinkhorn.NewSolver[float32](&sinkhorn.Settings{Lambda: 1e-3})
	if err != nil {
		panic(err)
	}
	costs := make([]float64, len(problems))
	err = s.SolveBatch(context.Background(), problems, func(i int, r *sinkhorn.Result[float32], err error) {
		if err == nil {
			costs[i] = r.Cost
		}
	})
	fmt.Printf("%.3f %.3f %v\n", costs[3], costs[30], err)
	// Output: 9.000 900.000 <nil>
}

// This example uses a bounded number of solvers, a memory limit, and a deadline for each request.
func ExamplePool() {
	pool, err := sinkhorn.NewPool[float64](&sinkhorn.Settings{Tolerance: 1e-6, Workers: 1, MaxMemory: 1 << 30}, 2)
	if err != nil {
		panic(err)
	}
	handle := func(timeout time.Duration, x, y dist.Matrix[float64]) (cost float64, err error) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		err = pool.Solve(ctx, &sinkhorn.Problem[float64]{X: x, Y: y, Lambda: 2}, func(r *sinkhorn.Result[float64]) error {
			cost = r.Cost // r is valid only until this function returns
			return nil
		})
		return cost, err
	}
	x := dist.NewMatrix(2, 1, []float64{0, 1})
	y := dist.NewMatrix(2, 1, []float64{0.5, 1.5})
	cost, err := handle(time.Minute, x, y)
	fmt.Printf("%.4f %v\n", cost, err)
	_, err = handle(0, x, y)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	_, err = handle(time.Minute, dist.NewMatrix[float64](5000, 1, nil), dist.NewMatrix[float64](5000, 1, nil))
	fmt.Println(errors.Is(err, sinkhorn.ErrSettings)) // the problem would need 400 MB
	// Output:
	// 0.3692 <nil>
	// true
	// true
}

// In this example, the clouds have unequal mass. One point is too far away to be transported and
// keeps its mass.
func ExampleProblem_unbalanced() {
	x := dist.NewMatrix(3, 1, []float64{0, 1, 9})
	y := dist.NewMatrix(2, 1, []float64{0, 1})
	s, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Tolerance: 1e-9})
	if err != nil {
		panic(err)
	}
	r, err := s.Solve(context.Background(), &sinkhorn.Problem[float64]{
		X: x, Y: y, A: []float64{1, 1, 1}, B: []float64{1, 1}, Lambda: 20, PenaltyA: 2, PenaltyB: 2,
	})
	if err != nil {
		panic(err)
	}
	for i := range x.Rows {
		row := make([]float64, y.Rows)
		if err := r.PlanTo(context.Background(), dist.NewMatrix(1, len(row), row), i); err != nil {
			panic(err)
		}
		fmt.Printf("%.3f\n", row)
	}
	// Output:
	// [1.000 0.000]
	// [0.000 1.000]
	// [0.000 0.000]
}

// This example moves half of the mass at the least cost.
func ExampleProblem_partial() {
	x := dist.NewMatrix(2, 1, []float64{0, 5})
	y := dist.NewMatrix(2, 1, []float64{0.5, 9})
	s, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Tolerance: 1e-9})
	if err != nil {
		panic(err)
	}
	r, err := s.Solve(context.Background(), &sinkhorn.Problem[float64]{X: x, Y: y, Lambda: 3, Mass: 0.5})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v, cost %.4f\n", r.Status, r.Cost)
	// Output: converged, cost 0.1250
}
