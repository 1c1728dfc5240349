// Command levels measures the time of every kernel, type and size at every instruction-set level of this
// machine. It alternates between levels in one process. It prints every case in which a level is slower than
// a lower level by more than 3 %. The command measures such a case again up to four times, after all other
// cases, with three times the rounds and with different operands. It reports the case only if the level is
// slower every time, and prints the measurement with the smallest difference.
//
//	go run ./bench/tools/levels            # the slower cases
//	go run ./bench/tools/levels -all       # the whole table
//	go run ./bench/tools/levels -run 'Iterate f64' -rounds 40 -from avx2
//
// A time is the minimum over all rounds. The command takes a minute or two. The machine should be idle.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
)

// slack is a limit for the ratio of the time at a higher instruction-set level to the time at a lower level. The command
// reports only cases with a larger ratio.
const slack = 1.03

// confirmations is the number of repeated measurements of a case that is slower at the higher instruction-set level. A
// shared machine sometimes slows down one of the levels for a whole measurement, but rarely for five measurements.
const confirmations = 4

// entry is a kernel with a type and a size. The function prepare makes the operands and returns a function that calls the kernel.
type entry struct {
	name    string
	prepare func() func()
}

func main() {
	all := flag.Bool("all", false, "print every case")
	run := flag.String("run", "", "only cases that match this `regexp`, e.g. 'Iterate f32 n=256'")
	rounds := flag.Int("rounds", 15, "rounds over the levels")
	from := flag.String("from", "ref", "the lowest level to time")
	flag.Parse()
	match := regexp.MustCompile(*run)

	lowest, err := asm.ParseLevel(*from)
	if err != nil {
		log.Fatal(err)
	}
	levels := slices.DeleteFunc(asm.Available(), func(lv asm.Level) bool { return lv < lowest })
	fmt.Printf("%-36s", "µs")
	for _, lv := range levels {
		fmt.Printf("%12v", lv)
	}
	fmt.Println()
	entries := slices.DeleteFunc(allEntries(), func(e entry) bool { return !match.MatchString(e.name) })
	if len(entries) == 0 {
		log.Fatalf("no case matches %q; -all without -run lists all cases", match)
	}
	count, slower := 0, 0
	var suspects []entry
	for _, e := range entries {
		count++
		times := minima(e.prepare(), levels, *rounds)
		if worstRatio(times) > slack {
			suspects = append(suspects, e)
		} else if *all {
			fmt.Println(caseLine(e.name, times))
		}
	}
	for _, e := range suspects {
		var times []float64
		for range confirmations {
			again := minima(e.prepare(), levels, 3**rounds)
			if times == nil || worstRatio(again) < worstRatio(times) {
				times = again
			}
			if worstRatio(times) <= slack {
				break
			}
		}
		if ratio := worstRatio(times); ratio > slack {
			slower++
			fmt.Printf("%s  %.2f slower\n", caseLine(e.name, times), ratio)
		} else if *all {
			fmt.Println(caseLine(e.name, times))
		}
	}
	fmt.Printf("%d cases, %d suspect; a higher level is slower in %d\n", count, len(suspects), slower)
}

// caseLine returns the table line of a case.
func caseLine(name string, times []float64) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%-36s", name)
	for _, t := range times {
		fmt.Fprintf(&s, "%12.4g", t*1e6)
	}
	return s.String()
}

// minima returns the time of a call of f at every level, in seconds. Every measurement lasts at least half a
// millisecond. After three rounds, minima skips a level, such as plain Go, if it takes four times as long as a higher
// instruction-set level.
func minima(f func(), levels []asm.Level, rounds int) []float64 {
	times, calls := make([]float64, len(levels)), make([]int, len(levels))
	measure := func(i int) time.Duration {
		restore := asm.Switch(levels[i])
		defer restore()
		start := time.Now()
		for range calls[i] {
			f()
		}
		d := time.Since(start)
		times[i] = min(times[i], d.Seconds()/float64(calls[i]))
		return d
	}
	for i := range levels {
		calls[i], times[i] = 1, math.Inf(1)
		for measure(i) < time.Millisecond/2 {
			calls[i] *= 2
		}
	}
	for round := range rounds {
		for i := range levels {
			if round < 3 || i+1 == len(levels) || times[i] < 4*slices.Min(times[i+1:]) {
				measure(i)
			}
		}
	}
	return times
}

// worstRatio returns the largest ratio of the time at an instruction-set level to the time at a lower level. A ratio above 1
// means that the higher level is slower.
func worstRatio(times []float64) float64 {
	ratio, best := 0.0, math.Inf(1)
	for _, t := range times {
		ratio, best = max(ratio, t/best), min(best, t)
	}
	return ratio
}

// allEntries returns the entries for all kernels, types and sizes.
func allEntries() (es []entry) {
	es = append(es, passes[float64, float64]("f64")...)
	es = append(es, passes[float32, float32]("f32")...)
	es = append(es, passes[float32, float64]("mixed")...)
	es = append(es, kernelEntries[float64]("f64")...)
	es = append(es, kernelEntries[float32]("f32")...)
	for _, n := range lengths {
		es = append(es,
			entry{nameWithSizes("Narrow mixed", "n", n), func() func() {
				x, dst := asmtest.Random[float64](n), make([]float32, n)
				return func() { pass.Narrow(dst, x) }
			}},
			entry{nameWithSizes("Widen mixed", "n", n), func() func() {
				x, dst := asmtest.Random[float32](n), make([]float64, n)
				return func() { pass.Widen(dst, x) }
			}})
	}
	return es
}

var (
	squares = []int{16, 64, 100, 101, 256, 400, 600, 1000, 1200, 2000, 4000}
	lengths = []int{10, 64, 100, 256, 1031, 4000, 32768}
	clouds  = [][3]int{{53, 61, 7}, {100, 100, 10}, {256, 256, 64}, {1000, 1000, 2}, {1000, 1000, 10}, {1000, 96, 256}, {3000, 3000, 10}}
	maps    = [][3]int{{1, 10, 784}, {8, 10, 100}, {8, 11, 1000}, {101, 7, 13}, {100, 10, 300}, {1000, 2, 784}, {1000, 10, 784}, {1000, 20, 784}, {1000, 64, 784}, {12000, 10, 784}}
)

// nameWithSizes appends sizes to the name of a case. Each name in pairs is followed by its value.
func nameWithSizes(name string, pairs ...any) string {
	for i := 0; i < len(pairs); i += 2 {
		name += fmt.Sprintf(" %v=%v", pairs[i], pairs[i+1])
	}
	return name
}

// passes returns the cases of package pass, with n × n matrices of type K.
func passes[K, T num.Float](types string) (es []entry) {
	for _, n := range squares {
		add := func(kernel string, call func(k []K, x, a, u, q []T)) {
			es = append(es, entry{nameWithSizes(kernel+" "+types, "n", n), func() func() {
				k, x, a, u, q := asmtest.Random[K](n*n), asmtest.Random[T](n), asmtest.Random[T](n), asmtest.Random[T](n), make([]T, n)
				return func() { call(k, x, a, u, q) }
			}})
		}
		add("Rows", func(k []K, x, _, u, _ []T) { pass.Rows(n, n, u, k, n, x) })
		add("Columns", func(k []K, _, _, u, q []T) { pass.Columns(n, n, q, k, n, u) })
		add("Iterate", func(k []K, x, a, u, q []T) { pass.Iterate(n, n, k, n, x, a, u, q) })
		add("Sweep", func(k []K, x, a, u, q []T) { pass.Sweep(n, n, k, n, x, a, u, q) })
	}
	return es
}

// kernelEntries returns the cases of kernels with all operands of type T.
func kernelEntries[T num.Float](types string) (es []entry) {
	random := asmtest.Random[T]
	add := func(name string, prepare func() func()) { es = append(es, entry{name, prepare}) }
	for _, n := range lengths {
		vector := func(kernel string, call func(dst, x, y []T)) {
			add(nameWithSizes(kernel+" "+types, "n", n), func() func() {
				dst, x, y := make([]T, n), random(n), random(n)
				return func() { call(dst, x, y) }
			})
		}
		vector("Divide", pass.Divide[T])
		vector("CountOutside", func(_, x, _ []T) { pass.CountOutside(x, 0.25, 0.75) })
		vector("Exp", func(dst, x, _ []T) { exp.Exp(dst, x) })
		vector("Exp2", func(dst, x, _ []T) { exp.Exp2(dst, x, -20) })
	}
	for _, n := range squares {
		const r, rows = 20, 64 // r is the rank of the adjoint after ten iterations; each call of AdjCost processes up to 64 rows
		square := func(kernel string, call func(k, mat, x, y, z, s, q, e []T)) {
			add(nameWithSizes(kernel+" "+types, "n", n), func() func() {
				k, mat, x, y, z := random(n*n), random(n*n), random(n*r), random(r*n), random(n)
				s, q, e := make([]T, n), make([]T, n), make([]T, max(n, rows)*n)
				return func() { call(k, mat, x, y, z, s, q, e) }
			})
		}
		square("Begin", func(k, mat, x, y, z, s, q, e []T) {
			pass.Begin(n, n, k, n, mat, n, x, y, z, s, e, q)
		})
		square("LogRows", func(_, mat, x, y, z, s, q, e []T) {
			exp.LogRows(n, n, mat, n, 50, x, y, z, s, q, e)
		})
		square("LogColumnMax", func(_, mat, x, y, _, _, _, _ []T) {
			exp.LogColumnMax(n, n, mat, n, 50, x, y)
		})
		square("LogColumnSum", func(_, mat, x, y, _, s, _, _ []T) {
			exp.LogColumnSum(n, n, mat, n, 50, x, y, s)
		})
		square("LogPlan", func(k, mat, x, y, _, _, _, _ []T) {
			exp.LogPlan(n, n, k, n, mat, n, 50, x, y)
		})
		square("AdjCost", func(k, mat, x, y, z, _, _, e []T) {
			for i := 0; i < n; i += rows {
				distance.AdjCost(min(rows, n-i), n, r, e, n, k[i*n:], n, mat[i*n:], n, x[i*r:], r, y, n, z[i:], z, 1.5)
			}
		})
	}
	for _, c := range clouds {
		m, n, d := c[0], c[1], c[2]
		cloud := func(kernel string, call func(dst, x, zt []T)) {
			add(nameWithSizes(kernel+" "+types, "m", m, "n", n, "d", d), func() func() {
				dst, x, zt := make([]T, m*n), random(m*d), random(d*n)
				return func() { call(dst, x, zt) }
			})
		}
		cloud("SqEuclidean", func(dst, x, zt []T) { distance.SqEuclidean(m, n, d, dst, n, x, d, zt, n, false) })
		cloud("Gibbs", func(dst, x, zt []T) {
			distance.Gibbs(m, n, d, dst, n, nil, 0, x, d, zt, n, T(-1/float64(d)))
		})
	}
	for _, c := range maps {
		m, p, d := c[0], c[1], c[2]
		linear := func(kernel string, call func(x, b, y []T)) {
			add(nameWithSizes(kernel+" "+types, "m", m, "p", p, "d", d), func() func() {
				x, b, y := random(m*d), random(d*p), random(m*p)
				return func() { call(x, b, y) }
			})
		}
		linear("Mul", func(x, b, y []T) { project.Mul(m, p, d, y, p, x, d, b, p, false) })
		linear("TransMul", func(x, g, y []T) { project.TransMul(m, p, d, g, d, x, d, y, p, false) })
	}
	return es
}
