package oracle

// Eigen returns the eigenvalues of a symmetric matrix in descending order, and its eigenvectors as
// rows. It uses Jacobi rotations.
func Eigen(symmetric [][]Real) (values []Real, vectors [][]Real) {
	d := len(symmetric)
	a := make([][]Real, d)
	for i := range a {
		a[i] = append([]Real(nil), symmetric[i]...)
		vectors = append(vectors, make([]Real, d))
		vectors[i][i] = Of(1)
	}
	rotate := func(x, y []Real, c, s Real) {
		for k := range x {
			x[k], y[k] = c.Mul(x[k]).Sub(s.Mul(y[k])), s.Mul(x[k]).Add(c.Mul(y[k]))
		}
	}
	for range 40 {
		moved := false
		for p := range a {
			for q := p + 1; q < d; q++ {
				size := a[p][p].Abs().Add(a[q][q].Abs())
				if a[p][q].Abs().Hi <= 1e-30*size.Hi {
					continue
				}
				moved = true
				theta := a[q][q].Sub(a[p][p]).Div(a[p][q].Ldexp(1))
				t := Of(1).Div(theta.Abs().Add(theta.Mul(theta).Add(Of(1)).Sqrt()))
				if theta.Hi < 0 {
					t = t.Neg()
				}
				c := Of(1).Div(t.Mul(t).Add(Of(1)).Sqrt())
				s := t.Mul(c)
				rotate(a[p], a[q], c, s)
				for _, row := range a {
					row[p], row[q] = c.Mul(row[p]).Sub(s.Mul(row[q])), s.Mul(row[p]).Add(c.Mul(row[q]))
				}
				rotate(vectors[p], vectors[q], c, s)
			}
		}
		if !moved {
			break
		}
	}
	for i := range a { // the largest first
		best := i
		for j := i; j < d; j++ {
			if a[best][best].Less(a[j][j]) {
				best = j
			}
		}
		a[i][i], a[best][best] = a[best][best], a[i][i]
		vectors[i], vectors[best] = vectors[best], vectors[i]
		values = append(values, a[i][i])
	}
	return values, vectors
}

// Scatter returns the covariance matrices within and between classes, with divisor n. The sum of
// both matrices is the covariance matrix of all samples.
func Scatter(classes [][][]Real) (within, between [][]Real) {
	d, n := len(classes[0][0]), 0
	mean := func(rows [][]Real) []Real {
		m := make([]Real, d)
		for _, row := range rows {
			for j, v := range row {
				m[j] = m[j].Add(v.Div(Of(len(rows))))
			}
		}
		return m
	}
	var all [][]Real
	for _, rows := range classes {
		all, n = append(all, rows...), n+len(rows)
	}
	within, between = make([][]Real, d), make([][]Real, d)
	for j := range d {
		within[j], between[j] = make([]Real, d), make([]Real, d)
	}
	add := func(to [][]Real, x, from []Real, weight int) {
		for j := range d {
			for k := range d {
				v := x[j].Sub(from[j]).Mul(x[k].Sub(from[k])).Mul(Of(weight)).Div(Of(n))
				to[j][k] = to[j][k].Add(v)
			}
		}
	}
	center := mean(all)
	for _, rows := range classes {
		own := mean(rows)
		for _, row := range rows {
			add(within, row, own, 1)
		}
		add(between, own, center, len(rows))
	}
	return within, between
}

// LedoitWolf returns the shrinkage intensity of Ledoit and Wolf (2004) for the covariance matrix S
// within classes. The intensity is the smaller of 1 and Σ_i ‖y_i y_iᵀ − S‖²/n² / ‖S − μI‖². Here
// μ = tr S/d, and y_i are the samples minus their class means.
func LedoitWolf(classes [][][]Real) Real {
	s, _ := Scatter(classes)
	d, n := len(s), 0
	mu := Real{}
	for j := range s {
		mu = mu.Add(s[j][j].Div(Of(d)))
	}
	spread, noise := Real{}, Real{}
	for j := range s {
		for k, v := range s[j] {
			if j == k {
				v = v.Sub(mu)
			}
			spread = spread.Add(v.Mul(v))
		}
	}
	for _, rows := range classes {
		n += len(rows)
		for i := range rows {
			own := make([]Real, d)
			for j := range own {
				for _, row := range rows {
					own[j] = own[j].Add(rows[i][j].Sub(row[j]).Div(Of(len(rows))))
				}
			}
			for j := range s {
				for k, v := range s[j] {
					v = own[j].Mul(own[k]).Sub(v)
					noise = noise.Add(v.Mul(v))
				}
			}
		}
	}
	noise = noise.Div(Of(n)).Div(Of(n))
	if spread.Less(noise) {
		return Of(1)
	}
	return noise.Div(spread)
}

// Quadratic returns xᵀ·a·y.
func Quadratic(x []Real, a [][]Real, y []Real) (s Real) {
	for j, row := range a {
		for k, v := range row {
			s = s.Add(x[j].Mul(v).Mul(y[k]))
		}
	}
	return s
}
