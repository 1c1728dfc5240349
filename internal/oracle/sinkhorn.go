package oracle

import "math"

// Transport is an entropy-regularized transport problem. The elements of A and B must be positive.
type Transport struct {
	Cost   [][]Real // n × m
	A, B   []Real
	Lambda Real
}

// Scalings are the vectors U and V of a transport plan diag(U) K diag(V).
type Scalings struct{ U, V []Real }

// Costs returns the squared distances between the rows of x and y.
func Costs(x, y [][]Real) [][]Real {
	c := make([][]Real, len(x))
	for i, p := range x {
		c[i] = make([]Real, len(y))
		for j, q := range y {
			for k := range p {
				d := p[k].Sub(q[k])
				c[i][j] = c[i][j].Add(d.Mul(d))
			}
		}
	}
	return c
}

// Kernel returns exp(−λ M).
func (t *Transport) Kernel() [][]Real {
	k := make([][]Real, len(t.Cost))
	for i, row := range t.Cost {
		k[i] = make([]Real, len(row))
		for j, c := range row {
			k[i][j] = t.Lambda.Mul(c).Neg().Exp()
		}
	}
	return k
}

// Iterate makes Sinkhorn iterations v = b ⊘ Kᵀu, u = a ⊘ Kv, beginning with the given u.
func (t *Transport) Iterate(k [][]Real, u []Real, iterations int) Scalings {
	s := Scalings{append([]Real(nil), u...), make([]Real, len(t.B))}
	for range iterations {
		for j, b := range t.B {
			sum := Real{}
			for i := range t.A {
				sum = sum.Add(k[i][j].Mul(s.U[i]))
			}
			s.V[j] = b.Div(sum)
		}
		for i, a := range t.A {
			sum := Real{}
			for j := range t.B {
				sum = sum.Add(k[i][j].Mul(s.V[j]))
			}
			s.U[i] = a.Div(sum)
		}
	}
	return s
}

// Plan returns diag(u) K diag(v).
func (s Scalings) Plan(k [][]Real) [][]Real {
	t := make([][]Real, len(s.U))
	for i, u := range s.U {
		t[i] = make([]Real, len(s.V))
		for j, v := range s.V {
			t[i][j] = u.Mul(k[i][j]).Mul(v)
		}
	}
	return t
}

// Inner returns Σ_ij T_ij M_ij.
func Inner(plan, cost [][]Real) (s Real) {
	for i, row := range plan {
		for j, v := range row {
			s = s.Add(v.Mul(cost[i][j]))
		}
	}
	return s
}

// Sums returns the sums of all rows and of all m columns.
func Sums(plan [][]Real, m int) (rows, columns []Real) {
	rows, columns = make([]Real, len(plan)), make([]Real, m)
	for i, row := range plan {
		for j, v := range row {
			rows[i], columns[j] = rows[i].Add(v), columns[j].Add(v)
		}
	}
	return rows, columns
}

// Regularized returns ⟨T, M⟩ + KL(T | a⊗b)/λ for the plan T, where KL(T | a⊗b) is Σ T_ij log(T_ij/(a_i b_j)).
func (t *Transport) Regularized(plan [][]Real) Real {
	kl := Real{}
	for i, row := range plan {
		for j, v := range row {
			if v.Hi > 0 {
				kl = kl.Add(v.Mul(v.Div(t.A[i].Mul(t.B[j])).Log()))
			}
		}
	}
	return Inner(plan, t.Cost).Add(kl.Div(t.Lambda))
}

// Converged returns the scalings of the converged Sinkhorn iteration.
func (t *Transport) Converged(k [][]Real) Scalings {
	u := make([]Real, len(t.A))
	for i := range u {
		u[i] = Of(1)
	}
	for range 40_000 {
		s := t.Iterate(k, u, 10)
		// The sums of the marginals may differ by a rounding error, which multiplies all scalings by the
		// same factor. Divide by this factor before the comparison.
		moved, first := 0.0, s.U[0].Div(u[0])
		for i := range u {
			moved = math.Max(moved, s.U[i].Div(u[i]).Sub(first).Abs().Hi)
		}
		if u = s.U; moved < 1e-26 {
			return s
		}
	}
	panic("oracle: a problem that converges too slowly")
}

// Penalized returns the transport plan that minimizes ⟨T, M⟩ + KL(T | a⊗b)/λ + ρ_a KL(T1 | a) + ρ_b
// KL(Tᵀ1 | b). If a penalty is infinite, the corresponding marginal is exact.
func (t *Transport) Penalized(k [][]Real, rhoA, rhoB float64) [][]Real {
	power := func(rho float64) Real {
		if math.IsInf(rho, 1) {
			return Of(1)
		}
		return Of(rho).Div(Of(rho).Add(Of(1).Div(t.Lambda)))
	}
	pa, pb := power(rhoA).Neg(), power(rhoB).Neg()
	s := Scalings{make([]Real, len(t.A)), make([]Real, len(t.B))}
	copy(s.U, t.A)
	for range 5000 {
		moved := 0.0
		for j, b := range t.B {
			sum := Real{}
			for i := range t.A {
				sum = sum.Add(k[i][j].Mul(s.U[i]))
			}
			s.V[j] = b.Mul(sum.Pow(pb))
		}
		for i, a := range t.A {
			sum := Real{}
			for j := range t.B {
				sum = sum.Add(k[i][j].Mul(s.V[j]))
			}
			u := a.Mul(sum.Pow(pa))
			moved = math.Max(moved, u.Div(s.U[i]).Sub(Of(1)).Abs().Hi)
			s.U[i] = u
		}
		if moved < 1e-24 {
			return s.Plan(k)
		}
	}
	panic("oracle: a problem that converges too slowly")
}

// Partial returns the transport plan that minimizes ⟨T, M⟩ + KL(T | a⊗b)/λ. The plan has the given
// total mass, row sums of at most a, and column sums of at most b. For some factor c and vectors
// u, v ≤ 1, the plan is T = c·diag(a ∘ u) K diag(b ∘ v).
func (t *Transport) Partial(k [][]Real, mass float64) [][]Real {
	one := Of(1)
	u, v, scale := make([]Real, len(t.A)), make([]Real, len(t.B)), one
	for i := range u {
		u[i] = one
	}
	for j := range v {
		v[j] = one
	}
	least := func(a Real) Real {
		if a.Less(one) {
			return a
		}
		return one
	}
	plan := func() [][]Real {
		s := Scalings{make([]Real, len(u)), make([]Real, len(v))}
		for i := range u {
			s.U[i] = scale.Mul(t.A[i]).Mul(u[i])
		}
		for j := range v {
			s.V[j] = t.B[j].Mul(v[j])
		}
		return s.Plan(k)
	}
	before := Real{}
	for round := range 20000 {
		rows, _ := Sums(plan(), len(v))
		for i := range u { // the row sum is a_i·u_i times a factor that does not depend on u_i
			u[i] = least(t.A[i].Mul(u[i]).Div(rows[i]))
		}
		_, columns := Sums(plan(), len(v))
		for j := range v {
			v[j] = least(t.B[j].Mul(v[j]).Div(columns[j]))
		}
		rows, _ = Sums(plan(), len(v))
		total := Real{}
		for _, r := range rows {
			total = total.Add(r)
		}
		scale = scale.Mul(Of(mass).Div(total))
		if round%10 == 9 {
			if math.Abs(scale.Sub(before).Hi) < 1e-15*scale.Hi && math.Abs(total.Sub(Of(mass)).Hi) < 1e-15*mass {
				return plan()
			}
			before = scale
		}
	}
	panic("oracle: a problem that converges too slowly")
}

// Derivative approximates the derivative of f with respect to *x by a central difference. The
// results of f must be accurate to 31 digits.
func Derivative(x *Real, f func() Real) Real {
	was, h := *x, Of(0x1p-33)
	*x = was.Add(h)
	high := f()
	*x = was.Sub(h)
	low := f()
	*x = was
	return high.Sub(low).Div(h.Ldexp(1))
}
