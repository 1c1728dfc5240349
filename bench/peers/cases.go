package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// spec is the parsed name of a case. The name has the form kind/key=value/key=value.
type spec struct {
	kind   string
	values map[string]string
}

func parseSpec(text string) spec {
	kind, rest, _ := strings.Cut(text, "/")
	s := spec{kind, map[string]string{}}
	for _, kv := range strings.Split(rest, "/") {
		k, v, _ := strings.Cut(kv, "=")
		s.values[k] = v
	}
	return s
}

func (s spec) text(key string) string { return s.values[key] }

// int and float return the value of a key, or 0 if the case does not have the key.
func (s spec) int(key string) int {
	n, _ := strconv.Atoi(s.values[key])
	return n
}

func (s spec) float(key string) float64 {
	x, _ := strconv.ParseFloat(s.values[key], 64)
	return x
}

// assignments returns the number of cost matrices that a measurement of n × n assignments uses. With only one small matrix,
// the branch predictor would learn the whole computation.
func assignments(n int) int {
	if n < 256 {
		return 4096 / n
	}
	return 1
}

// assigners names the peers that solve assignment problems.
const assigners = "scipy|lapjv|lapjvx|lapjvc|lapjvs|lapjvh|lapjvr"

// goal is the speed ratio that monge should reach against the fastest of the given peers. peers contains their names, separated
// by vertical bars; an empty string means all peers. avx512 is the ratio for AVX-512, and other is the ratio for all other
// instruction sets. A ratio of 0 means that there is no goal.
type goal struct {
	peers         string
	avx512, other float64
}

func (g goal) ratioAt(level string) float64 {
	if level == "avx512" {
		return g.avx512
	}
	return g.other
}

// goalAgainst returns a goal with the same speed ratio for every instruction set.
func goalAgainst(peers string, ratio float64) goal { return goal{peers, ratio, ratio} }

// everyPeer is the default goal: monge is at least as fast as every peer.
var everyPeer = goalAgainst("", 1)

type testCase struct {
	name      string
	goal      goal
	tolerance float64 // largest accepted difference of results, relative to the largest element; for exp, relative to each element
	full      bool    // the case runs only with -full
	slow      string  // name of a peer that runs only with -full
}

// testCases returns all cases with their goals.
func testCases() []testCase {
	var cs []testCase
	add := func(full bool, tolerance float64, g goal, format string, args ...any) {
		cs = append(cs, testCase{name: fmt.Sprintf(format, args...), goal: g, tolerance: tolerance, full: full})
	}
	types := map[string]float64{"f64": 1e-9, "f32": 1e-3} // peers that compute ‖x‖² + ‖y‖² − 2x·y lose most digits of float32
	each := func(f func(typ string, tolerance float64)) {
		for _, typ := range []string{"f64", "f32"} {
			f(typ, types[typ])
		}
	}

	add(false, 2e-15, everyPeer, "exp/type=f64/n=1024")
	add(false, 1e-6, everyPeer, "exp/type=f32/n=1024")
	for _, kind := range []string{"log", "softmax", "logsumexp"} {
		add(false, 2e-14, everyPeer, "%s/type=f64/n=1024", kind)
		add(false, 1e-5, everyPeer, "%s/type=f32/n=1024", kind)
	}
	each(func(typ string, tol float64) {
		for _, d := range []int{2, 10, 32, 64, 256, 784, 4096} {
			add(d == 32 || d == 256 || d == 4096, tol, everyPeer, "sqdist/type=%s/n=1000/d=%d", typ, d)
		}
		add(false, tol, everyPeer, "sqdist/type=%s/n=100/d=10", typ)
	})
	each(func(typ string, tol float64) {
		for _, d := range []int{2, 10, 64, 784} {
			add(false, 10*tol, everyPeer, "gibbs/type=%s/n=1000/d=%d/lambda=%.3g", typ, d, 1/float64(d))
		}
	})
	each(func(typ string, tol float64) {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			add(false, tol, everyPeer, "iterate/type=%s/n=%d/lambda=20", typ, n)
		}
	})
	for _, kind := range []string{"sinkhorn", "sinkhornlog"} {
		each(func(typ string, tol float64) {
			for _, n := range []int{64, 256, 1000, 4000} {
				add(kind == "sinkhornlog" && n == 4000, tol, everyPeer, "%s/type=%s/n=%d/lambda=20/iters=100", kind, typ, n)
			}
		})
	}
	for _, n := range []int{8, 16, 32} {
		add(false, 1e-6, everyPeer, "tiny/type=f64/count=1000/n=%d/lambda=2/iters=10", n)
	}
	for _, n := range []int{256, 1000} {
		add(false, 1e-6, everyPeer, "many/type=f64/count=16/n=%d/lambda=20/iters=100", n)
	}
	each(func(typ string, tol float64) {
		add(true, tol, everyPeer, "free/type=%s/n=10000/d=3/lambda=20/iters=5", typ)
	})
	for _, n := range []int{16, 64, 256, 512, 1000, 2000, 4000} {
		// For n from 256 to 2000 the goal is three times the speed of POT. For other n it is the speed of POT.
		want := 1.
		if 256 <= n && n <= 2000 {
			want = 3
		}
		for _, d := range []int{2, 10} {
			for _, weights := range []string{"uniform", "random"} {
				add(n >= 2000, 1e-9, goalAgainst("pot", want), "emd/type=f64/n=%d/d=%d/weights=%s", n, d, weights)
			}
		}
	}
	for _, count := range []int{1000, 100_000} {
		add(count > 1000, 1e-9, goalAgainst("pot", 10), "emdtiny/type=f64/count=%d/n=16/d=2", count)
	}
	for _, n := range []int{16, 64, 256, 1000, 2000, 4000} {
		for _, costs := range []string{"points/d=2", "points/d=10", "random", "whole"} {
			add(n >= 2000, 1e-9, goalAgainst(assigners, 1), "assign/type=f64/count=%d/n=%d/costs=%s", assignments(n), n, costs)
		}
	}
	for _, n := range []int{1000, 1_000_000} {
		for _, order := range []int{1, 2} {
			add(false, 1e-9, goalAgainst("pot|scipy", 5), "line/type=f64/n=%d/order=%d", n, order)
		}
	}
	// The tolerance is large, because monge and POT draw different random directions.
	add(false, 0.02, goalAgainst("pot", 5), "sliced/type=f64/n=1000/d=64/directions=100")
	add(false, 1e-12, everyPeer, "lse/type=f64/n=1000")
	add(false, 1e-5, everyPeer, "lse/type=f32/n=1000")
	each(func(typ string, tol float64) {
		for _, s := range [][3]int{{1000, 784, 10}, {1000, 784, 20}, {500, 4096, 14}} {
			add(false, tol, everyPeer, "project/type=%s/n=%d/d=%d/p=%d", typ, s[0], s[1], s[2])
		}
	})
	const mnist = "type=f64/n=1000/d=784/p=10/classes=10/iters=10/lambda=1"
	const wide = "type=f64/n=500/d=4096/p=14/classes=10/iters=10/lambda=1"
	each(func(typ string, _ float64) {
		for _, of := range []string{"dot", "sqeuclidean", "cosine", "norm", "manhattan", "sum"} {
			for _, n := range []int{4, 16, 64, 128, 384, 768, 1536, 4096} {
				g := goalAgainst("naive|gonum|vek|tphakala|floats|kelindar", 0.97) // without cgo
				if n < 16 {
					g = goal{}
				}
				add(n == 4 || n == 16 || of == "manhattan" || of == "sum", 1e-4, g, "pair/type=%s/of=%s/n=%d", typ, of, n)
			}
		}
	})
	for _, of := range []string{"dot", "sqeuclidean", "hamming"} {
		for _, n := range []int{64, 256, 768, 1536, 4096} {
			g := goalAgainst("naive", 4)
			if n < 256 {
				g = goal{}
			}
			add(false, 1e-7, g, "bytes/type=f32/of=%s/n=%d", of, n) // the peer NumKong rounds squared distances to float32
		}
	}
	for _, of := range []string{"int8", "signs", "float16", "bfloat16"} {
		for _, n := range []int{256, 768, 1536} {
			g, tol := goalAgainst("naive|tphakala|x448", 0.97), 0.0 // without cgo
			if of == "int8" {
				tol = 0.01 // monge's scale has only 17 bits, so some results may differ by 1
			}
			add(false, tol, g, "convert/type=f32/of=%s/n=%d", of, n)
		}
	}
	for _, n := range []int{1_000, 100_000} {
		for _, d := range []int{128, 384, 768, 1536} {
			large := n*d > 5e7 // small machines lack the memory for these cases, because every program has its own copy of the data
			g := everyPeer
			if n > 1000 { // the rows do not fit in the caches
				g = goalAgainst("", 0.95)
			}
			add(large, 1e-5, g, "query/type=f32/n=%d/d=%d", n, d)
			add(large, 1e-5, g, "nearest/type=f32/n=%d/d=%d/k=10", n, d)
		}
	}
	const flat = "faiss|faiss20"
	for _, c := range []struct {
		n, d, m int
		goal    goal
		full    bool
	}{
		{100_000, 128, 1, goal{flat, 2.5, 2}, false}, {100_000, 128, 10, goal{flat, 7, 4}, false},
		{100_000, 128, 100, goal{flat, 4, 2}, false}, {100_000, 128, 1000, goal{flat, 4, 2}, false},
		{10_000, 384, 1, everyPeer, false}, {10_000, 384, 10, everyPeer, true}, {10_000, 384, 100, everyPeer, false}, {10_000, 384, 1000, everyPeer, true},
		{100_000, 768, 1, everyPeer, true}, {100_000, 768, 10, everyPeer, true}, {100_000, 768, 100, goal{flat, 4, 2}, true}, {100_000, 768, 1000, everyPeer, true},
		{1_000_000, 96, 1, goal{flat, 2.5, 2}, true}, {1_000_000, 96, 10, everyPeer, true}, {1_000_000, 96, 100, goal{flat, 4, 2}, true}, {1_000_000, 96, 1000, everyPeer, true},
	} {
		for _, of := range []string{"l2", "ip"} {
			add(c.full, 1e-4, c.goal, "search/type=f32/of=%s/data=gauss/n=%d/d=%d/m=%d/k=10", of, c.n, c.d, c.m)
		}
	}
	for _, m := range []int{1, 100, 1000} { // MNIST contains images of handwritten digits
		add(true, 1e-4, everyPeer, "search/type=f32/of=l2/data=mnist/n=69000/d=784/m=%d/k=10", m)
	}
	add(false, 1e-4, everyPeer, "search/type=f32/of=ip/data=decaf/n=432/d=4096/m=20/k=10")
	for _, n := range []int{10_000, 100_000} {
		// The codes of a row have 16 bytes. FAISS rounds the sums for 4-bit codes. The sums of monge are exact.
		add(false, 1e-5, everyPeer, "codes/type=f32/n=%d/d=32/m=16/bits=8/k=5", n)
		add(false, 5e-2, everyPeer, "codes/type=f32/n=%d/d=32/m=32/bits=4/k=5", n)
	}
	// The tolerance is large, because POT stores its weights in float32 and the f32 variants compute in float32.
	add(false, 1e-3, everyPeer, "wda/%s", mnist)
	add(false, 1e-3, everyPeer, "wda/%s", wide)
	for _, c := range []string{mnist, mnist + "/steps=40", wide} {
		// monge and POT minimize the same function, and a lower minimum is better. With steps=40, monge stops after 40
		// steps. Even then, monge finds a lower minimum than POT.
		add(false, 0, everyPeer, "fit/%s", c)
		cs[len(cs)-1].slow = "pot"
	}
	return cs
}

// generate writes the data of a case to the folder dir. The file x has the first operand. The file y has the second operand, if
// the case has two operands. Numbers are little-endian and have the type of the case. A case always has the same data.
func generate(s spec, dir, mnist string) error {
	rng := rand.New(rand.NewPCG(1, uint64(s.int("n"))<<20+uint64(s.int("d"))))
	n, d, p := s.int("n"), s.int("d"), s.int("p")
	normal := func(n int, sigma float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = sigma * rng.NormFloat64()
		}
		return x
	}
	weights := func() []float64 {
		w, sum := make([]float64, n), 0.
		for i := range w {
			if w[i] = 1; s.text("weights") == "random" {
				w[i] = rng.Float64()
			}
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		return w
	}
	var x, y []float64
	switch s.kind {
	case "emd":
		x, y = distances(normal(n*d, 1), normal(n*d, 1), n), append(weights(), weights()...)
	case "emdtiny":
		for range s.int("count") {
			x = append(x, distances(normal(n*d, 1), normal(n*d, 1), n)...)
		}
	case "assign":
		for range max(1, s.int("count")) {
			if s.text("costs") == "points" {
				x = append(x, distances(normal(n*d, 1), normal(n*d, 1), n)...)
				continue
			}
			for range n * n {
				c := rng.Float64()
				if s.text("costs") == "whole" {
					c = math.Floor(10 * c)
				}
				x = append(x, c)
			}
		}
	case "line":
		x, y = normal(n, 1), normal(n, 2)
	case "sliced": // the distance is about the same in every direction
		x, y = normal(n*d, 1), normal(n*d, 2)
	case "exp", "log", "softmax", "logsumexp":
		x = make([]float64, n)
		for i := range x {
			x[i] = 40*rng.Float64() - 20
			if s.kind == "log" {
				x[i] = math.Exp(x[i])
			}
		}
	case "sqdist", "gibbs":
		x, y = normal(n*d, 1), normal(n*d, 1)
	case "bytes": // signed numbers
		x, y = make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(rng.IntN(256)-128), float64(rng.IntN(256)-128)
		}
	case "convert": // one vector
		x = normal(n, 1)
	case "pair": // numbers of one sign, so that sums do not cancel
		x, y = make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = 1+rng.Float64(), 2+rng.Float64()
		}
	case "project":
		x, y = normal(n*d, 1), normal(d*p, 1)
	case "query", "nearest": // rows of length 1, as embeddings have
		x, y = normal(n*d, 1), normal(d, 1)
		for i := 0; i < len(x); i += d {
			toUnit(x[i:][:d])
		}
		toUnit(y)
	case "search":
		if x, y = storedData(s, mnist, rng); x == nil {
			x, y = normal(n*d, 1), normal(s.int("m")*d, 1)
		}
	case "codes": // y is a query and a codebook with a vector for each part in every column
		x, y = normal(n*d, 1), normal(d+d<<s.int("bits"), 1)
	case "free": // uniform points in the unit cube
		x, y = make([]float64, n*d), make([]float64, n*d)
		for i := range x {
			x[i], y[i] = rng.Float64(), rng.Float64()
		}
	case "lse":
		x = normal(n*n, 5)
	case "iterate":
		x = squares(rng, n)
		for i, m := range x {
			x[i] = math.Exp(-s.float("lambda") * m)
		}
	case "sinkhorn", "sinkhornlog":
		x = squares(rng, n)
	case "tiny":
		for range s.int("count") {
			x = append(x, squares(rng, n)...)
		}
	case "many":
		x = squares(rng, n)
		for range s.int("count") {
			b, sum := make([]float64, n), 0.0
			for j := range b {
				b[j] = 0.1 + rng.Float64()
				sum += b[j]
			}
			for _, w := range b {
				y = append(y, w/sum)
			}
		}
	case "wda", "fit":
		x = digits(mnist, rng, n, d, s.int("classes"))
		var err error
		if y, err = principal(x, n, d, p); err != nil {
			return err
		}
	}
	for name, v := range map[string][]float64{"x": x, "y": y} {
		if err := write(filepath.Join(dir, name), s.text("type"), v); err != nil {
			return err
		}
	}
	return nil
}

// storedData returns the rows x and the queries y of a search case with real data, in random order. It returns nil for other
// cases, or if the data file is missing.
func storedData(s spec, mnist string, rng *rand.Rand) (x, y []float64) {
	name := map[string]string{"mnist": "mnist.npz", "decaf": "office_webcam_dslr_decaf6.npz"}[s.text("data")]
	if name == "" {
		return nil, nil
	}
	n, m, path := s.int("n"), s.int("m"), filepath.Join(filepath.Dir(mnist), name)
	set, err := dataset.ReadFile(path, nil)
	if err == nil && len(set.Labels) < n+m {
		err = fmt.Errorf("%d rows instead of %d", len(set.Labels), n+m)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "peers: %s: %v; Gaussian data instead\n", path, err)
		return nil, nil
	}
	for j, i := range rng.Perm(len(set.Labels))[:n+m] {
		if row := mat.Row(nil, i, set.X); j < n {
			x = append(x, row...)
		} else {
			y = append(y, row...)
		}
	}
	return x, y
}

// toUnit scales the vector v to unit norm.
func toUnit(v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
}

// squares returns the squared distances between two sets of n uniform points in the unit square.
func squares(rng *rand.Rand, n int) []float64 {
	px, py := make([]float64, 2*n), make([]float64, 2*n)
	for i := range px {
		px[i], py[i] = rng.Float64(), rng.Float64()
	}
	x := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a, b := px[2*i]-py[2*j], px[2*i+1]-py[2*j+1]
			x[i*n+j] = float64(a*a) + float64(b*b)
		}
	}
	return x
}

// distances returns the squared distances between the n points x and the n points y.
func distances(x, y []float64, n int) []float64 {
	dst := dist.NewMatrix[float64](n, n, nil)
	dist.SqEuclidean(dst, dist.NewMatrix(n, len(x)/n, x), dist.NewMatrix(n, len(y)/n, y))
	return dst.Data
}

func write(path, typ string, x []float64) error {
	if x == nil {
		return nil
	}
	f, err := os.Create(path + "." + typ)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var data any = x
	if typ == "f32" {
		x32 := make([]float32, len(x))
		for i, v := range x {
			x32[i] = float32(v)
		}
		data = x32
	}
	if err := binary.Write(w, binary.LittleEndian, data); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// digits returns the first n/classes MNIST training digits of every class, sorted by class and scaled to [0, 1]. If the file is
// missing, it returns Gaussian clusters of the same shape. For d = 4096 it imitates DeCAF6 features, which come from a late layer
// of a neural network: about a sixth of the values are positive, and all other values are 0.
func digits(path string, rng *rand.Rand, n, d, classes int) []float64 {
	if d == 4096 {
		x, center := make([]float64, n*d), make([]float64, d)
		for i := range x {
			if i%(n/classes*d) == 0 {
				for k := range center {
					center[k] = .5*rng.NormFloat64() - 1.1
				}
			}
			x[i] = max(0, center[i%d]+rng.NormFloat64())
		}
		return x
	}
	if path != "" {
		set, err := dataset.ReadFile(path, nil)
		if err == nil {
			x := make([]float64, 0, n*d)
			for c := range classes {
				for i, found := 0, 0; found < n/classes && i < len(set.Labels); i++ {
					if set.Labels[i] == c && (set.Split == nil || set.Split[i] == 0) {
						x = append(x, mat.Row(nil, i, set.X)...)
						found++
					}
				}
			}
			if len(x) == n*d {
				most := slices.Max(x)
				for i := range x {
					x[i] /= most
				}
				return x
			}
		}
		fmt.Fprintf(os.Stderr, "peers: %s: %v; simulated data instead\n", path, err)
	}
	x, center := make([]float64, n*d), make([]float64, 0)
	for i := range x {
		if i%(n/classes*d) == 0 {
			center = center[:0]
			for range d {
				center = append(center, rng.Float64())
			}
		}
		x[i] = center[i%d] + .3*rng.NormFloat64()
	}
	return x
}

// principal returns the p leading principal components of x, as a d × p matrix.
func principal(x []float64, n, d, p int) ([]float64, error) {
	v, err := baseline.Fit(context.Background(), mat.NewDense(n, d, x), nil, p, baseline.PCA{})
	if err != nil {
		return nil, err
	}
	return v.RawMatrix().Data, nil
}
