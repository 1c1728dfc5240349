package tsne

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// uniforms returns n × d uniform random values that are bit-identical on every machine.
func uniforms(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(n, d, nil)
	for k := range m.RawMatrix().Data {
		m.RawMatrix().Data[k] = rng.Float64() - 0.5
	}
	return m
}

func joint(t testing.TB, x mat.Matrix, perplexity float64) matrix.Matrix[float64] {
	t.Helper()
	s, err := scaledCopy(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := jointProbabilities(t.Context(), 2, s, perplexity)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// naive computes two sums directly from their definitions:
//
//	energy = exaggeration·Σ p_ij log(1 + ‖y_i − y_j‖²) + log Z
//	entropy = Σ p_ij log p_ij
//
// The gradient of energy is the gradient of the exaggerated KL divergence.
func naive(p matrix.Matrix[float64], y *mat.Dense, exaggeration float64) (energy, entropy float64) {
	n, _ := y.Dims()
	z := 0.
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			d := 1.
			for k, v := range y.RawRowView(i) {
				d += (v - y.At(j, k)) * (v - y.At(j, k))
			}
			z += 1 / d
			if v := p.At(i, j); v > 0 {
				energy += exaggeration * v * math.Log(d)
				entropy += v * math.Log(v)
			}
		}
	}
	return energy + math.Log(z), entropy
}

// TestDivergenceAndGradient compares the divergence with its definition, and the gradient with
// central differences. The numbers of samples are close to the tile sizes.
func TestDivergenceAndGradient(t *testing.T) {
	for _, c := range []struct {
		n, dims      int
		exaggeration float64
	}{{5, 2, 1}, {31, 1, 1}, {33, 2, 12}, {64, 3, 1}, {260, 2, 4}} {
		p := joint(t, uniforms(c.n, 4, 1), 2)
		y := uniforms(c.n, c.dims, 2)
		y.Scale(3, y)
		f := newField(2, p, c.dims)
		f.place(y.RawMatrix().Data)
		energy, entropy := naive(p, y, 1)
		if got, want := f.divergence(t.Context()), entropy+energy; !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("n = %d: KL = %v, want %v", c.n, got, want)
		}
		grad := make([]float64, c.n*c.dims)
		f.gradient(t.Context(), grad, c.exaggeration)
		size := norm(grad) / math.Sqrt(float64(len(grad)))
		for try := range 4 {
			k := (try * 67) % len(grad)
			const h = 1e-4
			y.RawMatrix().Data[k] += h
			above, _ := naive(p, y, c.exaggeration)
			y.RawMatrix().Data[k] -= 2 * h
			below, _ := naive(p, y, c.exaggeration)
			y.RawMatrix().Data[k] += h
			want := (above - below) / (2 * h)
			if !(math.Abs(grad[k]-want) <= 1e-6*size) {
				t.Errorf("n = %d, element %d: gradient %v, central difference %v, typical size %v", c.n, k, grad[k], want, size)
			}
		}
	}
}

// TestPerplexity checks that the entropy of every row is the logarithm of the perplexity, and that
// p_j|i and the returned β_i satisfy equation 1.
func TestPerplexity(t *testing.T) {
	const n = 80
	for scale, x := range map[string]*mat.Dense{"1": uniforms(n, 5, 3), "1e-30": uniforms(n, 5, 4), "1e200": uniforms(n, 5, 5)} {
		s, err := strconv.ParseFloat(scale, 64)
		if err != nil {
			t.Fatal(err)
		}
		x.Scale(s, x)
		samples, err := scaledCopy(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for _, perplexity := range []float64{1.01, 2, 5, 30, n - 2, n - 1 - 1e-3} {
			b := newPrecisions(n-1, perplexity)
			d, row := make([]float64, n), make([]float64, n)
			for i := range n {
				dist.SqEuclidean(matrix.New(1, n, d), samples.RowRange(i, i+1), samples)
				copy(row, d)
				beta := b.conditional(row, i)
				h, sum := 0., 0.
				for j, p := range row {
					sum += p
					if p > 0 {
						h -= p * math.Log(p)
					}
					// Compare ratios of two probabilities, because the normalizing sum of equation 1 cancels in a
					// ratio.
					k := (i + 1) % n
					if j != i && k != i && row[j] > 1e-200 && row[k] > 1e-200 {
						want := -beta * (d[j] - d[k])
						if got := math.Log(row[j] / row[k]); !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
							t.Fatalf("scale %s, perplexity %v, row %d: log p_%d/p_%d = %v, want %v", scale, perplexity, i, j, k, got, want)
						}
					}
				}
				if row[i] != 0 || !(math.Abs(sum-1) <= 1e-12) {
					t.Fatalf("scale %s, perplexity %v, row %d: p_ii = %v, sum %v", scale, perplexity, i, row[i], sum)
				}
				if got := math.Exp(h); !(math.Abs(got-perplexity) <= 1e-9*perplexity) {
					t.Errorf("scale %s, row %d: perplexity %v, want %v", scale, i, got, perplexity)
				}
			}
		}
	}
}

func TestJointProbabilities(t *testing.T) {
	for _, n := range []int{7, 64, 130} {
		x := uniforms(n, 3, 6)
		p := joint(t, x, 5)
		sum := 0.
		for i := range n {
			for j := range n {
				if p.At(i, j) != p.At(j, i) {
					t.Fatalf("n = %d: p_%d,%d = %v, p_%d,%d = %v", n, i, j, p.At(i, j), j, i, p.At(j, i))
				}
				sum += p.At(i, j)
			}
			if p.At(i, i) != 0 {
				t.Errorf("n = %d: p_ii = %v", n, p.At(i, i))
			}
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("n = %d: sum %v", n, sum)
		}
	}
}

// TestTies checks samples that have identical copies. If the number of copies is at least the
// perplexity, only the copies are neighbors, with equal weights. With fewer copies, there are other
// neighbors, too. The search must also end if no float64 β can distinguish the distances.
func TestTies(t *testing.T) {
	b := newPrecisions(6, 3)
	row := []float64{0, 0, 0, 0, 1, 2, 3}
	if beta := b.conditional(row, 1); !math.IsInf(beta, 1) {
		t.Errorf("three copies: β = %v", beta)
	}
	if want := []float64{1. / 3, 0, 1. / 3, 1. / 3, 0, 0, 0}; !slices.Equal(row, want) {
		t.Errorf("three copies: %v, want %v", row, want)
	}
	row = []float64{0, 0, 0, 1, 1, 2, 3}
	if beta := b.conditional(row, 1); math.IsInf(beta, 1) {
		t.Errorf("two copies: β = %v", beta)
	}
	if row[0] != row[2] || row[3] != row[4] || !(row[3] > 0) || !(row[0] > row[3]) {
		t.Errorf("two copies: %v", row)
	}
	tiny := math.SmallestNonzeroFloat64
	row = []float64{0, tiny, 2 * tiny, 3 * tiny, 1, 1, 1}
	b.conditional(row, 0)
	if sum := row[1] + row[2] + row[3]; !(math.Abs(sum-1) <= 1e-9) {
		t.Errorf("neighbors at subnormal distances: %v", row)
	}
}

// blobs returns 90 samples in three clusters in 8 dimensions, and their labels. The distance
// between clusters is much larger than the standard deviation of a cluster.
func blobs() (*mat.Dense, []int) {
	x, labels := uniforms(90, 8, 7), make([]int, 90)
	for i := range 90 {
		labels[i] = i % 3
		x.Set(i, i%3, x.At(i, i%3)+3)
	}
	return x, labels
}

// TestClusters checks that clusters of the data are still clusters in the embedding.
func TestClusters(t *testing.T) {
	x, labels := blobs()
	before := mat.DenseCopyOf(x)
	var steps []Step
	r, err := Embed(t.Context(), x, &Settings{Perplexity: 15, Iterations: 250, Progress: func(s Step) error {
		steps = append(steps, s)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(x, before) {
		t.Error("Embed has changed the samples")
	}
	if r.Iterations != 250 || len(steps) != 250 || steps[249] != (Step{250, 250, r.GradientNorm}) || steps[0].Index != 1 {
		t.Errorf("%d iterations, %d steps, the last %+v", r.Iterations, len(steps), steps[len(steps)-1])
	}
	y, n := r.Positions, len(labels)
	within, between := 0., math.Inf(1)
	for i := range n {
		for j := range i {
			d := math.Hypot(y.At(i, 0)-y.At(j, 0), y.At(i, 1)-y.At(j, 1))
			if labels[i] == labels[j] {
				within = max(within, d)
			} else {
				between = min(between, d)
			}
		}
	}
	t.Logf("KL %.4f, largest distance within a cluster %.3g, smallest between two %.3g", r.KL, within, between)
	if !(between > within/2) {
		t.Error("clusters are not apart")
	}
	for k := range 2 {
		if m := mat.Sum(y.ColView(k)) / float64(n); !(math.Abs(m) < 1e-10) {
			t.Errorf("mean of dimension %d is %v", k, m)
		}
	}
	// More steps must decrease the divergence.
	short, err := Embed(t.Context(), x, &Settings{Perplexity: 15, Iterations: 80})
	if err != nil {
		t.Fatal(err)
	}
	if !(r.KL < short.KL) || !(r.KL > 0) {
		t.Errorf("KL %v after 250 steps, %v after 80", r.KL, short.KL)
	}
}

// TestSameBits checks that the result is bit-identical for every number of workers, at every
// instruction-set level and on every machine.
func TestSameBits(t *testing.T) {
	const golden = "5d0f243e8bca08d8"
	x := uniforms(270, 6, 8)
	best := asm.Current()
	for level := range asmtest.Each(t) {
		for _, workers := range []int{1, 2, 7} {
			if level != best && workers > 1 {
				continue
			}
			r, err := Embed(t.Context(), x, &Settings{Iterations: 4, Seed: 3, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			for _, v := range append(slices.Clone(r.Positions.RawMatrix().Data), r.KL, r.GradientNorm) {
				if err := binary.Write(h, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
			if got := hex.EncodeToString(h.Sum(nil))[:16]; got != golden {
				t.Errorf("level %v, %d workers: hash %s, want %s", level, workers, got, golden)
			}
		}
	}
}

// TestInit checks that Init is used and not changed. The default positions depend only on the number of
// samples, the dimensions and the seed.
func TestInit(t *testing.T) {
	start := uniforms(40, 2, 9)
	before := mat.DenseCopyOf(start)
	embed := func(x mat.Matrix, s Settings) *mat.Dense {
		t.Helper()
		s.Iterations = 3
		r, err := Embed(t.Context(), x, &s)
		if err != nil {
			t.Fatal(err)
		}
		return r.Positions
	}
	x := uniforms(40, 5, 10)
	a := embed(x, Settings{Init: start})
	if !mat.Equal(start, before) {
		t.Error("Embed has changed the initial positions")
	}
	if b := embed(x, Settings{}); mat.EqualApprox(a, b, 0.1) {
		t.Error("Init makes no difference")
	}
	if mat.Equal(randomPositions(40, 2, 0), randomPositions(40, 2, 1)) {
		t.Error("Seed makes no difference")
	}
	if !mat.Equal(embed(x, Settings{Seed: 5}), embed(x, Settings{Init: randomPositions(40, 2, 5)})) {
		t.Error("the default start is not that of the seed")
	}
	y := randomPositions(20000, 1, 1)
	sum, fourth := 0., 0.
	for _, v := range y.RawMatrix().Data {
		v /= initialSpread
		sum += v * v / 20000
		fourth += v * v * v * v / 20000
	}
	if math.Abs(sum-1) > 0.03 || math.Abs(fourth-2.9) > 0.15 { // the fourth moment of a sum of 12 uniform numbers is 3 − 1.2/12
		t.Errorf("initial positions have second and fourth moments %v and %v", sum, fourth)
	}
}

// TestLikeScikitLearn compares with sklearn.manifold.TSNE. testdata/README.md describes the reference values.
func TestLikeScikitLearn(t *testing.T) {
	const (
		divergence = 0.4007
		trust5     = 0.9716
		trust10    = 0.9489
	)
	table := read(t, "digits")
	n, d := table.Dims()
	x, starts := table.Slice(0, n, 0, d-1), read(t, "starts")

	p, want := joint(t, x, 20), read(t, "joint")
	rows, _ := want.Dims()
	for i := range rows {
		for j := range n {
			// The binary search of scikit-learn stops at an entropy error of 1e-5, and its smallest p_ij is 2^-52.
			if got, w := p.At(i, j), want.At(i, j); !(math.Abs(got-w) <= 1e-4*w+1e-12) {
				t.Errorf("p_%d,%d = %v, scikit-learn %v", i, j, got, w)
			}
		}
	}

	first := &Settings{Perplexity: 20, Init: starts.Slice(0, n, 0, 2), Iterations: 5, ExaggerationIterations: 5}
	r, err := Embed(t.Context(), x, first)
	if err != nil {
		t.Fatal(err)
	}
	steps := read(t, "steps")
	center(steps.RawMatrix().Data, 2)
	var off mat.Dense
	off.Sub(r.Positions, steps)
	if e := mat.Norm(&off, 2) / mat.Norm(steps, 2); !(e < 1e-4) {
		t.Errorf("after 5 steps positions are off scikit-learn's by %.3g", e)
	} else {
		t.Logf("after 5 steps off by %.3g", e)
	}

	if !testdata.IsLong() || asm.Current() == asm.Ref {
		return // slow, and the result is the same at every instruction-set level
	}
	// Rounding errors decide which local minimum is found. Therefore only means over several initial
	// positions are compared.
	var kl, t5, t10 float64
	for k := 0; k < 8; k += 2 {
		r, err := Embed(t.Context(), x, &Settings{Perplexity: 20, Init: starts.Slice(0, n, k, k+2), Iterations: 500, ExaggerationIterations: 250})
		if err != nil {
			t.Fatal(err)
		}
		kl, t5, t10 = kl+r.KL/4, t5+trustworthiness(x, r.Positions, 5)/4, t10+trustworthiness(x, r.Positions, 10)/4
	}
	t.Logf("KL %.4f (scikit-learn %.4f), trustworthiness %.4f (%.4f) and %.4f (%.4f)", kl, divergence, t5, trust5, t10, trust10)
	if !(kl < 1.08*divergence) || !(t5 > trust5-0.01) || !(t10 > trust10-0.01) {
		t.Error("the pictures are worse than scikit-learn's")
	}
}

// trustworthiness returns the trustworthiness of an embedding y of the samples x, from 0 to 1. It
// measures how well the k nearest neighbors in y match the neighbors in x.
func trustworthiness(x, y mat.Matrix, k int) float64 {
	n, _ := x.Dims()
	order := func(m mat.Matrix, i int) []int {
		dense := mat.DenseCopyOf(m)
		distance := func(j int) float64 {
			var diff mat.VecDense
			diff.SubVec(dense.RowView(i), dense.RowView(j))
			return mat.Dot(&diff, &diff)
		}
		var others []int
		distances := make([]float64, n)
		for j := range n {
			if j != i {
				others = append(others, j)
				distances[j] = distance(j)
			}
		}
		slices.SortStableFunc(others, func(a, b int) int {
			if distances[a] < distances[b] {
				return -1
			} else if distances[a] > distances[b] {
				return 1
			}
			return 0
		})
		return others
	}
	penalty := 0
	for i := range n {
		rank := make([]int, n)
		for r, j := range order(x, i) {
			rank[j] = r + 1
		}
		for _, j := range order(y, i)[:k] {
			penalty += max(0, rank[j]-k)
		}
	}
	return 1 - 2*float64(penalty)/float64(n*k*(2*n-3*k-1))
}

func read(t *testing.T, name string) *mat.Dense {
	t.Helper()
	return mat.NewDense(testdata.CSV(t, filepath.Join("testdata", name+".csv")))
}

// TestOddData checks that the positions are finite for unusual data: copies of samples, more
// features than samples, one feature, and the smallest number of samples.
func TestOddData(t *testing.T) {
	copies := mat.NewDense(60, 3, nil)
	for i := range 60 {
		copies.Set(i, i%3, 1) // three points, twenty times each
	}
	half := uniforms(40, 2, 11)
	for i := range 20 {
		half.SetRow(i, []float64{5, 5})
	}
	for name, x := range map[string]*mat.Dense{
		"three points": copies, "half of it copies": half, "three samples": uniforms(3, 2, 12),
		"four samples": uniforms(4, 2, 12), "one feature": uniforms(50, 1, 13), "wide": uniforms(20, 300, 14),
		"one differs": mat.NewDense(5, 1, []float64{7, 7, 7, 7, 8}),
	} {
		r, err := Embed(t.Context(), x, &Settings{Iterations: 200})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := checkFinite(r.Positions); err != nil || !(r.KL >= -1e-12 && r.KL < 10) {
			t.Errorf("%s: %v, KL %v", name, err, r.KL)
		}
	}
}

func TestErrors(t *testing.T) {
	x := uniforms(20, 3, 15)
	with := func(i, j int, v float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Set(i, j, v)
		return y
	}
	for name, c := range map[string]struct {
		x    mat.Matrix
		s    Settings
		want error
		says string
	}{
		"two samples":         {uniforms(2, 3, 1), Settings{}, ErrSamples, "2 samples"},
		"NaN":                 {with(3, 1, math.NaN()), Settings{}, ErrNotFinite, "row 3, column 1 is NaN"},
		"infinity":            {with(19, 2, math.Inf(-1)), Settings{}, ErrNotFinite, "row 19, column 2 is -Inf"},
		"constant":            {mat.NewDense(9, 2, nil), Settings{}, ErrNoSpread, "all 9"},
		"perplexity n-1":      {x, Settings{Perplexity: 19}, ErrPerplexity, "19 for 20 samples"},
		"perplexity large":    {x, Settings{Perplexity: 1e9}, ErrPerplexity, ""},
		"perplexity below 1":  {x, Settings{Perplexity: 0.5}, ErrPerplexity, ""},
		"perplexity NaN":      {x, Settings{Perplexity: math.NaN()}, ErrPerplexity, ""},
		"iterations":          {x, Settings{Iterations: -1}, ErrSettings, "-1 iterations"},
		"components":          {x, Settings{Components: -1}, ErrSettings, "-1 components"},
		"workers":             {x, Settings{Workers: -2}, ErrSettings, "-2 workers"},
		"learning rate":       {x, Settings{LearningRate: math.Inf(1)}, ErrSettings, "learning rate"},
		"exaggeration":        {x, Settings{EarlyExaggeration: -1}, ErrSettings, "exaggeration"},
		"gain":                {x, Settings{MinGain: math.NaN()}, ErrSettings, "gain"},
		"momentum":            {x, Settings{Momentum: 1}, ErrSettings, "momentum"},
		"tolerance":           {x, Settings{Tolerance: math.NaN()}, ErrSettings, "tolerance"},
		"initial shape":       {x, Settings{Init: uniforms(19, 2, 1)}, ErrSettings, "19 × 2, not 20 × 2"},
		"initial NaN":         {x, Settings{Init: mat.NewDense(20, 2, append(make([]float64, 39), math.NaN()))}, ErrNotFinite, "initial positions"},
		"large learning rate": {x, Settings{LearningRate: 1e300}, ErrDiverged, "1e+300"},
	} {
		r, err := Embed(t.Context(), c.x, &c.s)
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) || r != nil {
			t.Errorf("%s: %v, want %v and %q", name, err, c.want, c.says)
		}
	}
	if _, err := Embed(t.Context(), uniforms(20, 3, 15), &Settings{Perplexity: 18.9, Iterations: 5}); err != nil {
		t.Errorf("perplexity just below n − 1: %v", err)
	}
}

// TestCollapse checks that the final positions of samples without structure are spread out,
// although exaggeration moves the samples into one point.
func TestCollapse(t *testing.T) {
	r, err := Embed(t.Context(), uniforms(100, 100, 17), &Settings{Perplexity: 60, Iterations: 300, ExaggerationIterations: 150, LearningRate: 3})
	if err != nil {
		t.Fatal(err)
	}
	if size := norm(r.Positions.RawMatrix().Data); r.Iterations < 300 || !(size > 1) {
		t.Errorf("%d iterations, positions of norm %v", r.Iterations, size)
	}
}

// TestEarlyEnd checks that Embed returns the current positions when the context ends or Progress returns
// an error.
func TestEarlyEnd(t *testing.T) {
	x := uniforms(50, 3, 16)
	enough := errors.New("enough")
	r, err := Embed(t.Context(), x, &Settings{Progress: func(s Step) error {
		if s.Index == 7 {
			return enough
		}
		return nil
	}})
	if err != enough || r == nil || r.Iterations != 7 || !(r.KL > 0) {
		t.Fatalf("%+v, %v", r, err)
	}
	seven, err := Embed(t.Context(), x, &Settings{Iterations: 7, ExaggerationIterations: 7})
	if err != nil || !mat.Equal(seven.Positions, r.Positions) || seven.KL != r.KL {
		t.Errorf("positions after 7 steps differ from those of 7 iterations (%v)", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err = Embed(ctx, x, &Settings{Progress: func(Step) error { cancel(enough); return nil }})
	if err != enough || r == nil || r.Iterations != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = Embed(ctx, x, nil); r != nil || err != enough {
		t.Errorf("context at its end: %+v, %v", r, err)
	}
	// With a tolerance that any gradient meets, Embed ends right after exaggeration.
	r, err = Embed(t.Context(), x, &Settings{Iterations: 100, ExaggerationIterations: 10, Tolerance: 1e9})
	if err != nil || r.Iterations != 10 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestEndsAnywhere ends the context at many of the points where Embed checks it. Embed must then return the cause
// after only a few more checks. Every part of an iteration must check the context.
func TestEndsAnywhere(t *testing.T) {
	x := uniforms(200, 3, 18)
	embed := func(ctx context.Context) (*Result, error) {
		return Embed(ctx, x, &Settings{Iterations: 3, Workers: 1})
	}
	all := ending.At(0)
	if _, err := embed(all); err != nil {
		t.Fatal(err)
	}
	if least := 3*200 + 2*200/affinityRows + 4*(200/tileRows); all.Checks() < least {
		t.Errorf("checks its context %d times, want %d", all.Checks(), least)
	}
	for last := 1; last <= all.Checks(); last += 7 {
		ctx := ending.At(last)
		r, err := embed(ctx)
		if !errors.Is(err, ending.ErrAt) || r != nil && !math.IsNaN(r.KL) {
			t.Fatalf("ended at %d of %d: %+v, %v", last, all.Checks(), r, err)
		}
		if ctx.ChecksAfterEnd() > 8 {
			t.Fatalf("ended at %d of %d: %d more checks", last, all.Checks(), ctx.ChecksAfterEnd())
		}
	}
}
