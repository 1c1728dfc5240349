package tsne

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"gonum.org/v1/gonum/mat"
)

// Errors of data and settings. Errors returned by this package wrap one of these values and add
// details.
var (
	// ErrSamples means that there are fewer than three samples, or that the samples have no
	// features.
	ErrSamples   = errors.New("tsne: too few samples or features")
	ErrNotFinite = errors.New("tsne: value is not finite")
	// ErrNoSpread means that all samples are equal.
	ErrNoSpread = errors.New("tsne: samples do not differ")
	// ErrPerplexity means that the perplexity is out of range. It must be at least 1, and less than
	// n − 1, the number of neighbors of a sample.
	ErrPerplexity = errors.New("tsne: perplexity out of range")
	ErrSettings   = errors.New("tsne: bad settings")
	// ErrDiverged means that positions have overflowed because the learning rate is too large.
	ErrDiverged = errors.New("tsne: positions diverge")
)

// Settings configure Embed. The zero value and a nil pointer mean the defaults, which follow
// current practice, for example scikit-learn. The paper uses an exaggeration of 4 for 50
// iterations, a learning rate of 100, and a momentum of 0.8 from iteration 250.
type Settings struct {
	// Components is the number of dimensions of the picture. Default 2.
	Components int
	// Perplexity is the effective number of neighbors of a sample. It is 2^H, where H is the
	// entropy of the distribution p_j|i over the neighbors j (section 2, equation 1 and the
	// following text). Default 30, or (n−1)/3 if that is less.
	Perplexity float64
	// Iterations is the number of steps. Default 1000.
	Iterations int
	// EarlyExaggeration multiplies the p_ij in the first ExaggerationIterations steps to keep
	// clusters together (section 3.4). By default the factor is 12, for 250 steps or a quarter of
	// Iterations, whichever is less. A factor of 1 disables exaggeration. Exaggeration ends early
	// if it would collapse all samples into one point.
	EarlyExaggeration      float64
	ExaggerationIterations int
	// LearningRate is the learning rate η for the gradient of equation 5, including its factor 4.
	// Default n/(4·EarlyExaggeration), but at least 50 (A. C. Belkina et al., Nature Communications
	// 10, 2019).
	LearningRate float64
	// EarlyMomentum is the momentum α(t) while the p_ij are exaggerated, and Momentum is α(t)
	// afterwards. Both values must be less than 1. A negative value means no momentum. Defaults 0.5
	// and 0.8.
	EarlyMomentum, Momentum float64
	// MinGain is the lower bound of the gains. The gain of a coordinate multiplies its learning
	// rate. A gain increases by 0.2 while the coordinate moves against its gradient. Otherwise the
	// gain is multiplied by 0.8 (Jacobs 1988, see section 3.4). Gains and velocities are reset
	// after exaggeration. Default 0.01.
	MinGain float64
	// Tolerance ends the iterations when the norm of the gradient is at most Tolerance, but not
	// during exaggeration. Default 1e-7. A negative value disables this test.
	Tolerance float64
	// Init holds the initial positions (n × Components). By default, the initial positions are
	// random numbers generated from Seed. Their distribution is Gaussian with standard deviation
	// 1e-4. The default positions depend only on n, Components and Seed. Therefore, embeddings of
	// different features of the same samples start at the same positions.
	Init mat.Matrix
	// Seed determines the default initial positions.
	Seed uint64
	// Workers is the number of goroutines. Default GOMAXPROCS. The result does not depend on
	// Workers.
	Workers int
	// Progress, if not nil, is called after every step. If it returns an error, Embed stops.
	Progress func(Step) error
}

// Step is one step of the descent.
type Step struct {
	Index, Total int     // index of the step, starting at 1, and total number of steps
	GradientNorm float64 // norm of the gradient before the step; early steps exaggerate the attraction
}

// Result is an embedding of the samples.
type Result struct {
	// Positions is n × Components; the mean of the rows is 0.
	Positions *mat.Dense
	// KL is the divergence KL(P‖Q) at Positions in nats, without exaggeration (equation 2 in
	// section 3.1). It is NaN if the context ended before KL was computed.
	KL float64
	// GradientNorm is the norm of the gradient at the last step.
	GradientNorm float64
	// Iterations is the number of steps made.
	Iterations int
	// Settings are the settings used, with the defaults filled in.
	Settings Settings
}

// initialSpread is the standard deviation of the default initial positions.
const initialSpread = 1e-4

// Embed maps the samples x (n × d, one sample per row) to a few dimensions such that neighbors stay
// neighbors. It minimizes
//
//	KL(P‖Q) = Σ_i≠j p_ij log(p_ij / q_ij)
//	p_ij = (p_j|i + p_i|j)/(2n),   p_j|i ∝ exp(−‖x_i − x_j‖²/(2σ_i²))     section 3.1, equation 1
//	q_ij ∝ (1 + ‖y_i − y_j‖²)⁻¹                                          equation 4
//
// over the positions y_i by gradient descent with momentum (algorithm 1). The σ_i give every row of
// p_j|i the required perplexity, with a relative error of at most 1e-9. The σ_i are found by a
// safeguarded Newton iteration instead of the paper's binary search. Several neighbors of a sample
// may have the same smallest distance, for example because they are copies of the sample. If the
// number of these neighbors is at least the perplexity, their probabilities p_j|i are equal, and
// all other probabilities are 0.
//
// The settings may be nil. Embed does not change x. If the context ends, or Progress returns an
// error, Embed returns the current positions together with the error. The result is nil if there
// are no positions yet. Embed allocates 8n² bytes and little else.
func Embed(ctx context.Context, x mat.Matrix, settings *Settings) (*Result, error) {
	samples, err := scaledCopy(ctx, x)
	if err != nil {
		return nil, err
	}
	n := samples.Rows
	set, err := settings.withDefaults(n)
	if err != nil {
		return nil, err
	}
	joint, err := jointProbabilities(ctx, set.Workers, samples, set.Perplexity)
	if err != nil {
		return nil, err
	}
	f := newField(set.Workers, joint, set.Components)
	start := set.Init
	if start == nil {
		start = randomPositions(n, set.Components, set.Seed)
	}
	y := mat.DenseCopyOf(start)
	r := &Result{Positions: y, Settings: set}
	err = r.descend(ctx, f)
	f.place(y.RawMatrix().Data)
	r.KL = f.divergence(ctx)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && r.KL-r.KL != 0 {
		err = fmt.Errorf("%w: learning rate %v", ErrDiverged, set.LearningRate)
	}
	if errors.Is(err, ErrDiverged) {
		return nil, err
	}
	return r, err
}

// collapse is a bound for the norm of the positions divided by their initial norm. Exaggeration
// ends when this ratio falls below the bound. If neighborhoods are almost random, the exaggerated
// attraction exceeds the repulsion in every direction. All samples would then move to one point,
// where the gradient is 0. Usual data also shrink at first, but only to a few hundredths of the
// initial size.
const collapse = 1e-3

// descend makes the gradient steps.
func (r *Result) descend(ctx context.Context, f *field) error {
	set, y := &r.Settings, r.Positions.RawMatrix().Data
	size := len(y)
	grad, velocity, gain := make([]float64, size), make([]float64, size), make([]float64, size)
	begun, exaggerated := norm(y), set.ExaggerationIterations
	for r.Iterations < set.Iterations {
		if size := norm(y); r.Iterations < exaggerated && size > 0 && size < collapse*begun {
			exaggerated = r.Iterations
			for k := range y {
				y[k] *= begun / size
			}
		}
		exaggeration, momentum := 1., max(set.Momentum, 0)
		early := r.Iterations < exaggerated
		if early {
			exaggeration, momentum = set.EarlyExaggeration, max(set.EarlyMomentum, 0)
		}
		if r.Iterations == 0 || r.Iterations == exaggerated {
			// Reset velocities and gains, because the objective changes here. The small gains after
			// exaggeration would increase the final divergence.
			clear(velocity)
			for i := range gain {
				gain[i] = 1
			}
		}
		f.place(y)
		if err := f.gradient(ctx, grad, exaggeration); err != nil {
			return err
		}
		r.GradientNorm = norm(grad)
		if r.GradientNorm-r.GradientNorm != 0 {
			return fmt.Errorf("%w: learning rate %v, iteration %d", ErrDiverged, set.LearningRate, r.Iterations+1)
		}
		if !early && r.GradientNorm <= set.Tolerance {
			return nil
		}
		for k, g := range grad {
			if g*velocity[k] < 0 {
				gain[k] += 0.2
			} else {
				gain[k] = max(float64(0.8*gain[k]), set.MinGain)
			}
			velocity[k] = float64(momentum*velocity[k]) - float64(float64(set.LearningRate*gain[k])*g)
			y[k] += velocity[k]
		}
		center(y, set.Components)
		r.Iterations++
		if set.Progress != nil {
			if err := set.Progress(Step{r.Iterations, set.Iterations, r.GradientNorm}); err != nil {
				return err
			}
		}
	}
	return nil
}

// withDefaults checks the settings s. It returns a copy in which unset fields have the default
// values for n samples.
func (s *Settings) withDefaults(n int) (Settings, error) {
	var t Settings
	if s != nil {
		t = *s
	}
	fill := func(v *float64, standard float64) {
		if *v == 0 {
			*v = standard
		}
	}
	fillInt := func(v *int, standard int) {
		if *v == 0 {
			*v = standard
		}
	}
	fillInt(&t.Components, 2)
	fillInt(&t.Iterations, 1000)
	fillInt(&t.ExaggerationIterations, min(250, t.Iterations/4))
	fillInt(&t.Workers, runtime.GOMAXPROCS(0))
	fill(&t.Perplexity, max(min(30, float64(n-1)/3), 1))
	fill(&t.EarlyExaggeration, 12)
	fill(&t.LearningRate, max(float64(n)/(4*t.EarlyExaggeration), 50))
	fill(&t.EarlyMomentum, 0.5)
	fill(&t.Momentum, 0.8)
	fill(&t.MinGain, 0.01)
	fill(&t.Tolerance, 1e-7)

	if !(t.Perplexity >= 1 && t.Perplexity < float64(n-1)) {
		return t, fmt.Errorf("%w: %v for %d samples", ErrPerplexity, t.Perplexity, n)
	}
	for _, c := range []struct {
		name string
		v    int
	}{{"components", t.Components}, {"iterations", t.Iterations}, {"iterations with exaggeration", t.ExaggerationIterations}, {"workers", t.Workers}} {
		if c.v < 0 {
			return t, fmt.Errorf("%w: %d %s", ErrSettings, c.v, c.name)
		}
	}
	for _, c := range []struct {
		name string
		v    float64
	}{{"exaggeration", t.EarlyExaggeration}, {"learning rate", t.LearningRate}, {"least gain", t.MinGain}} {
		if !(c.v > 0 && c.v <= math.MaxFloat64) {
			return t, fmt.Errorf("%w: %s %v must be positive and finite", ErrSettings, c.name, c.v)
		}
	}
	for _, m := range []float64{t.EarlyMomentum, t.Momentum} {
		if !(m < 1) {
			return t, fmt.Errorf("%w: momentum %v is not below 1", ErrSettings, m)
		}
	}
	if math.IsNaN(t.Tolerance) {
		return t, fmt.Errorf("%w: tolerance %v", ErrSettings, t.Tolerance)
	}
	if t.Init != nil {
		if r, c := t.Init.Dims(); r != n || c != t.Components {
			return t, fmt.Errorf("%w: initial positions are %d × %d, not %d × %d", ErrSettings, r, c, n, t.Components)
		}
		if err := checkFinite(t.Init); err != nil {
			return t, fmt.Errorf("initial positions: %w", err)
		}
	}
	return t, nil
}

// randomPositions returns Gaussian initial positions. Each coordinate is a sum of twelve uniform
// random numbers, which is almost normally distributed. Unlike rand.NormFloat64, the sum is
// bit-identical on every machine.
func randomPositions(n, components int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	y := mat.NewDense(n, components, nil)
	data := y.RawMatrix().Data
	for k := range data {
		sum := -6.
		for range 12 {
			sum += float64(rng.Float64())
		}
		data[k] = initialSpread * sum
	}
	center(data, components)
	return y
}

// center subtracts the mean row of y from every row. A row has the given number of components.
func center(y []float64, components int) {
	n := len(y) / components
	for k := range components {
		sum := 0.
		for i := range n {
			sum += y[i*components+k]
		}
		mean := sum / float64(n)
		for i := range n {
			y[i*components+k] -= mean
		}
	}
}

func norm(v []float64) float64 {
	sum := 0.
	for _, e := range v {
		sum = math.FMA(e, e, sum)
	}
	return math.Sqrt(sum)
}

// checkFinite returns an error for the first element of m that is not finite.
func checkFinite(m mat.Matrix) error {
	r, c := m.Dims()
	for i := range r {
		for j := range c {
			if v := m.At(i, j); v-v != 0 {
				return fmt.Errorf("%w: row %d, column %d is %v", ErrNotFinite, i, j, v)
			}
		}
	}
	return nil
}
