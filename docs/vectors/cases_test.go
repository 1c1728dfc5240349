package vectors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/vecmath"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

// randomValues returns n pseudorandom numbers in [−1, 1). They are multiples of 2⁻²⁰, so float32 and float64
// represent them exactly.
func randomValues[T number](rng *rand.Rand, n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(rng.IntN(1<<21)-1<<20) / (1 << 20)
	}
	return v
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// typed sets the element type of all cases, and returns the float64 cases followed by the float32 cases.
func typed(of64, of32 []testCase) []testCase {
	for i := range of64 {
		of64[i].Type = "float64"
	}
	for i := range of32 {
		of32[i].Type = "float32"
	}
	return append(of64, of32...)
}

func matrixOf[T number](a array) dist.Matrix[T] {
	return dist.NewMatrix(a.Shape[0], a.Shape[1], unpack[T](a))
}

func packMatrix[T number](m dist.Matrix[T]) array { return pack(m.Data, m.Rows, m.Cols) }

func scalar[T number](x T) array { return pack([]T{x}) }

// exp

func expCases() []testCase { return typed(expOf[float64](1100), expOf[float32](150)) }

func expOf[T number](beyond T) []testCase {
	rng := newRand(1)
	few := randomValues[T](rng, 32)
	wide, low := make([]T, 32), make([]T, 16)
	for i, x := range randomValues[T](rng, len(wide)) {
		wide[i] = x * beyond / 2
	}
	for i, x := range randomValues[T](rng, len(low)) {
		low[i] = -beyond/1.5 + x*beyond/32
	}
	inf := T(math.Inf(1))
	special := []T{0, T(math.Copysign(0, -1)), inf, -inf, T(math.NaN()), 1, -1, 0.5, beyond, -beyond, T(math.Ln2), -T(math.Ln2), 1e-30, -1e-30, 88.75, 709.75, -87.25, -103.5, -708.25, -745}
	one := func(comment string, x []T) testCase {
		return testCase{Comment: comment, Inputs: map[string]array{"x": pack(x, len(x))}}
	}
	return []testCase{one("between -1 and 1", few), one("all results", wide), one("subnormal results and 0", low), one("special values and the ends of the range", special)}
}

func runExp[T number](c *testCase) (map[string]array, error) {
	x := unpack[T](c.Inputs["x"])
	y := make([]T, len(x))
	exp.Exp(y, x)
	return map[string]array{"y": pack(y, len(y))}, nil
}

// softmax

func softmaxCases() []testCase { return typed(softmaxOf[float64](40, 708), softmaxOf[float32](16, 87)) }

func softmaxOf[T number](far, least T) []testCase {
	rng := newRand(8)
	var out []testCase
	one := func(comment string, x []T) {
		out = append(out, testCase{Comment: comment, Inputs: map[string]array{"x": pack(x, len(x))}})
	}
	for _, n := range []int{1, 2, 7, 16, 33, 70, 150} {
		x := randomValues[T](rng, n)
		for i := range x {
			x[i] = 10*x[i] - 5
		}
		one(fmt.Sprintf("%d elements", n), x)
	}
	inf, zero := T(math.Inf(1)), T(0)
	one("the largest element is not in the sum: the logarithm is that of the others", []T{0, -far})
	one("zeros of both signs are equal", []T{zero, -zero, -zero, -1})
	one("equal elements", []T{3, 3, 3, 3, 3, -far, 3})
	one("elements at the limit below which an exponential is 0", []T{1, 1 - least, -least, 0.5 - least, -1000, -inf})
	one("no element but -infinity", []T{-inf, -inf})
	one("an infinite largest element", []T{1, inf, 2})
	one("NaN", []T{1, T(math.NaN()), 2})
	one("several blocks; the largest element is in the last one", randomValues[T](rng, 20))
	out[len(out)-1].Settings = map[string]string{"repeat": "230", "step": "0.03125"}
	return out
}

func runSoftmax[T number](c *testCase) (map[string]array, error) {
	x := unpack[T](c.Inputs["x"])
	if c.Settings != nil {
		count, errCount := strconv.Atoi(c.Settings["repeat"])
		step, errStep := strconv.ParseFloat(c.Settings["step"], 64)
		if err := errors.Join(errCount, errStep); err != nil {
			return nil, err
		}
		var long []T
		for k := range count {
			for _, v := range x {
				long = append(long, v+T(T(k)*T(step)))
			}
		}
		return map[string]array{"logsumexp": scalar(vecmath.LogSumExp(long))}, nil
	}
	lse := scalar(vecmath.LogSumExp(x))
	y, log := make([]T, len(x)), make([]T, len(x))
	vecmath.Softmax(y, x)
	vecmath.LogSoftmax(log, x)
	return map[string]array{"logsumexp": lse, "softmax": pack(y, len(y)), "logsoftmax": pack(log, len(log))}, nil
}

// distances

func distanceCases() []testCase { return typed(distancesOf[float64](), distancesOf[float32]()) }

func distancesOf[T number]() []testCase {
	rng := newRand(2)
	var out []testCase
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {4, 9, 3}, {6, 4, 5}, {7, 11, 8}} {
		x, z := randomValues[T](rng, s[0]*s[2]), randomValues[T](rng, s[1]*s[2])
		out = append(out, testCase{Comment: fmt.Sprintf("%d and %d points of %d coordinates", s[0], s[1], s[2]), Inputs: map[string]array{"x": pack(x, s[0], s[2]), "z": pack(z, s[1], s[2])}})
	}
	one := func(comment string, x, z []T) testCase {
		return testCase{Comment: comment, Inputs: map[string]array{"x": pack(x, len(x)/2, 2), "z": pack(z, len(z)/2, 2)}}
	}
	huge := 1000
	if _, narrow := any(T(0)).(float32); narrow {
		huge = 100
	}
	large, tiny := T(math.Ldexp(1, huge)), T(math.Ldexp(1, -huge))
	return append(out,
		one("equal points have the distance 0", []T{0.25, -3, 7, 7}, []T{0.25, -3, 7, 7}),
		one("close points far from 0: differences are taken first", []T{1e6, 1e6}, []T{1e6 + 0.5, 1e6 - 0.25}),
		one("squares beyond the range are infinite", []T{large, 0}, []T{-large, 0, 0, 1}),
		one("squares below the range are 0", []T{tiny, 0}, []T{-tiny, 0, 0, 1}))
}

func runDistance[T number](c *testCase) (map[string]array, error) {
	x, z := matrixOf[T](c.Inputs["x"]), matrixOf[T](c.Inputs["z"])
	d := dist.NewMatrix[T](x.Rows, z.Rows, nil)
	dist.SqEuclidean(d, x, z)
	return map[string]array{"d": packMatrix(d)}, nil
}

// pairs

func pairCases() []testCase { return typed(pairsOf[float64](), pairsOf[float32]()) }

func pairsOf[T number]() []testCase {
	rng := newRand(7)
	var out []testCase
	for _, n := range []int{1, 2, 3, 7, 16, 33, 65, 130} {
		out = append(out, testCase{Comment: fmt.Sprintf("%d elements", n), Inputs: map[string]array{"x": pack(randomValues[T](rng, n), n), "y": pack(randomValues[T](rng, n), n)}})
	}
	one := func(comment string, x, y []T) testCase {
		return testCase{Comment: comment, Inputs: map[string]array{"x": pack(x, len(x)), "y": pack(y, len(y))}}
	}
	huge := 1000
	if _, narrow := any(T(0)).(float32); narrow {
		huge = 120
	}
	large, tiny, zero := T(math.Ldexp(1, huge)), T(math.Ldexp(1, -huge)), T(0)
	return append(out,
		one("no elements: all sums are +0", nil, nil),
		one("zeros of both signs: products alone give -0", []T{zero, -zero}, []T{-1, 1}),
		one("squares beyond the range: the cosine and the norm are right", []T{large, large}, []T{large, -2 * large}),
		one("squares below the range: the cosine and the norm are right", []T{3 * tiny, 4 * tiny}, []T{tiny, tiny}))
}

func runPairs[T number](c *testCase) (map[string]array, error) {
	x, y := unpack[T](c.Inputs["x"]), unpack[T](c.Inputs["y"])
	return map[string]array{
		"dot": scalar(vecmath.Dot(x, y)), "sqeuclidean": scalar(vecmath.SqEuclidean(x, y)), "manhattan": scalar(vecmath.Manhattan(x, y)),
		"cosine": scalar(vecmath.CosineSimilarity(x, y)), "norm": scalar(vecmath.Norm(x)), "sum": scalar(vecmath.Sum(x)),
	}, nil
}

// compact

func compactCases() (out []testCase) {
	rng := newRand(8)
	vectors := func(comment string, x, y []float32) {
		out = append(out, testCase{Type: "float32", Comment: comment, Inputs: map[string]array{"x": pack(x, len(x)), "y": pack(y, len(y))}})
	}
	for _, n := range []int{0, 1, 15, 16, 17, 64, 100, 200, 500} {
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = float32(rng.IntN(256)-128), float32(rng.IntN(256)-128)
		}
		vectors(fmt.Sprintf("%d bytes", n), x, y)
	}
	least, most := make([]float32, 64), make([]float32, 64)
	for i := range least {
		least[i], most[i] = -128, 127
	}
	vectors("the largest products", least, least)
	vectors("the largest differences", least, most)
	for _, n := range []int{1, 9, 32} {
		out = append(out, testCase{Type: "float32", Comment: fmt.Sprintf("%d numbers", n), Inputs: map[string]array{"v": pack(randomValues[float32](rng, n), n)}})
	}
	special := []float32{0, float32(math.Copysign(0, -1)), 65504, 65519, 65520, 0x1p-24, 0x1p-25, 0x1.8p-25, -0x1.002p0, 0x1.006p0, 0x1p-149, 3e38}
	return append(out, testCase{Type: "float32", Comment: "ties, subnormal numbers and overflow", Inputs: map[string]array{"v": pack(special, len(special))}})
}

func runCompact(c *testCase) (map[string]array, error) {
	if v, ok := c.Inputs["v"]; ok {
		x := unpack[float32](v)
		quantized, signs, half := make([]int8, len(x)), make([]byte, (len(x)+7)/8), make([]uint16, len(x))
		scale := vecmath.QuantizeInt8(quantized, x)
		vecmath.SignBits(signs, x)
		negative := make([]float32, len(x))
		for i := range negative {
			negative[i] = float32(signs[i/8] >> (i % 8) & 1)
		}
		out := map[string]array{"scale": scalar(scale), "int8": packIntegers(quantized), "negative": pack(negative, len(x))}
		vecmath.ToFloat16(half, x)
		out["float16"] = packIntegers(half)
		vecmath.ToBFloat16(half, x)
		out["bfloat16"] = packIntegers(half)
		return out, nil
	}
	var bytes [2][]int8
	var bits [2][]byte
	for i, name := range []string{"x", "y"} {
		for _, v := range unpack[float32](c.Inputs[name]) {
			bytes[i], bits[i] = append(bytes[i], int8(v)), append(bits[i], byte(int8(v)))
		}
	}
	return map[string]array{
		"dot":         scalar(float32(vecmath.DotInt8(bytes[0], bytes[1]))),
		"sqeuclidean": scalar(float32(vecmath.SqEuclideanInt8(bytes[0], bytes[1]))),
		"hamming":     scalar(float32(vecmath.Hamming(bits[0], bits[1]))),
	}, nil
}

// packIntegers returns an array of float32 numbers that are equal to the integers x.
func packIntegers[T int8 | uint16](x []T) array {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return pack(out, len(out))
}

func gibbsCases() []testCase { return typed(gibbsOf[float64](), gibbsOf[float32]()) }

func gibbsOf[T number]() []testCase {
	var out []testCase
	for _, lambda := range []T{1, 0.125, 30} {
		for _, c := range distancesOf[T]()[1:6] {
			c.Comment += fmt.Sprintf(", lambda = %v", lambda)
			c.Inputs["lambda"] = scalar(lambda)
			out = append(out, c)
		}
	}
	return out
}

func runGibbs[T number](c *testCase) (map[string]array, error) {
	x, z := matrixOf[T](c.Inputs["x"]), matrixOf[T](c.Inputs["z"])
	k := dist.NewMatrix[T](x.Rows, z.Rows, nil)
	dist.Gibbs(k, x, z, unpack[T](c.Inputs["lambda"])[0])
	return map[string]array{"k": packMatrix(k)}, nil
}

// Sinkhorn

func sinkhornCases() []testCase { return typed(sinkhornOf[float64](), sinkhornOf[float32]()) }

func sinkhornOf[T number]() []testCase {
	rng := newRand(3)
	weights := func(n int) []T { // multiples of 1/64 whose sum is 1
		w := make([]T, n)
		for i := range w {
			w[i] = 1. / 64
		}
		for range 64 - n {
			w[rng.IntN(n)] += 1. / 64
		}
		return w
	}
	var out []testCase
	for _, s := range []struct {
		comment          string
		n, m, d          int
		lambda           T
		weights          bool
		iterations       string
		tolerance, start string
	}{
		{"uniform weights", 5, 7, 2, 1, false, "10", "", ""},
		{"weights", 6, 4, 3, 2, true, "10", "", ""},
		{"one iteration", 3, 3, 1, 5, true, "1", "", ""},
		{"100 iterations", 9, 8, 4, 8, true, "100", "", ""},
		{"one point on one side", 1, 5, 2, 3, true, "3", "", ""},
		{"large lambda, in the log domain", 5, 6, 2, 2000, true, "50", "", ""},
		{"to a tolerance", 8, 6, 2, 20, true, "10000", "1e-5", ""},
	} {
		c := testCase{Comment: s.comment, Settings: map[string]string{"iterations": s.iterations}, Inputs: map[string]array{
			"x": pack(randomValues[T](rng, s.n*s.d), s.n, s.d), "y": pack(randomValues[T](rng, s.m*s.d), s.m, s.d), "lambda": scalar(s.lambda)}}
		if s.tolerance != "" {
			c.Settings["tolerance"] = s.tolerance
		}
		if s.weights {
			c.Inputs["a"], c.Inputs["b"] = pack(weights(s.n), s.n), pack(weights(s.m), s.m)
		}
		out = append(out, c)
	}
	cost := randomValues[T](rng, 4*6)
	for i := range cost {
		cost[i] = (cost[i] + 1) * 2
	}
	return append(out, testCase{Comment: "a matrix of costs", Settings: map[string]string{"iterations": "20"}, Inputs: map[string]array{
		"cost": pack(cost, 4, 6), "a": pack(weights(4), 4), "b": pack(weights(6), 6), "lambda": scalar(T(3))}})
}

func runSinkhorn[T number](c *testCase) (map[string]array, error) {
	p := &sinkhorn.Problem[T]{Lambda: float64(unpack[T](c.Inputs["lambda"])[0])}
	if m, ok := c.Inputs["cost"]; ok {
		p.Cost = matrixOf[T](m)
	} else {
		p.X, p.Y = matrixOf[T](c.Inputs["x"]), matrixOf[T](c.Inputs["y"])
	}
	if a, ok := c.Inputs["a"]; ok {
		p.A, p.B = unpack[T](a), unpack[T](c.Inputs["b"])
	}
	var set sinkhorn.Settings
	var err error
	if set.Iterations, err = strconv.Atoi(c.Settings["iterations"]); err != nil {
		return nil, err
	}
	if t, ok := c.Settings["tolerance"]; ok {
		if set.Tolerance, err = strconv.ParseFloat(t, 64); err != nil {
			return nil, err
		}
	}
	solver, err := sinkhorn.NewSolver[T](&set)
	if err != nil {
		return nil, err
	}
	r, err := solver.Solve(context.Background(), p)
	if err != nil {
		return nil, err
	}
	n, m := p.X.Rows, p.Y.Rows
	if !p.Cost.IsEmpty() {
		n, m = p.Cost.Rows, p.Cost.Cols
	}
	plan, f, g := dist.NewMatrix[T](n, m, nil), make([]T, n), make([]T, m)
	if err := r.PlanTo(context.Background(), plan, 0); err != nil {
		return nil, err
	}
	if err := r.PotentialsTo(f, g); err != nil {
		return nil, err
	}
	return map[string]array{"cost": scalar(float64(r.Cost)), "plan": packMatrix(plan), "f": pack(f, n), "g": pack(g, m)}, nil
}

// Wasserstein discriminant analysis

// classes returns random samples of several classes with different means, and their labels.
func classes(seed uint64, d int, sizes ...int) (array, []int) {
	rng := newRand(seed)
	var x []float64
	var labels []int
	for c, n := range sizes {
		mean := randomValues[float64](rng, d)
		for range n {
			for j, v := range randomValues[float64](rng, d) {
				x = append(x, mean[j]+v/2)
			}
			labels = append(labels, c)
		}
	}
	return pack(x, len(labels), d), labels
}

func denseOf(a array) *mat.Dense { return mat.NewDense(a.Shape[0], a.Shape[1], unpack[float64](a)) }

func packDense(m mat.Matrix) array {
	d := mat.DenseCopyOf(m)
	r, c := d.Dims()
	return pack(d.RawMatrix().Data, r, c)
}

// withSettings returns cases with the same samples and different settings.
func withSettings(inputs map[string]array, labels []int, settings ...map[string]string) []testCase {
	var out []testCase
	for _, s := range settings {
		comment := ""
		for _, k := range []string{"method", "whitening", "lambda", "shrinkage", "weights", "iterations", "float32", "standardize"} {
			if v, ok := s[k]; ok {
				comment += fmt.Sprintf("%s %s, ", k, v)
			}
		}
		out = append(out, testCase{Comment: comment + fmt.Sprintf("%d rows", len(labels)), Type: "float64", Settings: s, Labels: labels, Inputs: inputs})
	}
	return out
}

// objectiveOf returns the objective that the settings of a test case describe.
func objectiveOf(s map[string]string) (wda.Objective, error) {
	var o wda.Objective
	lambda, err := strconv.ParseFloat(s["lambda"], 64)
	if err != nil {
		return o, err
	}
	rho, err := strconv.ParseFloat(s["shrinkage"], 64)
	if err != nil {
		return o, err
	}
	if o.Iterations, err = strconv.Atoi(s["iterations"]); err != nil {
		return o, err
	}
	o.Lambda, o.Shrinkage = wda.RelativeLambda(lambda), wda.FixedShrinkage(rho)
	if s["lambda is"] == "absolute" {
		o.Lambda = wda.AbsoluteLambda(lambda)
	}
	o.Proportional, o.Float32 = s["weights"] == "proportional", s["float32"] == "true"
	return o, nil
}

func objectiveCases() []testCase {
	x, labels := classes(4, 5, 6, 5, 7)
	inputs := map[string]array{"x": x, "p": pack([]float64{0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0, 0}, 5, 2)}
	return withSettings(inputs, labels,
		map[string]string{"lambda": "1", "shrinkage": "0", "iterations": "10"},
		map[string]string{"lambda": "0.1", "shrinkage": "1", "iterations": "10"},
		map[string]string{"lambda": "3", "lambda is": "absolute", "shrinkage": "0.5", "iterations": "20", "weights": "proportional"},
		map[string]string{"lambda": "1", "shrinkage": "1", "iterations": "10", "float32": "true"})
}

func runObjective(c *testCase) (map[string]array, error) {
	o, err := objectiveOf(c.Settings)
	if err != nil {
		return nil, err
	}
	s, err := wda.Score(context.Background(), denseOf(c.Inputs["x"]), c.Labels, denseOf(c.Inputs["p"]), &wda.Scoring{Objective: o})
	if err != nil {
		return nil, err
	}
	return map[string]array{"objective": scalar(s.Objective), "between": scalar(s.Between), "within": scalar(s.Within), "ridge": scalar(s.Ridge), "gradient": packDense(s.Gradient)}, nil
}

func fitCases() []testCase {
	x, labels := classes(5, 6, 9, 8, 10)
	fixed := func(method, whitening string, more ...string) map[string]string {
		s := map[string]string{"method": method, "whitening": whitening, "lambda": "1", "shrinkage": "1", "iterations": "10", "steps": "6"}
		for i := 0; i < len(more); i += 2 {
			s[more[i]] = more[i+1]
		}
		return s
	}
	out := withSettings(map[string]array{"x": x}, labels,
		fixed("cg", "none"), fixed("auto", "none"), fixed("sd", "diagonal:0.5"), fixed("eigen", "none"), fixed("principal", "spherical:0.5"), fixed("fisher", "diagonal:0.5"),
		fixed("cg", "none", "float32", "true"), fixed("cg", "none", "standardize", "true", "weights", "proportional"),
		map[string]string{"all": "default"})
	out[len(out)-1].Comment = "default settings, chosen from the rows"
	wide, few := classes(6, 8, 2, 3)
	return append(out, withSettings(map[string]array{"x": wide}, few, fixed("cg", "none"))...)
}

func runFit(c *testCase) (map[string]array, error) {
	set := wda.Settings{Components: 2}
	if c.Settings["all"] != "default" {
		var err error
		if set.Objective, err = objectiveOf(c.Settings); err != nil {
			return nil, err
		}
		if set.Optimizer.Method, err = wda.ParseMethod(c.Settings["method"]); err != nil {
			return nil, err
		}
		if err = set.Data.Whitening.UnmarshalText([]byte(c.Settings["whitening"])); err != nil {
			return nil, err
		}
		if set.Optimizer.MaxSteps, err = strconv.Atoi(c.Settings["steps"]); err != nil {
			return nil, err
		}
		set.Data.Standardize = c.Settings["standardize"] == "true"
		set.Scale, set.Leading, set.Optimizer.Starts = wda.ScaleOrthonormal, 2, 1
	}
	m, err := wda.Fit(context.Background(), denseOf(c.Inputs["x"]), c.Labels, &set)
	if err != nil {
		return nil, err
	}
	return map[string]array{"projection": packDense(m.Projection()), "mean": pack(m.Mean(), c.Inputs["x"].Shape[1]), "objective": scalar(m.Report().Objective)}, nil
}
