package oracle

import (
	"math"
	"slices"
)

// Entry is an element of a sparse transport plan.
type Entry struct {
	Row, Column int
	Mass        float64
}

// Proof contains values that bound the distance of a transport plan from the optimum.
type Proof struct {
	Primal, Dual, Total      Real
	Violation, MarginalError float64
}

// Prove computes the proof of a transport plan T. The dual variables are u_i for row i, v_j for
// column j, and price for the total mass:
//
//	Primal         ⟨T, M⟩
//	Dual           Σ a u + Σ b v + mass·price
//	Total          ΣT
//	Violation      the largest amount by which u_i + v_j + price exceeds M_ij
//	MarginalError  the largest error of a row sum or a column sum
//
// If mass is 0, the problem is balanced. Then price must be 0, and Prove scales the weights b to the
// sum of the weights a.
//
// If mass is positive, the problem is partial. The plan must have this total mass, and the sum of
// a row or a column may be less than its weight. A positive dual variable of a row or a column
// counts as a violation, and an error of the total mass counts as a marginal error.
func Prove(cost [][]Real, a, b []Real, plan []Entry, u, v []float64, price, mass float64) (p Proof) {
	b = slices.Clone(b)
	if mass == 0 {
		sa, sb := Real{}, Real{}
		for _, x := range a {
			sa = sa.Add(x)
		}
		for _, x := range b {
			sb = sb.Add(x)
		}
		for j := range b {
			b[j] = b[j].Mul(sa).Div(sb)
		}
	}
	rows, columns := make([]Real, len(a)), make([]Real, len(b))
	for _, e := range plan {
		t := Of(e.Mass)
		rows[e.Row], columns[e.Column] = rows[e.Row].Add(t), columns[e.Column].Add(t)
		p.Primal, p.Total = p.Primal.Add(t.Mul(cost[e.Row][e.Column])), p.Total.Add(t)
	}
	for i, row := range cost {
		for j, c := range row {
			p.Violation = math.Max(p.Violation, Of(u[i]).Add(Of(v[j])).Add(Of(price)).Sub(c).Hi)
		}
	}
	side := func(sums, weights []Real, dual []float64) {
		for i, w := range weights {
			p.Dual = p.Dual.Add(w.Mul(Of(dual[i])))
			off := sums[i].Sub(w).Hi
			if mass == 0 {
				off = math.Abs(off)
			} else {
				p.Violation = math.Max(p.Violation, dual[i])
			}
			p.MarginalError = math.Max(p.MarginalError, off)
		}
	}
	side(rows, a, u)
	side(columns, b, v)
	if mass > 0 {
		p.Dual = p.Dual.Add(Of(mass).Mul(Of(price)))
		p.MarginalError = math.Max(p.MarginalError, p.Total.Sub(Of(mass)).Abs().Hi)
	}
	return p
}

// Assignment returns the minimum total cost of assigning all rows to different columns. If there
// are fewer columns than rows, it assigns all columns to different rows. It reports false if every
// assignment has an infinite cost. The time is exponential in the larger dimension, which should be
// at most 12.
func Assignment(cost [][]float64) (Real, bool) {
	if len(cost) > 0 && len(cost) > len(cost[0]) {
		t := make([][]float64, len(cost[0]))
		for j := range t {
			for i := range cost {
				t[j] = append(t[j], cost[i][j])
			}
		}
		cost = t
	}
	if len(cost) == 0 {
		return Real{}, true
	}
	best := map[int]Real{0: {}} // minimum costs of assigning the first rows; the keys are bit sets of the assigned columns
	for _, row := range cost {
		next := make(map[int]Real)
		for set, sum := range best {
			for j, c := range row {
				if set>>j&1 == 1 || math.IsInf(c, 1) {
					continue
				}
				s := sum.Add(Of(c))
				if old, ok := next[set|1<<j]; !ok || s.Less(old) {
					next[set|1<<j] = s
				}
			}
		}
		best = next
	}
	least, ok := Real{}, false
	for _, s := range best {
		if !ok || s.Less(least) {
			least, ok = s, true
		}
	}
	return least, ok
}

// Line returns W_p^p of weighted samples on the line, and its derivatives with respect to the
// samples. If p is infinite, Line returns the largest distance, W_∞, instead of W_p^p. The weights
// b are scaled to the sum of a.
func Line(x, y, a, b []Real, p float64) (w Real, dx, dy []Real) {
	order := func(s []Real) []int {
		at := make([]int, len(s))
		for i := range at {
			at[i] = i
		}
		slices.SortStableFunc(at, func(i, j int) int {
			switch {
			case s[i].Less(s[j]):
				return -1
			case s[j].Less(s[i]):
				return 1
			}
			return 0
		})
		return at
	}
	dx, dy = make([]Real, len(x)), make([]Real, len(y))
	ox, oy := order(x), order(y)
	ca, cb := make([]Real, len(x)), make([]Real, len(y)) // cumulative sums of the sorted weights
	sum := func(w []Real, at []int, c []Real) (s Real) {
		for k, i := range at {
			s = s.Add(w[i])
			c[k] = s
		}
		return s
	}
	sa, sb := sum(a, ox, ca), sum(b, oy, cb)
	if sa != sb { // scaling equal sums would add rounding errors
		for k := range cb {
			cb[k] = cb[k].Mul(sa).Div(sb)
		}
	}
	cb[len(cb)-1] = ca[len(ca)-1]
	done := Real{}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		end := ca[i]
		if cb[j].Less(end) {
			end = cb[j]
		}
		mass := end.Sub(done)
		if d := x[ox[i]].Sub(y[oy[j]]); mass.Hi > 0 {
			switch size := d.Abs(); {
			case math.IsInf(p, 1):
				w = w.Max(size)
			case size.Hi > 0:
				w = w.Add(mass.Mul(size.Pow(Of(p))))
				slope := mass.Mul(Of(p)).Mul(size.Pow(Of(p - 1)))
				if d.Hi < 0 {
					slope = slope.Neg()
				}
				dx[ox[i]], dy[oy[j]] = dx[ox[i]].Add(slope), dy[oy[j]].Sub(slope)
			}
			done = end
		}
		nextX, nextY := !end.Less(ca[i]), !end.Less(cb[j])
		if nextX {
			i++
		}
		if nextY {
			j++
		}
	}
	return w, dx, dy
}
