package baseline

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Method finds a projection.
type Method interface {
	// Name is the usual abbreviation.
	Name() string
	// Fit returns a d × p projection for samples x (n × d) with labels. It changes
	// neither.
	Fit(x *mat.Dense, labels []int, p int) (*mat.Dense, error)
}

// ErrFactorize: an eigenvalue decomposition has not converged.
var ErrFactorize = errors.New("baseline: eigenvalue decomposition failed")

func checkComponents(x *mat.Dense, p int) error {
	if n, d := x.Dims(); p < 1 || p > d || n < 1 {
		return fmt.Errorf("baseline: %d components of %d samples with %d features", p, n, d)
	}
	return nil
}

// centred returns x without its mean.
func centred(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	mean := make([]float64, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(n)
	}
	c := mat.DenseCopyOf(x)
	for i := range n {
		row := c.RawRowView(i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
	return c
}

// topEigenvectors returns the p eigenvectors of the largest eigenvalues of a as
// columns, largest first, each with its largest element positive.
func topEigenvectors(a mat.Symmetric, p int) (vectors *mat.Dense, values []float64, err error) {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		return nil, nil, ErrFactorize
	}
	n := a.SymmetricDim()
	all := eig.Values(nil)
	var v mat.Dense
	eig.VectorsTo(&v)
	vectors, values = mat.NewDense(n, p, nil), make([]float64, p)
	for k := range p {
		values[k] = all[n-1-k]
		for i := range n {
			vectors.Set(i, k, v.At(i, n-1-k))
		}
	}
	fixSigns(vectors)
	return vectors, values, nil
}

// fixSigns makes the element of largest size of every column positive.
func fixSigns(v *mat.Dense) {
	n, p := v.Dims()
	for k := range p {
		at := 0
		for i := range n {
			if abs(v.At(i, k)) > abs(v.At(at, k)) {
				at = i
			}
		}
		if v.At(at, k) < 0 {
			for i := range n {
				v.Set(i, k, -v.At(i, k))
			}
		}
	}
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// classMeans returns the mean of the rows of each label, and their number.
func classMeans(x *mat.Dense, labels []int) (means map[int][]float64, counts map[int]int) {
	_, d := x.Dims()
	means, counts = map[int][]float64{}, map[int]int{}
	for i, l := range labels {
		m := means[l]
		if m == nil {
			m = make([]float64, d)
			means[l] = m
		}
		counts[l]++
		for j, v := range x.RawRowView(i) {
			m[j] += v
		}
	}
	for l, m := range means {
		for j := range m {
			m[j] /= float64(counts[l])
		}
	}
	return means, counts
}

func sortedKeys(m map[int]int) []int { return slices.Sorted(maps.Keys(m)) }
