package oracle

import (
	"math"
	"slices"
)

// Discriminant is the objective of Wasserstein discriminant analysis: J(P) = σ_b²/(σ_w² + ridge).
type Discriminant struct {
	Classes      [][][]Real // the samples of each class
	P            [][]Real   // d × k
	Lambda       [][]Real   // of each pair of classes
	Ridge        Real
	Iterations   int // 0 means until convergence
	Proportional bool
	Plans        map[[2]int][][]Real // if not nil, these plans are taken for constants
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
	total := 0
	for _, x := range d.Classes {
		total += len(x)
	}
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
			w, weight := Inner(plan, t.Cost), Of(1)
			if d.Proportional {
				weight = Of(len(x)).Div(Of(total))
				if a != b {
					weight = weight.Mul(Of(len(z)).Div(Of(total)))
				}
			}
			if w = w.Mul(weight); a == b {
				within = within.Add(w)
			} else {
				between = between.Add(w)
			}
		}
	}
	return between.Div(within.Add(d.Ridge)), between, within
}

// Neighbor is a stored sample and its squared distance from another.
type Neighbor struct {
	Row        int
	SqDistance Real
}

// Nearest returns all rows, the nearest to y first; equal ones by their index.
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

// Vote returns the label that most neighbors have, of equally many that of the nearest, and its share.
func Vote(labels []int) (label int, share float64) {
	most := 0
	for _, l := range labels { // in the order of neighbors
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

// MeanAndError returns the mean of errors, and its standard error.
func MeanAndError(errors []float64) (mean, deviation float64) {
	for _, e := range errors {
		mean += e / float64(len(errors))
	}
	for _, e := range errors {
		deviation += float64((e - mean) * (e - mean))
	}
	return mean, math.Sqrt(deviation / float64(len(errors)*(len(errors)-1)))
}
