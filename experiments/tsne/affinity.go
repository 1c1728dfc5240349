package tsne

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// scaledCopy returns a copy of the samples, scaled by a power of two such that no squared distance
// can overflow. The scale does not change the probabilities P, because each σ_i is proportional to
// the scale.
func scaledCopy(ctx context.Context, x mat.Matrix) (matrix.Matrix[float64], error) {
	n, d := x.Dims()
	if n < 3 || d < 1 {
		return matrix.Matrix[float64]{}, fmt.Errorf("%w: %d samples of %d features", ErrSamples, n, d)
	}
	if err := checkFinite(x); err != nil {
		return matrix.Matrix[float64]{}, err
	}
	s := matrix.New[float64](n, d, nil)
	top, differ := 0., false
	for i := range n {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		row := s.Row(i)
		mat.Row(row, i, x)
		differ = differ || !slices.Equal(row, s.Row(0))
		for _, v := range row {
			top = max(top, math.Abs(v))
		}
	}
	if !differ {
		return s, fmt.Errorf("%w: all %d are equal", ErrNoSpread, n)
	}
	_, exponent := math.Frexp(top)
	for i := range n {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		for j, v := range s.Row(i) {
			s.Row(i)[j] = math.Ldexp(v, -exponent)
		}
	}
	return s, nil
}

// affinityRows is the number of rows of P that are computed at a time, and the side of the
// tiles in which P is symmetrized.
const affinityRows = 64

// jointProbabilities returns the matrix P of joint probabilities p_ij. P is n × n and symmetric,
// with zero diagonal and sum 1.
func jointProbabilities(ctx context.Context, workers int, x matrix.Matrix[float64], perplexity float64) (matrix.Matrix[float64], error) {
	n := x.Rows
	p := matrix.New[float64](n, n, nil)
	pool := sync.Pool{New: func() any { return newPrecisions(n-1, perplexity) }}
	err := parallel.ForContext(ctx, workers, n, affinityRows, func(i, j int) {
		dist.SqEuclidean(p.RowRange(i, j), x.RowRange(i, j), x)
		b := pool.Get().(*precisions)
		for r := i; r < j && ctx.Err() == nil; r++ {
			b.conditional(p.Row(r), r)
		}
		pool.Put(b)
	})
	if err != nil {
		return p, err
	}
	// p_ij = (p_j|i + p_i|j)/(2n), section 3.1. A tile above the diagonal and its mirror image
	// below the diagonal are set by the same goroutine.
	share := 2 * float64(n)
	err = parallel.ForContext(ctx, workers, n, affinityRows, func(i, j int) {
		for k := i; k < n; k += affinityRows {
			for r := i; r < j; r++ {
				for c := max(k, r); c < min(k+affinityRows, n); c++ {
					v := (p.Data[r*n+c] + p.Data[c*n+r]) / share
					p.Data[r*n+c], p.Data[c*n+r] = v, v
				}
			}
		}
	})
	return p, err
}

const (
	// entropyTolerance is the tolerance of the entropy H_i. It is also the relative tolerance of
	// the perplexity.
	entropyTolerance = 1e-10
	// greatestPrecision bounds β.
	greatestPrecision = math.MaxFloat64 / 4
)

// precisions finds the precisions β_i = 1/(2σ_i²).
type precisions struct {
	perplexity float64
	entropy    float64    // logarithm of the perplexity
	kernel     []float64  // e_j = exp(−β D_j)
	terms      []float64  // three rows: D_j, ones, D_j²
	sums       [3]float64 // Σ e_j D_j, Σ e_j, Σ e_j D_j²
}

func newPrecisions(neighbors int, perplexity float64) *precisions {
	b := &precisions{perplexity: perplexity, entropy: num.Log(perplexity)}
	b.kernel, b.terms = make([]float64, neighbors), make([]float64, 3*neighbors)
	for j := range neighbors {
		b.terms[neighbors+j] = 1
	}
	return b
}

// conditional replaces row i of the squared distances by the probabilities p_j|i of equation 1 of the paper, and
// returns β_i. If the number of neighbors at the smallest distance is at least the perplexity, β_i is infinite.
func (b *precisions) conditional(row []float64, i int) float64 {
	m := len(b.kernel)
	d := b.terms[:m]
	copy(d, row[:i])
	copy(d[i:], row[i+1:])
	// Subtract the smallest distance, so that the largest kernel value exp(−β D_j) is 1. This does
	// not change p_j|i.
	nearest := slices.Min(d)
	ties, total := 0, 0.
	for j := range d {
		d[j] -= nearest
		if d[j] == 0 {
			ties++
		}
		total += d[j]
		b.terms[2*m+j] = d[j] * d[j]
	}
	beta := math.Inf(1)
	if float64(ties) >= b.perplexity {
		for j, v := range d {
			b.kernel[j] = 0
			if v == 0 {
				b.kernel[j] = 1 / float64(ties)
			}
		}
	} else {
		beta = b.search(float64(m) / total)
		for j := range b.kernel {
			b.kernel[j] /= b.sums[1]
		}
	}
	copy(row, b.kernel[:i])
	row[i] = 0
	copy(row[i+1:], b.kernel[i:])
	return beta
}

// newtonSteps is the maximum number of Newton steps. After these steps, the search only bisects.
// Six or seven steps are usual.
const newtonSteps = 40

// search finds the β for which the entropy equals the logarithm of the perplexity. It starts at the
// given beta. The fields kernel and sums of b then belong to the result. The entropy decreases from
// log(n−1) at β = 0 to the logarithm of the number of nearest neighbors at the same distance. Its
// derivative is −β times the variance of the squared distances D_j under p_j|i. A Newton step is
// taken only if it stays inside the current bounds.
func (b *precisions) search(beta float64) float64 {
	low, high := 0., math.Inf(1)
	beta = min(beta, greatestPrecision)
	for k := 0; ; k++ {
		h := b.entropyAt(beta)
		switch {
		case math.Abs(h-b.entropy) <= entropyTolerance:
			return beta
		case h > b.entropy:
			low = beta
		default:
			high = beta
		}
		mean := b.sums[0] / b.sums[1]
		variance := b.sums[2]/b.sums[1] - float64(mean*mean)
		next := beta + (h-b.entropy)/float64(beta*variance)
		if !(k < newtonSteps && next > low && next < high) {
			switch {
			case math.IsInf(high, 1):
				next = 2 * beta
			case low == 0:
				next = beta / 2
			default:
				next = low + float64((high-low)/2)
			}
		}
		if next == low || next == high || next > greatestPrecision {
			return beta // no other float64 value is closer to the solution
		}
		beta = next
	}
}

// entropyAt returns the entropy of the probabilities e_j / Σ e_j in nats. It is log Σ e_j + β Σ e_j D_j / Σ e_j.
func (b *precisions) entropyAt(beta float64) float64 {
	m := len(b.kernel)
	exp.Exp2(b.kernel, b.terms[:m], exp.Bits(beta))
	matrix.MulVec(b.sums[:], matrix.New(3, m, b.terms), b.kernel)
	return num.Log(b.sums[1]) + float64(beta*(b.sums[0]/b.sums[1]))
}
