package oracle

import (
	"math"
	"slices"
)

// Discriminant is the objective of Wasserstein discriminant analysis: J(P) = σ_b²/(σ_w² + ridge).
type Discriminant struct {
	Classes      [][][]Real // the samples of each class
	P            [][]Real   // d × k
	Lambda       [][]Real   // λ of each pair of classes
	Ridge        Real
	Iterations   int // 0 means until convergence
	Proportional bool
	Plans        map[[2]int][][]Real // transport plans for Evaluate; if not nil, Evaluate adds missing plans
}

// Multiply returns x·p.
func Multiply(x, p [][]Real) [][]Real {
	y := make([][]Real, len(x))
	for i, row := range x {
		y[i] = make([]Real, len(p[0]))
		for k, v := range row {
			for l, w := range p[k] {
				y[i][l] = y[i][l].Add(v.Mul(w))
			}
		}
	}
	return y
}

// MeanCosts returns the mean squared distance between the projected samples of each pair of classes.
func (d *Discriminant) MeanCosts() [][]Real {
	means := make([][]Real, len(d.Classes))
	for a, x := range d.Classes {
		means[a] = make([]Real, len(d.Classes))
		for b, z := range d.Classes {
			s := Real{}
			for _, row := range Costs(Multiply(x, d.P), Multiply(z, d.P)) {
				for _, v := range row {
					s = s.Add(v)
				}
			}
			means[a][b] = s.Div(Of(len(x) * len(z)))
		}
	}
	return means
}

// Evaluate returns J, σ_b² and σ_w².
func (d *Discriminant) Evaluate() (j, between, within Real) {
	uniform := func(n int) []Real {
		w := make([]Real, n)
		for i := range w {
			w[i] = Of(1).Div(Of(n))
		}
		return w
	}
	for a, x := range d.Classes {
		for b := a; b < len(d.Classes); b++ {
			z := d.Classes[b]
			t := Transport{Cost: Costs(Multiply(x, d.P), Multiply(z, d.P)), A: uniform(len(x)), B: uniform(len(z)), Lambda: d.Lambda[a][b]}
			plan, fixed := d.Plans[[2]int{a, b}]
			if !fixed {
				k := t.Kernel()
				ones := make([]Real, len(x))
				for i := range ones {
					ones[i] = Of(1)
				}
				if d.Iterations == 0 {
					plan = t.Converged(k).Plan(k)
				} else {
					plan = t.Iterate(k, ones, d.Iterations).Plan(k)
				}
				if d.Plans != nil {
					d.Plans[[2]int{a, b}] = plan
				}
			}
			if w := Inner(plan, t.Cost).Mul(d.weight(a, b)); a == b {
				within = within.Add(w)
			} else {
				between = between.Add(w)
			}
		}
	}
	return between.Div(within.Add(d.Ridge)), between, within
}

// Ratios returns the generalized eigenvalues μ of S_b v = μ (S_w + ridge/k·I) v in descending
// order. It also returns the trace and the smallest eigenvalue of S_w + ridge/k·I.
//
// The transport scatters S_b and S_w are weighted sums of T_ij (y_i − z_j)(y_i − z_j)ᵀ, where T is a
// transport plan of the last Evaluate. S_b is the sum over pairs of different classes, and S_w is the
// sum over pairs of a class with itself.
func (d *Discriminant) Ratios() (ratios []Real, trace, least float64) {
	k := len(d.P[0])
	var scatter [2][][]Real
	for w := range scatter {
		for range k {
			scatter[w] = append(scatter[w], make([]Real, k))
		}
	}
	for pair, plan := range d.Plans {
		to := scatter[0]
		if pair[0] == pair[1] {
			to = scatter[1]
		}
		y, z := Multiply(d.Classes[pair[0]], d.P), Multiply(d.Classes[pair[1]], d.P)
		for i, row := range plan {
			for j, t := range row {
				for l := range k {
					for r := range k {
						v := y[i][l].Sub(z[j][l]).Mul(y[i][r].Sub(z[j][r]))
						to[l][r] = to[l][r].Add(t.Mul(v).Mul(d.weight(pair[0], pair[1])))
					}
				}
			}
		}
	}
	for l := range k {
		scatter[1][l][l] = scatter[1][l][l].Add(d.Ridge.Div(Of(k)))
		trace += scatter[1][l][l].Hi
	}
	values, v := Eigen(scatter[1])
	whitened := make([][]Real, k)
	for l := range k {
		for r := range k {
			whitened[l] = append(whitened[l], Quadratic(v[l], scatter[0], v[r]).Div(values[l].Mul(values[r]).Sqrt()))
		}
	}
	ratios, _ = Eigen(whitened)
	return ratios, trace, values[k-1].Hi
}

// weight returns the weight of a pair of classes in J.
func (d *Discriminant) weight(a, b int) Real {
	if !d.Proportional {
		return Of(1)
	}
	total := 0
	for _, x := range d.Classes {
		total += len(x)
	}
	w := Of(len(d.Classes[a])).Div(Of(total))
	if a != b {
		w = w.Mul(Of(len(d.Classes[b])).Div(Of(total)))
	}
	return w
}

// Residual returns the fraction of ‖x‖² outside the span of the columns of p. It uses the
// Gram–Schmidt process.
func Residual(x []Real, p [][]Real) Real {
	inner := func(a, b []Real) (s Real) {
		for k, v := range a {
			s = s.Add(v.Mul(b[k]))
		}
		return s
	}
	rest := slices.Clone(x)
	var basis [][]Real
	without := func(v []Real) {
		for _, b := range basis {
			c := inner(v, b)
			for k := range v {
				v[k] = v[k].Sub(c.Mul(b[k]))
			}
		}
	}
	for l := range p[0] {
		column := make([]Real, len(p))
		for k, row := range p {
			column[k] = row[l]
		}
		before := inner(column, column)
		without(column)
		norm := inner(column, column)
		if norm.Hi <= 1e-20*before.Hi {
			continue
		}
		for k := range column {
			column[k] = column[k].Div(norm.Sqrt())
		}
		basis = append(basis, column)
	}
	if without(rest); inner(x, x).Hi == 0 {
		return Real{}
	}
	return inner(rest, rest).Div(inner(x, x))
}

// Standardized returns a function that subtracts the mean of x and divides by the standard
// deviation of x. It also returns the standard deviation, with divisor len(x). If the standard
// deviation is 0 up to rounding, Standardized uses 1.
func Standardized(x []Real) (f func(Real) Real, deviation float64) {
	mean, square := Real{}, Real{}
	for _, v := range x {
		mean = mean.Add(v.Div(Of(len(x))))
	}
	for _, v := range x {
		v = v.Sub(mean)
		square = square.Add(v.Mul(v).Div(Of(len(x))))
	}
	d := square.Sqrt()
	if !(d.Hi > 1e-12) {
		d = Of(1)
	}
	return func(v Real) Real { return v.Sub(mean).Div(d) }, d.Hi
}

// Neighbor is a stored sample and its squared distance from a query.
type Neighbor struct {
	Row        int
	SqDistance Real
}

// Nearest returns all rows in the order of their distances from y. Rows at equal distances are in
// the order of their indices.
func Nearest(stored [][]Real, y []Real) []Neighbor {
	found := make([]Neighbor, len(stored))
	for i, z := range stored {
		s := Real{}
		for k, v := range z {
			d := v.Sub(y[k])
			s = s.Add(d.Mul(d))
		}
		found[i] = Neighbor{i, s}
	}
	slices.SortStableFunc(found, func(a, b Neighbor) int {
		switch {
		case a.SqDistance.Less(b.SqDistance):
			return -1
		case b.SqDistance.Less(a.SqDistance):
			return 1
		}
		return 0
	})
	return found
}

// Vote returns the most frequent label and its relative frequency. The argument contains the labels
// of the neighbors, the nearest first. If several labels are equally frequent, Vote returns the
// label whose first neighbor is nearest.
func Vote(labels []int) (label int, share float64) {
	most := 0
	for _, l := range labels { // from the nearest neighbor to the farthest
		n := 0
		for _, k := range labels {
			if k == l {
				n++
			}
		}
		if n > most {
			label, most = l, n
		}
	}
	return label, float64(most) / float64(len(labels))
}

// MeanAndError returns the mean of errors and its standard error.
func MeanAndError(errors []float64) (mean, deviation float64) {
	for _, e := range errors {
		mean += e / float64(len(errors))
	}
	for _, e := range errors {
		deviation += float64((e - mean) * (e - mean))
	}
	return mean, math.Sqrt(deviation / float64(len(errors)*(len(errors)-1)))
}
