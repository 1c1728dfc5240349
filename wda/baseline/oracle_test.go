package baseline_test

import (
	"context"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// blocked lists folders whose Go files declare block sizes. The random trials draw sample sizes near these block sizes.
var blocked = []string{"wda/baseline", "internal/projection"}

func TestOracle(t *testing.T) {
	t.Run("PCA", func(t *testing.T) { trial.Run(t, 10, blocked, comparePCA) })
	t.Run("FDA", func(t *testing.T) { trial.Run(t, 20, blocked, compareFDA) })
}

// randomSamples returns samples of several classes. Some features are constant, or constant within the classes, up to a rounding error.
func randomSamples(c *trial.Case) (x trial.View[float64], labels []int, classes [][][]oracle.Real, constant []bool) {
	n, d := 4+c.Size(60), 1+c.IntN(8)
	count := 2 + c.IntN(min(3, n/2-1))
	classes, constant = make([][][]oracle.Real, count), make([]bool, d)
	labels = trial.Vector(c, n, func(i int) int { return i % count })
	kinds, scales := make([]int, d), make([]float64, d)
	for j := range d {
		scales[j] = math.Exp(c.NormFloat64())
		if c.Chance(3) {
			kinds[j] = 1 + c.IntN(3)
		}
		constant[j] = kinds[j] == 1 || kinds[j] == 2
	}
	x = trial.Matrix(c, n, d, func(i, j int) float64 {
		switch v := scales[j] * c.NormFloat64(); kinds[j] {
		case 1:
			return scales[j] * (1 + float64(c.IntN(3))*0x1p-52)
		case 2:
			return scales[j] * (1 + float64(labels[i])) * (1 + float64(c.IntN(3))*0x1p-52)
		case 3: // far away
			return 1000*scales[j] + v
		default:
			return v + scales[j]*float64(labels[i]*(j%3))
		}
	})
	for i, row := range x.Table() {
		own := make([]oracle.Real, d)
		for j, v := range row {
			own[j] = oracle.Of(v)
		}
		classes[labels[i]] = append(classes[labels[i]], own)
	}
	return x, labels, classes, constant
}

func dense(v trial.View[float64]) *mat.Dense {
	m := new(mat.Dense)
	m.SetRawMatrix(blas64.General(v))
	return m
}

// fit returns the columns of the projection of method m.
func fit(c *trial.Case, x trial.View[float64], labels []int, p int, m baseline.Method) [][]oracle.Real {
	out := trial.Output[float64](c, x.Cols, p)
	c.Call(m.String(), func() {
		v, err := baseline.Fit(context.Background(), dense(x), labels, p, m)
		if err != nil {
			c.Fatal(err)
		}
		for j := range x.Cols {
			copy(out.Row(j), v.RawRowView(j))
		}
	})
	columns := make([][]oracle.Real, p)
	for k := range columns {
		largest := oracle.Real{}
		for j := range x.Cols {
			v := oracle.Of(out.Row(j)[k])
			if columns[k] = append(columns[k], v); largest.Abs().Less(v.Abs()) {
				largest = v
			}
		}
		if largest.Hi < 0 {
			c.Errorf("column %d of %v: the element of largest absolute value is %v", k, m, largest.Hi)
		}
	}
	return columns
}

// addMatrices returns a + b.
func addMatrices(a, b [][]oracle.Real) [][]oracle.Real {
	s := make([][]oracle.Real, len(a))
	for j := range a {
		for k, v := range a[j] {
			s[j] = append(s[j], v.Add(b[j][k]))
		}
	}
	return s
}

func identity(d int) [][]oracle.Real {
	m := make([][]oracle.Real, d)
	for j := range m {
		m[j] = make([]oracle.Real, d)
		m[j][j] = oracle.Of(1)
	}
	return m
}

func checkNear(c *trial.Case, got oracle.Real, want, bound float64, what string, of ...any) {
	c.Helper()
	trial.Near(c, got.Hi, oracle.Of(want), bound, what, of...)
}

// delta returns 1 if i = j, and 0 otherwise.
func delta(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// comparePCA checks that the columns are orthonormal and have the largest variances that orthonormal columns can have.
func comparePCA(c *trial.Case) {
	x, _, classes, _ := randomSamples(c)
	p := 1 + c.IntN(x.Cols)
	v := fit(c, x, nil, p, baseline.PCA{Workers: 1 + c.IntN(3)})
	within, between := oracle.Scatter(classes)
	covariance := addMatrices(within, between)
	values, _ := oracle.Eigen(covariance)
	e := 1e-13 * (values[0].Hi + largest(x)*largest(x)*1e-15)
	for i := range v {
		for j := range v {
			checkNear(c, oracle.Quadratic(v[i], identity(x.Cols), v[j]), delta(i, j), 1e-13, "product of columns %d and %d", i, j)
			checkNear(c, oracle.Quadratic(v[i], covariance, v[j]), delta(i, j)*values[i].Hi, e, "covariance of columns %d and %d", i, j)
		}
	}
}

func largest(x trial.View[float64]) (most float64) {
	for _, row := range x.Table() {
		for _, v := range row {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// compareFDA checks that the first columns solve S_b w = μ S_w w for the largest μ, with wᵀS_w w = 1. The other columns
// must be principal components of the samples in the orthogonal complement of the first columns.
func compareFDA(c *trial.Case) {
	x, labels, classes, constant := randomSamples(c)
	d, p, f := x.Cols, 1+c.IntN(x.Cols), baseline.FDA{}
	within, between := oracle.Scatter(classes)
	mean, allConstant := oracle.Real{}, true
	for j := range d {
		if allConstant = allConstant && constant[j]; constant[j] {
			for k := range d { // only rounding errors
				within[j][k], within[k][j] = oracle.Real{}, oracle.Real{}
			}
		}
		mean = mean.Add(within[j][j].Div(oracle.Of(d)))
	}
	s := oracle.Real{}
	switch c.IntN(3) {
	case 0:
		f.Shrinkage = c.Float64()
		s = oracle.Of(f.Shrinkage)
	case 1:
		if !allConstant {
			f.LedoitWolf = true
			s = oracle.LedoitWolf(classes)
		}
	}
	w := fit(c, x, labels, p, f)
	shrunk := within
	if s.Hi > 0 {
		shrunk = make([][]oracle.Real, d)
		for j := range d {
			for k, v := range within[j] {
				if v = v.Mul(oracle.Of(1).Sub(s)); j == k {
					v = v.Add(s.Mul(mean))
				}
				shrunk[j] = append(shrunk[j], v)
			}
		}
	}
	// The matrix correlation is S_w, scaled to a diagonal of ones. Each vector a[i] is an eigenvector of this
	// matrix, converted to the coordinates of S_w and normalized: a[i]ᵀ S_w a[j] is 1 for i = j and 0 otherwise.
	// Eigenvectors whose eigenvalue is almost 0 are omitted.
	unit := make([]oracle.Real, d)
	correlation := make([][]oracle.Real, d)
	for j := range d {
		if shrunk[j][j].Hi > 0 {
			unit[j] = oracle.Of(1).Div(shrunk[j][j].Sqrt())
		}
	}
	for j := range d {
		for k, v := range shrunk[j] {
			correlation[j] = append(correlation[j], v.Mul(unit[j]).Mul(unit[k]))
		}
	}
	values, vectors := oracle.Eigen(correlation)
	var a [][]oracle.Real
	for i, v := range vectors {
		if values[i].Hi > 1e-12*values[0].Hi {
			if values[i].Hi < 1e-5*values[0].Hi {
				return // the result depends on rounding errors of S_w
			}
			for j := range v {
				v[j] = v[j].Mul(unit[j]).Div(values[i].Sqrt())
			}
			a = append(a, v)
		}
	}
	reduced := make([][]oracle.Real, len(a))
	for i := range a {
		for j := range a {
			reduced[i] = append(reduced[i], oracle.Quadratic(a[i], between, a[j]))
		}
	}
	mu, _ := oracle.Eigen(reduced)
	q := min(p, len(classes)-1)
	for len(mu) < q || q > 0 && !(mu[q-1].Hi > 1e-12*mu[0].Hi) {
		q--
	}
	if q > 0 && mu[q-1].Hi < 1e-8*mu[0].Hi {
		return // the result depends on rounding errors of S_b
	}
	far := 1.0
	for j := range d { // a mean far from 0 reduces the accuracy
		if unit[j].Hi > 0 {
			far = max(far, 1000*unit[j].Hi*within[j][j].Sqrt().Hi)
		}
	}
	e := 1e-12 * far * float64(d)
	for i := range q {
		for j := range q {
			checkNear(c, oracle.Quadratic(w[i], shrunk, w[j]), delta(i, j), e*10, "S_w of columns %d and %d, %+v, %v", i, j, f, constant)
			checkNear(c, oracle.Quadratic(w[i], between, w[j]), delta(i, j)*mu[i].Hi, e*10*mu[0].Hi, "S_b of columns %d and %d, %+v, %v", i, j, f, constant)
		}
		for j := range d {
			if constant[j] && s.Hi == 0 && w[i][j].Hi != 0 {
				c.Errorf("a constant feature has the weight %v", w[i][j].Hi)
			}
		}
	}
	// The other columns must be principal components in the orthogonal complement of the first q columns.
	basis := make([][]oracle.Real, 0, q)
	for _, v := range w[:q] {
		basis = append(basis, orthogonal(v, basis))
	}
	covariance := addMatrices(within, between)
	rest, trace := make([][]oracle.Real, d), 0.0
	for i := range d {
		trace += covariance[i][i].Hi
		u := orthogonalPart(identity(d)[i], basis)
		for j := range d {
			rest[i] = append(rest[i], oracle.Quadratic(u, covariance, orthogonalPart(identity(d)[j], basis)))
		}
	}
	variances, _ := oracle.Eigen(rest)
	for k := q; k < p; k++ {
		length := oracle.Quadratic(w[k], identity(d), w[k])
		variance := oracle.Quadratic(w[k], covariance, w[k]).Div(length).Hi
		checkNear(c, oracle.Of(variance), variances[k-q].Hi, 1e-9*variances[0].Hi+1e-13*trace+1e-28*math.Pow(largest(x), 2), "variance of column %d after %d, %+v, %v", k, q, f, constant)
		if own := oracle.Quadratic(w[k], shrunk, w[k]); math.Abs(own.Hi-1) > 1e-9*far && math.Abs(length.Hi-1) > 1e-9 {
			c.Errorf("column %d has the scatter %v within classes, and the squared length %v; %+v", k, own.Hi, length.Hi, f)
		}
	}
}

// orthogonalPart returns v minus its projections on the orthonormal vectors of basis.
func orthogonalPart(v []oracle.Real, basis [][]oracle.Real) []oracle.Real {
	v = append([]oracle.Real(nil), v...)
	for _, b := range basis {
		s := oracle.Quadratic(v, identity(len(v)), b)
		for j := range v {
			v[j] = v[j].Sub(s.Mul(b[j]))
		}
	}
	return v
}

// orthogonal returns orthogonalPart(v, basis), scaled to length 1.
func orthogonal(v []oracle.Real, basis [][]oracle.Real) []oracle.Real {
	v = orthogonalPart(v, basis)
	length := oracle.Quadratic(v, identity(len(v)), v).Sqrt()
	for j := range v {
		v[j] = v[j].Div(length)
	}
	return v
}
