// Package vectors contains test vectors: files with inputs and the expected bits of the results. Its tests
// compare the results of every instruction set with these files. The flag -update rewrites the files.
package vectors

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

var update = flag.Bool("update", false, "write the files anew")

const (
	format, version = "monge-vectors", 1
	// largest is the limit for the total size of all files, in bytes.
	largest = 300_000
)

// file is the content of a file with test vectors. README.md explains the format.
type file struct {
	Format     string     `json:"format"`
	Version    int        `json:"version"`
	Algorithm  string     `json:"algorithm"`
	Definition string     `json:"definition"`
	Tolerance  tolerance  `json:"tolerance"`
	Cases      []testCase `json:"cases"`
}

// tolerance contains the error bounds for an implementation with a different order of operations. The bounds are relative
// to the largest element of an array. 0 means that the file has no bound.
type tolerance struct {
	Float64 float64 `json:"float64"`
	Float32 float64 `json:"float32"`
}

type testCase struct {
	ID       int               `json:"id"`
	Comment  string            `json:"comment"`
	Type     string            `json:"type"`
	Settings map[string]string `json:"settings,omitempty"`
	Labels   []int             `json:"labels,omitempty"`
	Inputs   map[string]array  `json:"inputs"`
	Expected map[string]array  `json:"expected"`
}

// array is an array of numbers in row-major order. Bits contains the bits of every number in hexadecimal
// digits, the most significant digit first, separated by spaces. A NaN is "nan".
type array struct {
	Shape []int  `json:"shape"`
	Bits  string `json:"bits"`
}

// number is the constraint for the element types.
type number interface{ float32 | float64 }

func pack[T number](v []T, shape ...int) array {
	text := make([]string, len(v))
	for i, x := range v {
		switch x := any(x).(type) {
		case float64:
			text[i] = fmt.Sprintf("%016x", math.Float64bits(x))
		case float32:
			text[i] = fmt.Sprintf("%08x", math.Float32bits(x))
		}
		if x != x {
			text[i] = "nan"
		}
	}
	return array{shape, strings.Join(text, " ")}
}

// unpack returns the numbers of an array, and panics if the array is malformed.
func unpack[T number](a array) []T {
	text, size := strings.Fields(a.Bits), 1
	for _, n := range a.Shape {
		size *= n
	}
	if len(text) != size {
		panic(fmt.Sprintf("%d numbers in an array of shape %v", len(text), a.Shape))
	}
	out := make([]T, size)
	for i, t := range text {
		if t == "nan" {
			out[i] = T(math.NaN())
			continue
		}
		digits := 16
		if _, narrow := any(out[i]).(float32); narrow {
			digits = 8
		}
		bits, err := strconv.ParseUint(t, 16, 4*digits)
		if err != nil || len(t) != digits {
			panic(fmt.Sprintf("number %q: want %d hexadecimal digits", t, digits))
		}
		if digits == 8 {
			out[i] = T(math.Float32frombits(uint32(bits)))
		} else {
			out[i] = T(math.Float64frombits(bits))
		}
	}
	return out
}

// algorithms lists the files of test vectors. Each entry has the file name without extension, and the functions that
// return the test cases and compute the results.
var algorithms = []struct {
	name, definition string
	tolerance        tolerance
	cases            func() []testCase
	run              func(c *testCase) (map[string]array, error)
}{
	{"exp", "y = exp(x), element by element", tolerance{4e-16, 2e-7}, expCases, byType(runExp[float64], runExp[float32])},
	{"softmax", "logsumexp = ln of the sum of exp(x[i]), softmax = exp(x[i] - logsumexp), logsoftmax = x[i] - logsumexp", tolerance{2e-14, 1e-5}, softmaxCases, byType(runSoftmax[float64], runSoftmax[float32])},
	{"sqeuclidean", "d[i,j] = sum over k of (x[i,k] - z[j,k])^2", tolerance{2e-15, 1e-6}, distanceCases, byType(runDistance[float64], runDistance[float32])},
	{"pair", "sums over two vectors: dot = sum of x[i]*y[i], sqeuclidean = sum of (x[i]-y[i])^2, manhattan = sum of |x[i]-y[i]|, cosine = dot / sqrt(sum of x[i]^2 * sum of y[i]^2), norm = sqrt(sum of x[i]^2), sum = sum of x[i]", tolerance{1e-13, 1e-5}, pairCases, byType(runPairs[float64], runPairs[float32])},
	{"compact", "sums over two vectors of bytes: dot = sum of x[i]*y[i], sqeuclidean = sum of (x[i]-y[i])^2, hamming = number of bits in which the bytes differ, in two's complement; of numbers v: int8 and scale as QuantizeInt8 sets them, negative = 1 if v[i] < 0, and the bits of the nearest float16 and bfloat16 as integers", tolerance{}, compactCases, runCompact},
	{"gibbs", "k[i,j] = exp(-lambda * sum over k of (x[i,k] - z[j,k])^2); values below the least normal number are 0", tolerance{1e-13, 5e-5}, gibbsCases, byType(runGibbs[float64], runGibbs[float32])},
	{"sinkhorn", "plan = diag(u) K diag(v) after the given number of iterations v = b / (K' u), u = a / (K v) from u = 1, with K = exp(-lambda * cost); or to a tolerance of the marginals; cost = <plan, M>", tolerance{1e-9, 1e-3}, sinkhornCases, byType(runSinkhorn[float64], runSinkhorn[float32])},
	{"objective", "the objective J of Wasserstein discriminant analysis at a projection, and its gradient", tolerance{1e-9, 1e-3}, objectiveCases, runObjective},
	{"fit", "a fit of Wasserstein discriminant analysis: the projection and J", tolerance{}, fitCases, runFit},
}

func byType(wide, narrow func(c *testCase) (map[string]array, error)) func(c *testCase) (map[string]array, error) {
	return func(c *testCase) (map[string]array, error) {
		if c.Type == "float32" {
			return narrow(c)
		}
		return wide(c)
	}
}

// TestVectors checks that every instruction set of this machine computes the expected bits in the files. With -update it
// writes the files first.
func TestVectors(t *testing.T) {
	total := 0
	for _, a := range algorithms {
		path := a.name + ".json"
		if *update {
			asmtest.At(t, asm.Ref, func() { write(t, path, file{format, version, a.name, a.definition, a.tolerance, a.cases()}, a.run) })
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		total += len(data)
		var f file
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if f.Format != format || f.Version != version || f.Algorithm != a.name || len(f.Cases) == 0 {
			t.Fatalf("%s: %s version %d of %s with %d cases", path, f.Format, f.Version, f.Algorithm, len(f.Cases))
		}
		for lv := range asmtest.Each(t) {
			for i := range f.Cases {
				c := &f.Cases[i]
				if c.ID != i+1 {
					t.Errorf("%s: case %d has the number %d", path, i+1, c.ID)
				}
				got, err := a.run(c)
				if err != nil {
					t.Errorf("%s, case %d (%s), level %v: %v", path, c.ID, c.Comment, lv, err)
					continue
				}
				if diff := differ(got, c.Expected); diff != "" {
					t.Errorf("%s, case %d (%s), level %v: %s; if the change is intended: go test ./docs/vectors -update", path, c.ID, c.Comment, lv, diff)
				}
			}
		}
	}
	if total > largest {
		t.Errorf("%d bytes in all, more than %d", total, largest)
	}
}

// differ returns a message about the first element that differs, or "" if the arrays are equal.
func differ(got, want map[string]array) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		g, w := got[name], want[name]
		if !slices.Equal(g.Shape, w.Shape) {
			return fmt.Sprintf("%s has the shape %v, want %v", name, g.Shape, w.Shape)
		}
		gs, ws := strings.Fields(g.Bits), strings.Fields(w.Bits)
		for i := range min(len(gs), len(ws)) {
			if gs[i] != ws[i] {
				return fmt.Sprintf("element %d of %s is %s, want %s", i, name, gs[i], ws[i])
			}
		}
		if len(gs) != len(ws) {
			return fmt.Sprintf("%s has %d elements, want %d", name, len(gs), len(ws))
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d arrays, want %d", len(got), len(want))
	}
	return ""
}

// write computes the expected arrays of f, and writes f to a file with one case per line.
func write(t *testing.T, path string, f file, run func(c *testCase) (map[string]array, error)) {
	t.Helper()
	var lines []string
	for i := range f.Cases {
		c := &f.Cases[i]
		c.ID = i + 1
		var err error
		if c.Expected, err = run(c); err != nil {
			t.Fatalf("%s, case %d (%s): %v", path, c.ID, c.Comment, err)
		}
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	f.Cases = nil
	head, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(head), `"cases": null`, "\"cases\": [\n  "+strings.Join(lines, ",\n  ")+"\n ]", 1)
	if err := os.WriteFile(path, []byte(text+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestVectorsDiffer checks that differ detects a changed bit, a number in place of a NaN, and a missing element.
func TestVectorsDiffer(t *testing.T) {
	want := map[string]array{"y": pack([]float64{1, math.NaN(), 3}, 3)}
	for _, v := range [][]float64{{1, 2, 3}, {1, math.NaN(), math.Nextafter(3, 4)}, {1, math.NaN()}} {
		if differ(map[string]array{"y": pack(v, len(v))}, want) == "" {
			t.Errorf("%v is not told from 1, NaN, 3", v)
		}
	}
	if diff := differ(map[string]array{"y": pack(unpack[float64](want["y"]), 3)}, want); diff != "" {
		t.Error(diff)
	}
}
