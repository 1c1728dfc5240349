package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
)

// This file implements the dual that Newton's method maximizes if a problem has penalties. It also computes the contribution
// of the penalties to the regularized cost. The notation is defined in unequal.go. The dual is a function of log v only,
// because the best u and the best shift follow from v. Therefore the dual does not change if a constant is added to log v.

// prepare computes the row sums of the current point for Newton's steps.
func (d *unbalanced[T]) prepare(ctx context.Context) error {
	d.it.kernel.GrowColumn(&d.diag)
	if err := d.it.kernel.Mul(ctx, d.sums, d.v); err != nil {
		return err
	}
	d.setRows()
	return nil
}

func (d *unbalanced[T]) system() (diag, rows []T, weight float64) { return d.diag, d.rows, d.weight }

func (d *unbalanced[T]) proposeColumns() {
	d.bestColumns()
	scaleByPower(d.tv, d.translation())
}

func (d *unbalanced[T]) acceptTrial() {
	d.dualPoint.acceptTrial()
	d.it.shift = d.shift
	d.setRows()
}

// bestColumns sets the field tv to the best v for the current u. It sets the field g to the column sums of the plan,
// and the field tq to the column sums with the best v.
func (d *unbalanced[T]) bestColumns() {
	it := d.it
	d.bestScaling(d.tv, it.q, columnSide)
	for j, v := range d.v {
		d.g[j], d.tq[j] = v*it.q[j], d.tv[j]*it.q[j]
	}
}

// setRows sets the field rows (a diagonal of Newton's system) to (u ⊙ Kv)/τ.
func (d *unbalanced[T]) setRows() {
	t := d.it.penaltyOfA.tau
	for i, u := range d.u {
		d.rows[i] = T(float64(u) * float64(d.sums[i]) / t)
	}
}

// setResidual sets the marginal error and the gradient e = b' − c. Here c contains the column sums of the plan, and
// b' = c (v'/v)^(1/τ) contains the column sums that the penalties require. v' is the best v for the current u.
func (d *unbalanced[T]) setResidual() {
	it, p := d.it, d.it.penaltyOfB
	d.bestColumns()
	share := d.scratch[:len(d.v)]
	for j, v := range d.v {
		share[j] = 0
		if it.b[j] > 0 {
			share[j] = T(num.Log2(float64(d.tv[j])/float64(v)) / p.tau)
		}
	}
	exp.Exp2(share, share, 1)
	it.res.MarginalError, d.weight = 0, 0
	var mass float64
	for j, c := range d.g {
		asked := T(c * share[j])
		it.columns[j], d.e[j] = c, asked-c
		d.diag[j] = c + T(float64(float64(asked)*p.inverse))
		mass += float64(c)
		d.weight += float64(d.diag[j])
		it.res.MarginalError += math.Abs(float64(c) - float64(d.tq[j]))
	}
	d.setMass(mass)
}

// setMass stores the mass of the plan. The tolerance is relative to this mass.
func (d *unbalanced[T]) setMass(mass float64) {
	if it := d.it; it.partial == 0 {
		it.mass = max(mass, it.limits.leastMass)
	}
}

// penaltyGains replaces every x by its gain ρ(1 − e^(−x/ρ)), where ρ is the marginal penalty of the rows or of the columns. If
// a dual variable increases by x, its penalty term in the dual increases by the gain times the mass that the penalty requires.
func (d *unbalanced[T]) penaltyGains(x []T, rho float64) {
	if math.IsInf(rho, 1) {
		return
	}
	share := d.scratch[:len(x)]
	for i, x := range x {
		share[i] = T(-float64(x) / rho)
	}
	exp.Exp(share, share)
	for i, e := range share {
		z := float64(T(-float64(x[i]) / rho))
		switch lost := 1 - float64(e); {
		case e == 1:
		case e > 0.5 && e < 2: // corrects the rounding of e (W. Kahan)
			x[i] = T(rho * lost * z / num.Log(float64(e)))
		default:
			x[i] = T(rho * lost)
		}
	}
}

// penaltyGain returns gain(x) = ρ(1 − e^(−x/ρ)) and e^(−x/ρ). The gain of a sum x + y is
// gain(x) + e^(−x/ρ)·gain(y).
func penaltyGain(x, rho float64) (worth, left float64) {
	if math.IsInf(rho, 1) {
		return x, 1
	}
	z := -x / rho
	left = exp2(z * math.Log2E)
	switch lost := 1 - left; {
	case left == 1:
		return x, left
	case left > 0.5 && left < 2:
		return rho * lost * z / num.Log(left), left
	default:
		return rho * lost, left
	}
}

func (d *unbalanced[T]) trialGain(t float64, beta []T) (gain, slope float64) {
	it := d.it
	rhoA, rhoB := float64(it.penaltyA*it.lambda), float64(it.penaltyB*it.lambda)
	moved := (d.shift - it.shift) * math.Ln2
	for i, a := range it.a {
		d.f[i] = 0
		if a > 0 {
			d.f[i] = T(num.Log(float64(d.tu[i]) / float64(d.u[i])))
		}
	}
	d.penaltyGains(d.f, rhoA)
	common, left := penaltyGain(moved, rhoA)
	for i, x := range d.f {
		gain = num.FMA(float64(d.rows[i]), num.FMA(left, float64(x), common), gain) // d.rows contains (1 + 1/(ρλ)) T1
	}
	for j, beta := range beta {
		d.g[j] = T(t * float64(beta))
	}
	d.penaltyGains(d.g, rhoB)
	common, left = penaltyGain(-moved, rhoB)
	for j, x := range d.g {
		asked := float64(d.e[j]) + float64(it.columns[j])
		gain = num.FMA(asked, num.FMA(left, float64(x), common), gain)
		asked = float64((asked - float64(asked*float64(x))/rhoB) * left)
		slope = num.FMA(asked-float64(d.tv[j]*d.tq[j]), float64(beta[j]), slope)
	}
	return gain, slope
}

func (d *unbalanced[T]) value() float64 {
	it, k := d.it, d.it.res.Iterations
	kind, shift := it.kind(k), float64(it.shift*math.Ln2)
	side := func(x, slot, weight, base []T, rho, shift float64) (value, asked float64) {
		naturalPotentials(x, slot, kind, base, 0)
		for i, w := range weight {
			if x[i] -= num.Log(w); w == 0 {
				x[i] = 0
			}
		}
		d.penaltyGains(x, rho)
		common, left := penaltyGain(shift, rho)
		for i, w := range weight {
			worth := num.FMA(left, float64(x[i]), common)
			value = num.FMA(float64(w), worth, value)
			asked += float64(w) - float64(float64(w)*worth)/rho
		}
		return value, asked
	}
	value, mass := side(d.tu, it.u(k), it.a, it.log.f, float64(it.penaltyA*it.lambda), shift)
	right, _ := side(d.tv, it.v(k), it.b, it.log.g, float64(it.penaltyB*it.lambda), -shift)
	return value + right - mass
}

// recordIteration computes the marginal error Σ_j |g_j − tq_j| and reports whether the iterations end. g contains the
// current column sums. tq contains the column sums after the next update of v.
func (d *unbalanced[T]) recordIteration(tolerance float64, last bool) bool {
	it := d.it
	var e, mass float64
	for j, b := range it.b {
		if b > 0 {
			e += math.Abs(float64(d.g[j]) - float64(d.tq[j]))
			mass += float64(d.g[j])
		}
	}
	it.res.MarginalError = e
	d.setMass(mass)
	done := tolerance > 0 && e <= tolerance*it.mass
	switch {
	case it.res.Status == StatusLowPrecision:
	case done:
		it.res.Status = StatusConverged
	case last && tolerance > 0:
		it.res.Status = StatusIterationLimit
	}
	return done || last
}

// penaltyCost returns the penalties and the mass terms of the KL divergence for a plan with row sums r and column sums c. The
// regularized cost contains these terms.
func (d *unbalanced[T]) penaltyCost(r, c []T) float64 {
	it := d.it
	var massA, massB, mass float64
	for i, a := range it.a {
		massA += float64(a)
		mass += float64(r[i])
	}
	for _, b := range it.b {
		massB += float64(b)
	}
	cost := (float64(massA*massB) - mass) / it.lambda
	for _, side := range []struct {
		rho       float64
		sum, want []T
	}{{it.penaltyA, r, it.a}, {it.penaltyB, c, it.b}} {
		if math.IsInf(side.rho, 1) {
			continue
		}
		var kl float64
		for i, w := range side.want {
			x := float64(side.sum[i])
			kl += float64(w) - x
			if x > 0 {
				kl += float64(x * num.Log(x/float64(w)))
			}
		}
		cost += float64(side.rho * kl)
	}
	return cost
}
