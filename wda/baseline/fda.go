package baseline

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// FDA is Fisher discriminant analysis (R. A. Fisher 1936, C. R. Rao 1948): the p
// leading solutions of S_b w = μ (S_w + ridge·I) w, where S_w and S_b are the
// covariances within and between classes. The columns are scaled so that
// wᵀ (S_w + ridge·I) w = 1, as scikit-learn's LDA scales them up to a factor.
//
// S_b has rank C−1; further columns are those of S_w's smallest variance and carry
// no information on the class means.
type FDA struct {
	// Shrinkage s replaces S_w by (1−s)·S_w + s·(tr S_w / d)·I, 0 ≤ s ≤ 1.
	Shrinkage float64
}

// Name returns "FDA".
func (FDA) Name() string { return "FDA" }

// Fit returns the p leading discriminant directions.
func (f FDA) Fit(x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	if err := checkComponents(x, p); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	if len(labels) != n {
		return nil, fmt.Errorf("baseline: %d labels for %d samples", len(labels), n)
	}
	if !(f.Shrinkage >= 0 && f.Shrinkage <= 1) {
		return nil, fmt.Errorf("baseline: shrinkage %v is not between 0 and 1", f.Shrinkage)
	}
	c := centred(x)
	means, counts := classMeans(c, labels)
	within := mat.DenseCopyOf(c)
	for i, l := range labels {
		row, m := within.RawRowView(i), means[l]
		for j := range row {
			row[j] -= m[j]
		}
	}
	var sw mat.SymDense
	sw.SymOuterK(1/float64(n), within.T())
	if s := f.Shrinkage; s > 0 {
		mu := mat.Trace(&sw) / float64(d)
		sw.ScaleSym(1-s, &sw)
		for j := range d {
			sw.SetSym(j, j, sw.At(j, j)+s*mu)
		}
	}
	// Whiten by S_w, leaving out directions in which it has no variance, and take
	// the principal components of the class means there.
	var eig mat.EigenSym
	if !eig.Factorize(&sw, true) {
		return nil, ErrFactorize
	}
	values := eig.Values(nil)
	var v mat.Dense
	eig.VectorsTo(&v)
	white := mat.NewDense(d, d, nil)
	for k, l := range values {
		if l > 1e-12*values[d-1] && l > 0 {
			s := 1 / math.Sqrt(l)
			for j := range d {
				white.Set(j, k, v.At(j, k)*s)
			}
		}
	}
	between := mat.NewDense(len(counts), d, nil)
	r := 0
	for _, l := range sortedKeys(counts) {
		w := math.Sqrt(float64(counts[l]) / float64(n))
		for j, m := range means[l] {
			between.Set(r, j, w*m)
		}
		r++
	}
	var bw mat.Dense
	bw.Mul(between, white)
	var sb mat.SymDense
	sb.SymOuterK(1, bw.T())
	u, _, err := topEigenvectors(&sb, p)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(d, p, nil)
	out.Mul(white, u)
	fixSigns(out)
	return out, nil
}
