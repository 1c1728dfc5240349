package emd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/ending"
)

// costAt computes element (i, j) of the cost matrix with a plain loop.
func costAt[T dist.Float](p *Problem[T], i, j int) float64 {
	if p.Cost.Rows > 0 {
		return float64(p.Cost.At(i, j))
	}
	var sum T
	for l, x := range p.X.Row(i) {
		d := x - p.Y.At(j, l)
		sum = num.FMA(d, d, sum)
	}
	return float64(sum)
}

// solveAndProve solves p and recomputes the certificate with plain loops. The gap must be at most 1e-12·Σ T_ij |c_ij|, or at
// most 16·2⁻⁵³·mass·max(|u_i| + |v_j| + |Price|), which bounds the rounding errors. solveAndProve returns the cost and whether
// the second bound was needed.
func solveAndProve[T dist.Float](t *testing.T, s *Solver[T], p *Problem[T]) (float64, bool) {
	t.Helper()
	r, err := s.Solve(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	n, m := len(r.U), len(r.V)
	weight := func(w []T, i, n int) float64 {
		if w == nil {
			return float64(1 / T(n))
		}
		return float64(w[i])
	}
	sumA, sumB, moved, size, primal, dual := 0., 0., 0., 0., 0., 0.
	for i := range n {
		sumA += weight(p.A, i, n)
	}
	for j := range m {
		sumB += weight(p.B, j, m)
	}
	scale, mass := sumA/sumB, sumA
	if p.Mass > 0 {
		scale, mass = 1, sumA+sumB-p.Mass
	}
	plan := make([]float64, n*m)
	if len(r.Plan) > n+m-1 {
		t.Fatalf("%d entries", len(r.Plan))
	}
	last := -1
	for _, e := range r.Plan {
		if at := e.Row*m + e.Column; at <= last || !(e.Mass > 0) {
			t.Fatal("entries are not positive or not in order:", r.Plan)
		} else {
			last, plan[at] = at, e.Mass
		}
		c := costAt(p, e.Row, e.Column)
		moved += e.Mass
		size += e.Mass * math.Abs(c)
		primal += e.Mass * c
	}
	worst, marginal, largest := 0., 0., 0.
	check := func(got, want float64) {
		if over := got - want; over > 0 || p.Mass == 0 {
			marginal = max(marginal, math.Abs(over))
		}
	}
	for i := range n {
		sum := 0.
		for j := range m {
			sum += plan[i*m+j]
			largest = max(largest, math.Abs(r.U[i])+math.Abs(r.V[j])+math.Abs(r.Price))
			worst = max(worst, r.U[i]+r.Price+r.V[j]-costAt(p, i, j))
		}
		check(sum, weight(p.A, i, n))
		dual += weight(p.A, i, n) * r.U[i]
		if p.Mass > 0 {
			worst = max(worst, r.U[i])
		}
	}
	for j := range m {
		sum := 0.
		for i := range n {
			sum += plan[i*m+j]
		}
		check(sum, weight(p.B, j, m)*scale)
		dual += weight(p.B, j, m) * scale * r.V[j]
		if p.Mass > 0 {
			worst = max(worst, r.V[j])
		}
	}
	if p.Mass > 0 {
		dual += p.Mass * r.Price
		marginal = max(marginal, math.Abs(moved-p.Mass))
	}
	c := r.Certificate
	rounding := float64(n+m) * 0x1p-52
	switch {
	case r.Status != StatusOptimal || r.Cost != c.Primal:
		t.Fatalf("%v, %v", r.Status, r.Cost)
	case math.Abs(c.Violation-worst) > 0x1p-51*largest, math.Abs(c.Primal-primal) > rounding*size, math.Abs(c.Dual-dual) > rounding*mass*largest, math.Abs(c.MarginalError-marginal) > rounding*mass:
		t.Fatalf("%+v, not violation %v, marginal error %v, primal %v, dual %v", c, worst, marginal, primal, dual)
	case marginal > rounding*mass:
		t.Fatalf("the marginal error is %v", marginal)
	case math.Abs(c.Gap-(mass*c.Violation+math.Abs(c.Primal-c.Dual))) > 0x1p-50*mass*largest:
		t.Fatalf("the gap is %v", c.Gap)
	}
	gap := mass*worst + math.Abs(primal-dual)
	switch {
	case max(gap, c.Gap) <= 1e-12*size:
		return r.Cost, false
	case c.Gap <= 16*0x1p-53*mass*largest:
		return r.Cost, true
	}
	t.Fatalf("the gap is %v, by plain loops %v; Σ T|c| is %v, mass·max(|u| + |v|) %v", c.Gap, gap, size, mass*largest)
	return 0, false
}

// splitMix is the random number generator of testdata/optima.py.
type splitMix uint64

func (r *splitMix) next(n uint64) uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return (z ^ z>>31) % n
}

func (r *splitMix) uniform() float64 { return float64(r.next(1<<53)) * 0x1p-53 }

// seededProblem returns the problem that testdata/optima.py makes from a seed.
func seededProblem(seed int) *Problem[float64] {
	r := splitMix(seed)
	n, m, kind := 1+int(r.next(12)), 0, seed%6
	m = 1 + int(r.next(12))
	x, y := make([]float64, n), make([]float64, m)
	for i := range x {
		x[i] = float64(r.next(20))
	}
	for j := range y {
		y[j] = float64(r.next(20))
	}
	p := &Problem[float64]{Cost: dist.NewMatrix[float64](n, m, nil)}
	for i := range n {
		for j := range m {
			var c float64
			switch {
			case kind == 0 || kind == 4 || kind == 5 && i < 3:
				c = r.uniform()
			case kind == 1:
				c = float64(r.next(10))
			case kind == 2:
				c = float64(r.next(3))
			case kind == 3:
				c = (x[i] - y[j]) * (x[i] - y[j])
			case kind == 5:
				c = p.Cost.At(i%3, j)
			}
			p.Cost.Set(i, j, c)
		}
	}
	exponent := 0
	if kind == 4 {
		exponent = int(r.next(400)) - 200
	}
	for k, c := range p.Cost.Data {
		if seed/6%2 == 1 {
			c -= 0.5
		}
		p.Cost.Data[k] = math.Ldexp(c, exponent)
	}
	weights := func(n int) (w []float64, sum float64) {
		for i := range n {
			var x float64
			switch seed / 12 % 4 {
			case 0:
				x = 1
			case 1:
				x = float64(1 + r.next(100))
			case 2:
				if x = float64(r.next(3)); i == 0 {
					x++
				}
			case 3:
				x = math.Ldexp(1, -int(r.next(40)))
			}
			w, sum = append(w, x), sum+x
		}
		return w, sum
	}
	var sumA, sumB float64
	p.A, sumA = weights(n)
	p.B, sumB = weights(m)
	for j := range p.B {
		p.B[j] *= sumA / sumB
	}
	return p
}

// TestOptima compares the costs of 2000 random problems with the results of POT and SciPy.
func TestOptima(t *testing.T) {
	f, err := os.Open("testdata/optima.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s Solver[float64]
	count, second := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); count++ {
		number, value, _ := strings.Cut(lines.Text(), " ")
		seed, err := strconv.Atoi(number)
		want, err2 := strconv.ParseFloat(value, 64)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		p := seededProblem(seed)
		got, rounding := solveAndProve(t, &s, p)
		size := 0.
		for _, c := range p.Cost.Data {
			size = max(size, math.Abs(c))
		}
		mass := 0.
		for _, a := range p.A {
			mass += a
		}
		if !(math.Abs(got-want) <= 1e-12*size*mass) {
			t.Errorf("seed %d: %v, not %v", seed, got, want)
		}
		if rounding {
			second++
		}
	}
	if count != 2000 {
		t.Errorf("%d problems", count)
	}
	t.Logf("the bound by the duals was needed %d times", second)
}

// bestOf returns the least cost of assigning k of the rows i, i+1, … to columns. Bit j of used is set if column j is
// already assigned.
func bestOf(cost dist.Matrix[float64], k, i, used int) float64 {
	switch {
	case k == 0:
		return 0
	case k > cost.Rows-i:
		return math.Inf(1)
	}
	best := bestOf(cost, k, i+1, used)
	for j, c := range cost.Row(i) {
		if used>>j&1 == 0 {
			best = min(best, c+bestOf(cost, k-1, i+1, used|1<<j))
		}
	}
	return best
}

// TestBruteForce compares assignments, plans and partial plans of at most 7 points with a search over all assignments.
func TestBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 1))
	var s Solver[float64]
	for i := range 300 {
		n, m := 1+rng.IntN(7), 1+rng.IntN(7)
		cost := dist.NewMatrix[float64](n, m, nil)
		for k := range cost.Data {
			if cost.Data[k] = rng.NormFloat64(); i%2 == 0 {
				cost.Data[k] = float64(rng.IntN(4))
			}
			if i%5 == 0 && rng.IntN(3) == 0 {
				cost.Data[k] = math.Inf(1)
			}
		}
		dst := make([]int, n)
		got, err := s.Assign(t.Context(), dst, cost)
		want := bestOf(cost, min(n, m), 0, 0)
		if math.IsInf(want, 1) {
			if !errors.Is(err, ErrInfeasible) {
				t.Fatalf("no whole assignment: %v", err)
			}
			continue
		}
		sum, used, left := 0., 0, 0
		for i, j := range dst {
			if j < 0 {
				left++
				continue
			}
			sum, used = sum+cost.At(i, j), used|1<<j
		}
		if err != nil || math.Abs(got-want) > 1e-14*float64(n) || math.Abs(sum-got) > 1e-14*float64(n) || left != max(0, n-m) || left+len(strings.ReplaceAll(strconv.FormatInt(int64(used), 2), "0", "")) != n {
			t.Fatalf("%d × %d: %v costs %v, %v; the best costs %v", n, m, dst, got, err, want)
		}
		if n != m || i%5 == 0 {
			continue
		}
		for k := 1; k <= n; k++ {
			p := &Problem[float64]{Cost: cost, Mass: float64(k) / float64(n)}
			if k == n && i%2 == 0 {
				p.Mass = 0
			}
			got, _ := solveAndProve(t, &s, p)
			if want := bestOf(cost, k, 0, 0) / float64(n); math.Abs(got-want) > 1e-14 {
				t.Fatalf("%d of %d points: %v, not %v", k, n, got, want)
			}
		}
	}
}

// TestKinds checks the certificates for unusual sizes and scales in both float types. A problem given by points must have the
// same cost as the problem given by the distance matrix of the points.
func TestKinds(t *testing.T) {
	t.Run("float64", testKinds[float64])
	t.Run("float32", testKinds[float32])
}

func testKinds[T dist.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 2))
	s := new(Solver[T])
	var limit float64 = 1e300
	if !num.IsFloat64[T]() {
		limit = 1e37
	}
	for _, size := range [][2]int{{1, 1}, {1, 40}, {40, 1}, {3, 200}, {200, 3}, {60, 60}, {70, 130}} {
		n, m := size[0], size[1]
		for _, scale := range []float64{1, 1e32, limit, 1 / limit, -1} {
			cost := dist.NewMatrix[T](n, m, nil)
			for k := range cost.Data {
				cost.Data[k] = T(rng.Float64() * scale)
			}
			a, b := make([]T, n), make([]T, m)
			sum := 0.
			for i := range a {
				a[i] = T(rng.IntN(4))
				if i == 0 {
					a[i] = 1
				}
				sum += float64(a[i])
			}
			for j := range b {
				b[j] = T(sum / float64(m))
			}
			solveAndProve(t, s, &Problem[T]{Cost: cost})
			solveAndProve(t, s, &Problem[T]{Cost: cost, A: a, B: b})
			solveAndProve(t, s, Problem[T]{Cost: cost, A: b, B: a, Mass: sum * rng.Float64()}.transposed())
		}
		for _, d := range []int{1, 3, 70} {
			x, y := dist.NewMatrix[T](n, d, nil), dist.NewMatrix[T](m, d, nil)
			for _, c := range [2]dist.Matrix[T]{x, y} {
				for k := range c.Data {
					c.Data[k] = T(rng.IntN(5)) // duplicates and ties
				}
			}
			got, _ := solveAndProve(t, s, &Problem[T]{X: x, Y: y})
			cost := dist.NewMatrix[T](n, m, nil)
			dist.SqEuclidean(cost, x, y)
			if want, _ := solveAndProve(t, s, &Problem[T]{Cost: cost}); got != want {
				t.Fatalf("points cost %v, their matrix %v", got, want)
			}
		}
	}
}

// transposed returns the problem with rows and columns swapped.
func (p Problem[T]) transposed() *Problem[T] {
	c := dist.NewMatrix[T](p.Cost.Cols, p.Cost.Rows, nil)
	for i := range c.Rows {
		for j := range c.Cols {
			c.Set(i, j, p.Cost.At(j, i))
		}
	}
	p.Cost = c
	return &p
}

// TestPitfalls checks kinds of problems on which users of POT's ot.emd have reported failures.
func TestPitfalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 3))
	const n = 100
	// The sums of a and b differ in the last bits, because each element is rounded to float32.
	a, b, cost := make([]float32, n), make([]float32, n), dist.NewMatrix[float32](n, n, nil)
	for i := range a {
		a[i], b[i] = rng.Float32(), rng.Float32()
	}
	for _, w := range [][]float32{a, b} {
		var sum float32
		for _, x := range w {
			sum += x
		}
		for i := range w {
			w[i] /= sum
		}
	}
	for k := range cost.Data {
		cost.Data[k] = rng.Float32()
	}
	solveAndProve(t, new(Solver[float32]), &Problem[float32]{Cost: cost, A: a, B: b})
	// Half of the costs are much larger than the other costs. At the scale 1e-20, the small costs are below usual tolerances.
	var s Solver[float64]
	for _, scale := range []float64{1, 1e-20} {
		cost := dist.NewMatrix[float64](n, n, nil)
		for k := range cost.Data {
			cost.Data[k] = scale * rng.Float64()
		}
		want, _ := solveAndProve(t, &s, &Problem[float64]{Cost: cost})
		for i := range n {
			for j := range n {
				if (i+j)%2 == 1 {
					cost.Set(i, j, 1e32)
				}
			}
		}
		got, rounding := solveAndProve(t, &s, &Problem[float64]{Cost: cost})
		if !(got >= want) || got > scale || rounding {
			t.Errorf("with expensive pairs %v, without %v, gap relative to the expensive pairs: %v", got, want, rounding)
		}
	}
	// The pairs (i, i+1) cost nothing, but the pair (40, 0), which closes their cycle, costs 1e20. The optimal plan is the
	// diagonal, where each pair costs 1.
	expensive := dist.NewMatrix[float64](41, 41, nil)
	for k := range expensive.Data {
		switch i, j := k/41, k%41; {
		case i == j:
			expensive.Data[k] = 1
		case j != i+1 || j == 40:
			expensive.Data[k] = 1e20
		}
	}
	if got, rounding := solveAndProve(t, &s, &Problem[float64]{Cost: expensive}); math.Abs(got-1) > 1e-15 || rounding {
		t.Errorf("a cycle with a expensive pair: %v, gap relative to the expensive pairs: %v", got, rounding)
	}
	// One cost is −1e-200 and all other costs are positive. The optimal plan puts all mass on the pair with the negative cost.
	p := &Problem[float64]{Cost: dist.NewMatrix[float64](3, 19, nil), A: []float64{2, 0, 3}, B: make([]float64, 19), Mass: 1}
	for k := range p.Cost.Data {
		p.Cost.Data[k] = rng.Float64() + 0.01
	}
	for j := range p.B {
		p.B[j] = float64(j % 3)
	}
	p.Cost.Data[17] = -1e-200
	if got, _ := solveAndProve(t, &s, p); got != -1e-200 {
		t.Error("partial:", got)
	}
	// The samples are not sorted. Each weight must stay with its sample.
	got, err := s.Distance1D(t.Context(), []float64{3, 0, 1}, []float64{5, 6, 8}, []float64{0.7, 0.1, 0.2}, []float64{0.2, 0.5, 0.3}, 1)
	if want := 0.2*5 + 0.5*6 + 0.3*8 - 0.7*3 - 0.2*1; err != nil || math.Abs(got-want) > 1e-15 {
		t.Error(got, want, err)
	}
}

// TestErrors checks the errors, and the positions in their messages, for invalid input.
func TestErrors(t *testing.T) {
	var at *dist.PositionError
	matrix := func(n, m int, data ...float64) dist.Matrix[float64] { return dist.NewMatrix(n, m, data) }
	nan, inf := math.NaN(), math.Inf(1)
	good := matrix(2, 2, 1, 2, 3, 4)
	var s Solver[float64]
	for _, c := range []struct {
		p    Problem[float64]
		want error
		text string
	}{
		{Problem[float64]{}, ErrShape, "no points"},
		{Problem[float64]{Cost: good, X: good, Y: good}, ErrShape, "not both"},
		{Problem[float64]{X: good, Y: matrix(2, 1, 1, 2)}, ErrShape, "coordinates"},
		{Problem[float64]{X: good}, ErrShape, "Y is empty"},
		{Problem[float64]{X: good, Y: matrix(1, 2, 1, inf)}, ErrNotFinite, "Y: value is not finite: row 0, column 1 is +Inf"},
		{Problem[float64]{X: matrix(1, 1, 1e200), Y: matrix(1, 1, -1e200)}, ErrRange, "X[0] and Y[0]"},
		{Problem[float64]{Cost: matrix(2, 2, 1, 2, nan, 4)}, ErrNotFinite, "row 1, column 0"},
		{Problem[float64]{Cost: matrix(2, 2, 1, 2, -inf, 4), A: []float64{1, 0}}, ErrNotFinite, "row 1, column 0"},
		{Problem[float64]{Cost: matrix(2, 2, math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64)}, ErrRange, "overflows"},
		{Problem[float64]{Cost: matrix(2, 2, 1e300, -1e300, -1e300, 1e300), A: []float64{1e9, 1e9}, B: []float64{1e9, 1e9}}, ErrRange, "overflows"},
		{Problem[float64]{X: matrix(4, 1, 0, 1e150, 3e150, -7e150), Y: matrix(4, 1, 0, 1e150, 3e150, -7e150), A: []float64{1e9, 1e9, 1e9, 1e9}, B: []float64{1e9, 1e9, 1e9, 1e9}}, ErrRange, "gap"},
		{Problem[float64]{Cost: dist.Matrix[float64]{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 3)}}, ErrShape, "Cost"},
		{Problem[float64]{Cost: good, A: []float64{1}}, ErrShape, "A has length 1"},
		{Problem[float64]{Cost: good, B: []float64{1, -1}}, ErrMarginals, "B[1]"},
		{Problem[float64]{Cost: good, B: []float64{0, 0}}, ErrMarginals, "zero"},
		{Problem[float64]{Cost: good, A: []float64{1, 1}, B: []float64{1, 1.1}}, ErrMarginals, "2.1"},
		{Problem[float64]{Cost: good, Mass: 2}, ErrMarginals, "Mass is 2"},
		{Problem[float64]{Cost: good, Mass: nan}, ErrMarginals, "Mass is NaN"},
	} {
		if r, err := s.Solve(t.Context(), &c.p); r != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || errors.As(err, &at) != (c.want == ErrNotFinite) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	small, err := NewSolver[float64](&Settings{MaxMemory: 100})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := small.Solve(t.Context(), &Problem[float64]{Cost: good}); !errors.Is(err, ErrSettings) {
		t.Error(err)
	}
	for _, set := range []Settings{{Workers: -1}, {MaxMemory: -1}} {
		if _, err := NewSolver[float64](&set); !errors.Is(err, ErrSettings) {
			t.Error(err)
		}
	}
	dst := []int{7, 7}
	for _, c := range []struct {
		cost dist.Matrix[float64]
		want error
	}{{matrix(1, 2, 1, 2), ErrShape}, {matrix(2, 2, 1, -inf, 1, 1), ErrNotFinite}, {matrix(2, 2, inf, 1, inf, 1), ErrInfeasible}, {matrix(2, 3, inf, 1, inf, inf, 1, inf), ErrInfeasible}} {
		if _, err := s.Assign(t.Context(), dst, c.cost); !errors.Is(err, c.want) || dst[0] != 7 {
			t.Errorf("%v: %v", c.want, err)
		}
	}
	one := []float64{1}
	for _, c := range []struct {
		x, y, a []float64
		p       float64
		want    error
	}{{nil, one, nil, 1, ErrShape}, {one, []float64{nan}, nil, 1, ErrNotFinite}, {one, one, []float64{-1}, 1, ErrMarginals}, {one, one, one, 0.5, ErrSettings}, {one, one, one, nan, ErrSettings}, {[]float64{1e308}, []float64{-1e308}, nil, 2, ErrRange}} {
		if _, err := s.Distance1D(t.Context(), c.x, c.y, c.a, nil, c.p); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.want, err)
		}
	}
	for _, c := range []struct {
		p    Problem[float64]
		o    SlicedOptions
		dx   dist.Matrix[float64]
		want error
	}{{Problem[float64]{Cost: good}, SlicedOptions{}, dist.Matrix[float64]{}, ErrSettings}, {Problem[float64]{X: good, Y: good}, SlicedOptions{Order: 0.5}, dist.Matrix[float64]{}, ErrSettings},
		{Problem[float64]{X: good, Y: good}, SlicedOptions{Directions: -1}, dist.Matrix[float64]{}, ErrSettings}, {Problem[float64]{X: good, Y: good}, SlicedOptions{}, matrix(1, 2, 0, 0), ErrShape}} {
		if _, err := s.Sliced(t.Context(), c.dx, dist.Matrix[float64]{}, &c.p, &c.o); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

// overdue is a context whose deadline has passed but whose timer has not fired.
type overdue struct{ context.Context }

func (overdue) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// TestDeadline checks that every method notices a passed deadline although the timer of the context has not fired.
func TestDeadline(t *testing.T) {
	const n = 100
	x, line := dist.NewMatrix[float64](n, n, nil), make([]float64, 1000)
	var s Solver[float64]
	ctx := overdue{t.Context()}
	_, solve := s.Solve(ctx, &Problem[float64]{X: x, Y: x})
	_, assign := s.Assign(ctx, make([]int, n), x)
	_, distance := s.Distance1D(ctx, line, line, nil, nil, 1)
	_, sliced := s.Sliced(ctx, dist.Matrix[float64]{}, dist.Matrix[float64]{}, &Problem[float64]{X: x, Y: x}, nil)
	batch := s.SolveBatch(ctx, []Problem[float64]{{X: x, Y: x}}, func(int, *Result[float64], error) {})
	for k, err := range []error{solve, assign, distance, sliced, batch} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(k, err)
		}
	}
}

// TestCanceled checks that Solve returns a feasible plan, no matter when the context ends.
func TestCanceled(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 4))
	const n = 400
	x, y := dist.NewMatrix[float64](n, 2, nil), dist.NewMatrix[float64](n, 2, nil)
	for k := range x.Data {
		x.Data[k], y.Data[k] = rng.NormFloat64(), rng.NormFloat64()
	}
	var s Solver[float64]
	least, err := new(Solver[float64]).Solve(t.Context(), &Problem[float64]{X: x, Y: y})
	if err != nil {
		t.Fatal(err)
	}
	for checks := 0; ; checks += 1 + checks/4 {
		r, err := s.Solve(ending.At(checks+1), &Problem[float64]{X: x, Y: y})
		if err == nil {
			if checks < 20 || r.Status != StatusOptimal {
				t.Errorf("%d checks: %v", checks, r.Status)
			}
			break
		}
		c := r.Certificate
		if !errors.Is(err, ending.ErrAt) || r.Status != StatusCanceled || !math.IsNaN(c.Violation) || !math.IsNaN(c.Gap) || !math.IsNaN(c.Dual) || c.MarginalError > 1e-15 || !(r.Cost >= least.Cost) || !math.IsNaN(r.U[0]+r.V[0]) {
			t.Fatalf("%d checks: %v, cost %v, %+v, %v", checks, r.Status, r.Cost, c, err)
		}
	}
	// Solve stops while it computes distances.
	wide := dist.NewMatrix[float64](n, 100, nil)
	if _, err := s.Solve(ending.At(2), &Problem[float64]{X: wide, Y: wide}); !errors.Is(err, ending.ErrAt) || s.work.costs.m.Rows > 0 {
		t.Error("all distances were computed:", err)
	}
	// If the cost of the plan is not finite, Solve returns only the context's cause.
	cost := dist.NewMatrix[float64](2, 2, []float64{math.Inf(1), math.NaN(), math.NaN(), 1})
	if r, err := s.Solve(ending.At(1), &Problem[float64]{Cost: cost}); err != ending.ErrAt || r != nil {
		t.Error("a canceled plan of costs that are not finite:", r, err)
	}
}

// TestContextChecks checks that every method checks its context often enough and stops when the context ends.
func TestContextChecks(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 11))
	random := func(n int) []float64 {
		v := make([]float64, n)
		for k := range v {
			v[k] = 0.5 + rng.Float64()
		}
		return v
	}
	cloud := func(n, m int) dist.Matrix[float64] { return dist.NewMatrix(n, m, random(n*m)) }
	const long, short, big = 60000, 4, 300
	wide, tall := cloud(short, long), cloud(long, short)
	for k := range wide.Data { // every plan is optimal, and Solve does not pivot
		wide.Data[k], tall.Data[k] = float64(k%long%5+k/long), float64(k/short%5+k%short)
	}
	heavy, light := random(long), random(short)
	heavy[0] += short
	light[0] += pair.Sum(heavy) - pair.Sum(light)
	x, y := cloud(big, big), cloud(big, big)
	var s Solver[float64]
	result := Result[float64]{Plan: make([]Entry, 2*long), n: short, m: long}
	dst, plan, gradient := make([]int, long), dist.NewMatrix[float64](short, long, nil), dist.NewMatrix[float64](big, big, nil)
	line, otherLine, weights := random(4*long), random(3*long), random(4*long)
	otherWeights := random(3 * long)
	otherWeights[0] += pair.Sum(weights) - pair.Sum(otherWeights)
	for name, work := range map[string]struct {
		least int // checks
		do    func(ctx context.Context) error
	}{
		"Solve, wide": {4 * short * long / elementsPerCheck, func(ctx context.Context) error { _, err := s.Solve(ctx, &Problem[float64]{Cost: wide}); return err }},
		"Solve, tall": {4 * short * long / elementsPerCheck, func(ctx context.Context) error {
			_, err := s.Solve(ctx, &Problem[float64]{Cost: tall, A: heavy, B: light})
			return err
		}},
		"Solve, points": {5 * big * big / copiesPerCheck, func(ctx context.Context) error { _, err := s.Solve(ctx, &Problem[float64]{X: x, Y: y}); return err }},
		"Assign, wide":  {2 * short * long / elementsPerCheck, func(ctx context.Context) error { _, err := s.Assign(ctx, dst[:short], wide); return err }},
		"Assign, tall":  {4 * short * long / elementsPerCheck, func(ctx context.Context) error { _, err := s.Assign(ctx, dst, tall); return err }},
		"PlanTo":        {short*long/copiesPerCheck + 2*long/samplesPerCheck, func(ctx context.Context) error { return result.PlanTo(ctx, plan, 0) }},
		"Distance1D": {6 * 7 * long / samplesPerCheck, func(ctx context.Context) error {
			_, err := s.Distance1D(ctx, line, otherLine, weights, otherWeights, 2)
			return err
		}},
		"Sliced": {50 + 2*8, func(ctx context.Context) error {
			_, err := s.Sliced(ctx, gradient, dist.Matrix[float64]{}, &Problem[float64]{X: x, Y: y}, nil)
			return err
		}},
	} {
		ctx := ending.At(0)
		if err := work.do(ctx); err != nil {
			t.Fatal(name, err)
		}
		checks := ctx.Checks()
		if checks < work.least {
			t.Errorf("%s checks its context %d times, not at least %d", name, checks, work.least)
		}
		for last := 1; last <= checks; last += 1 + checks/8 {
			if ctx := ending.At(last); work.do(ctx) != ending.ErrAt || ctx.ChecksAfterEnd() > 5 {
				t.Errorf("%s: the context ended at check %d of %d; %d more checks", name, last, checks, ctx.ChecksAfterEnd())
			}
		}
	}
}

// TestAssign compares the cost of assignments with the cost of optimal plans, for all kinds of costs and shapes.
func TestAssign(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 5))
	var s Solver[float64]
	var s32 Solver[float32]
	for i := range 60 {
		n, m := 1+rng.IntN(80), 1+rng.IntN(80)
		if i%3 == 0 {
			m = n
		}
		cost, narrow := dist.NewMatrix[float64](n, m, nil), dist.NewMatrix[float32](n, m, nil)
		x, y := make([]float64, n), make([]float64, m)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for j := range y {
			y[j] = rng.NormFloat64()
		}
		for k := range cost.Data {
			d := x[k/m] - y[k%m]
			c := [5]float64{rng.Float64(), d * d, float64(rng.IntN(10)), 1, -1e30 * rng.Float64()}[i%5]
			narrow.Data[k] = float32(c)
			cost.Data[k] = float64(narrow.Data[k])
		}
		dst, dst32 := make([]int, n), make([]int, n)
		got, err := s.Assign(t.Context(), dst, cost)
		if err != nil {
			t.Fatal(err)
		}
		got32, err := s32.Assign(t.Context(), dst32, narrow)
		if err != nil || got32 != got || fmt.Sprint(dst) != fmt.Sprint(dst32) {
			t.Fatal(got, got32, err)
		}
		a, b := make([]float64, n), make([]float64, m)
		for i := range a {
			a[i] = 1
		}
		for j := range b {
			b[j] = 1
		}
		want, _ := solveAndProve(t, &s, &Problem[float64]{Cost: cost, A: a, B: b, Mass: float64(min(n, m))})
		if math.Abs(got-want) > 1e-13*math.Abs(want) {
			t.Fatalf("kind %d, %d × %d: %v, not %v", i%5, n, m, got, want)
		}
		used := map[int]bool{}
		for _, j := range dst {
			if j >= 0 && used[j] {
				t.Fatal("column", j, "is used twice")
			}
			used[j] = true
		}
	}
}

// TestEqualWeights checks that Solve needs no pivots for equal weights, because the initial assignment is optimal.
func TestEqualWeights(t *testing.T) {
	var s Solver[float64]
	for k, kind := range []string{"d2", "d10", "random", "whole"} {
		for _, n := range []int{1, 2, 7, 16, 50, 100} {
			cost := benchCosts(rand.New(rand.NewPCG(uint64(k), uint64(n))), n, kind)
			sum, err := s.Assign(t.Context(), make([]int, n), cost)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := solveAndProve(t, &s, &Problem[float64]{Cost: cost})
			if want := sum / float64(n); math.Abs(got-want) > 1e-14*want || s.work.result.Pivots > 0 {
				t.Errorf("%s, n = %d: %v, not %v; %d pivots", kind, n, got, want, s.work.result.Pivots)
			}
		}
	}
}

// TestDistance1D compares distances on a line with the costs of optimal plans, for many orders, weights and scales.
func TestDistance1D(t *testing.T) {
	t.Run("float64", func(t *testing.T) { distance1D[float64](t, 1e-13) })
	t.Run("float32", func(t *testing.T) { distance1D[float32](t, 1e-13) })
}

func distance1D[T dist.Float](t *testing.T, tolerance float64) {
	rng := rand.New(rand.NewPCG(49, 6))
	s := new(Solver[T])
	// Test many samples, with and without weights. Some samples differ only in their last bits.
	for _, spread := range []float64{1, 1e-5} {
		const n = 5000
		x, y, w := make([]T, n), make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i], w[i] = T(1+spread*rng.Float64()), T(1+spread*rng.Float64()), 1./n
		}
		sorted, other := slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))
		want := 0.
		for i := range sorted {
			want += math.Abs(float64(sorted[i])-float64(other[i])) / n
		}
		for _, w := range [][]T{nil, w} {
			if got, err := s.Distance1D(t.Context(), x, y, w, w, 1); err != nil || math.Abs(got-want) > 1e-11*want && num.IsFloat64[T]() || math.Abs(got-want) > 1e-6*want {
				t.Errorf("spread %v, %d weights: %v, not %v, %v", spread, len(w), got, want, err)
			}
		}
	}
	for i := range 120 {
		n, m := 1+rng.IntN(40), 1+rng.IntN(40)
		if i%3 == 0 {
			m = n
		}
		scale := math.Ldexp(1, [4]int{0, 0, -60, 60}[i%4])
		x, y := make([]T, n), make([]T, m)
		for i := range x {
			x[i] = T(rng.NormFloat64() * scale)
		}
		for j := range y {
			y[j] = T(rng.NormFloat64() * scale)
		}
		var a, b []T
		if i%2 == 0 {
			sum := 0.
			a, b = make([]T, n), make([]T, m)
			for i := range a {
				a[i] = T(rng.IntN(3))
				sum += float64(a[i])
			}
			a[0]++
			sum++
			for j := range b {
				b[j] = T(sum) / T(m)
			}
		}
		for _, p := range []float64{1, 2, 3, 1.5, math.Inf(1)} {
			got, err := s.Distance1D(t.Context(), x, y, a, b, p)
			if err != nil {
				t.Fatal(err)
			}
			if math.IsInf(p, 1) {
				high, err := s.Distance1D(t.Context(), x, y, a, b, 400)
				if err != nil || high > got*math.Pow(float64(n)*3, 1./400)*(1+1e-12) || high < got*math.Pow(0.001/float64(m), 1./400) {
					t.Fatalf("the largest difference is %v, W_400 %v, %v", got, high, err)
				}
				continue
			}
			cost := dist.NewMatrix[float64](n, m, nil)
			for k := range cost.Data {
				cost.Data[k] = math.Pow(math.Abs(float64(x[k/m])-float64(y[k%m]))/scale, p)
			}
			wide := func(w []T) (out []float64) {
				for _, x := range w {
					out = append(out, float64(x))
				}
				return out
			}
			r, err := new(Solver[float64]).Solve(t.Context(), &Problem[float64]{Cost: cost, A: wide(a), B: wide(b)})
			if err != nil {
				t.Fatal(err)
			}
			if want := math.Pow(r.Cost, 1/p) * scale; math.Abs(got-want) > tolerance*want {
				t.Fatalf("p = %v, %d and %d samples: %v, not %v", p, n, m, got, want)
			}
		}
	}
}

// TestSliced compares the sliced distance in one dimension with Distance1D, and the gradient with finite differences.
func TestSliced(t *testing.T) {
	// For equal points, the gradient of |x − y| is 0.
	at, dx := dist.NewMatrix(2, 1, []float64{1, 2}), dist.NewMatrix(2, 1, []float64{5, 5})
	if _, err := new(Solver[float64]).Sliced(t.Context(), dx, dist.NewMatrix(2, 1, []float64{5, 5}), &Problem[float64]{X: at, Y: at}, &SlicedOptions{Order: 1}); err != nil || dx.Data[0] != 0 || dx.Data[1] != 0 {
		t.Errorf("equal points: %v, %v", dx.Data, err)
	}
	rng := rand.New(rand.NewPCG(49, 7))
	cloud := func(n, d int) dist.Matrix[float64] {
		x := dist.NewMatrix[float64](n, d, nil)
		for k := range x.Data {
			x.Data[k] = rng.NormFloat64()
		}
		return x
	}
	var s Solver[float64]
	none := dist.Matrix[float64]{}
	x, y := cloud(30, 1), cloud(20, 1)
	got, err := s.Sliced(t.Context(), none, none, &Problem[float64]{X: x, Y: y}, nil)
	want, err2 := s.Distance1D(t.Context(), x.Data, y.Data, nil, nil, 2)
	if err := errors.Join(err, err2); err != nil || math.Abs(got-want) > 1e-14 {
		t.Error(got, want, err)
	}
	for _, order := range []float64{1, 2, 3, 1.5} {
		for _, weighted := range []bool{false, true} {
			p := &Problem[float64]{X: cloud(12, 3), Y: cloud(9, 3)}
			if weighted {
				p.A, p.B = make([]float64, 12), []float64{1, 2, 0, 1, 1, 3, 1, 2, 1}
				for i := range p.A {
					p.A[i] = 1
				}
			}
			o := &SlicedOptions{Directions: 20, Order: order, Seed: 5}
			dx, dy := dist.NewMatrix[float64](12, 3, nil), dist.NewMatrix[float64](9, 3, nil)
			if _, err := s.Sliced(t.Context(), dx, dy, p, o); err != nil {
				t.Fatal(err)
			}
			for _, at := range []struct{ points, gradient []float64 }{{p.X.Data, dx.Data}, {p.Y.Data, dy.Data}} {
				for k := range at.points {
					const h = 1e-6
					value := func(h float64) float64 {
						old := at.points[k]
						at.points[k] += h
						w, err := s.Sliced(t.Context(), none, none, p, o)
						if err != nil {
							t.Fatal(err)
						}
						at.points[k] = old
						return math.Pow(w, order)
					}
					if slope := (value(h) - value(-h)) / (2 * h); math.Abs(slope-at.gradient[k]) > 1e-7 {
						t.Fatalf("order %v, weights %v, coordinate %d: the gradient is %v, differences give %v", order, weighted, k, at.gradient[k], slope)
					}
				}
			}
		}
	}
	p := &Problem[float64]{X: x, Y: y}
	first, err := s.Sliced(t.Context(), none, none, &Problem[float64]{X: cloud(5, 4), Y: cloud(6, 4)}, &SlicedOptions{Seed: 1})
	if err != nil || first <= 0 {
		t.Error(first, err)
	}
	if _, err := s.Sliced(ending.At(4), none, none, p, nil); !errors.Is(err, ending.ErrAt) {
		t.Error(err)
	}
}

// TestBatch checks that SolveBatch returns the same costs as Solve and visits every problem.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 8))
	problems := make([]Problem[float64], 40)
	want := make([]float64, len(problems))
	s, err := NewSolver[float64](&Settings{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range problems {
		problems[i].Cost = dist.NewMatrix[float64](1+rng.IntN(20), 1+rng.IntN(20), nil)
		for k := range problems[i].Cost.Data {
			problems[i].Cost.Data[k] = rng.Float64()
		}
		r, err := s.Solve(t.Context(), &problems[i])
		if err != nil {
			t.Fatal(err)
		}
		want[i] = r.Cost
	}
	problems[7].Mass = -1
	visited := make([]bool, len(problems))
	if err := s.SolveBatch(t.Context(), problems, func(i int, r *Result[float64], err error) {
		visited[i] = true
		if i == 7 {
			if !errors.Is(err, ErrMarginals) {
				t.Error(err)
			}
		} else if err != nil || r.Cost != want[i] {
			t.Errorf("problem %d: %v, not %v", i, r.Cost, want[i])
		}
	}); err != nil {
		t.Fatal(err)
	}
	for i, v := range visited {
		if !v {
			t.Errorf("problem %d was not visited", i)
		}
	}
	if err := s.SolveBatch(ending.At(6), problems, func(int, *Result[float64], error) {}); !errors.Is(err, ending.ErrAt) {
		t.Error(err)
	}
}

// TestAllocations checks that a Solver does not allocate after it has solved its largest problem.
func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 9))
	const n = 50
	x, y := dist.NewMatrix[float64](n, 3, nil), dist.NewMatrix[float64](n, 3, nil)
	for k := range x.Data {
		x.Data[k], y.Data[k] = rng.Float64(), rng.Float64()
	}
	cost := dist.NewMatrix[float64](n, n, nil)
	dist.SqEuclidean(cost, x, y)
	var s Solver[float64]
	dst, plan := make([]int, n), dist.NewMatrix[float64](n, n, nil)
	ctx := t.Context()
	for name, f := range map[string]func() error{
		"Solve": func() error {
			r, err := s.Solve(ctx, &Problem[float64]{X: x, Y: y})
			return errors.Join(err, r.PlanTo(ctx, plan, 0))
		},
		"Assign":     func() error { _, err := s.Assign(ctx, dst, cost); return err },
		"Distance1D": func() error { _, err := s.Distance1D(ctx, x.Data, y.Data, nil, nil, 1); return err },
	} {
		if allocs := testing.AllocsPerRun(5, func() {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
