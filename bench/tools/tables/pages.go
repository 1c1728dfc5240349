package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const generated = "<!-- Made by go run ./bench/tools/tables from bench/tools/results. Do not edit. -->\n\n"

type work struct{ text, size string }

// describe returns the operation and the size of a case of bench/peers, in words.
func describe(name string) work {
	kind, _, _ := strings.Cut(name, "/")
	v := func(key string) string { return nameValue(name, key) }
	n, square := "n = "+v("n"), v("n")+" × "+v("n")
	switch kind {
	case "exp", "log", "softmax":
		return work{kind + " of a slice", v("n") + " numbers"}
	case "logsumexp":
		return work{"log-sum-exp of a slice", v("n") + " numbers"}
	case "pair":
		return work{v("of") + " of two slices", v("n") + " numbers"}
	case "query":
		return work{"distances of a query to stored rows", v("n") + " rows, d = " + v("d")}
	case "nearest":
		return work{"the " + v("k") + " rows nearest to a query", v("n") + " rows, d = " + v("d")}
	case "codes":
		return work{"the " + v("k") + " rows nearest to a query, codes of " + v("bits") + " bits", v("n") + " rows of " + v("m") + " codes"}
	case "sqdist":
		return work{"squared distances", square + ", d = " + v("d")}
	case "gibbs":
		return work{"Gibbs kernel exp(−λD)", square + ", d = " + v("d")}
	case "iterate":
		return work{"one Sinkhorn iteration", n}
	case "sinkhorn":
		return work{v("iters") + " Sinkhorn iterations", n}
	case "sinkhornlog":
		return work{v("iters") + " iterations, log domain", n}
	case "tiny":
		return work{v("count") + " small problems, " + v("iters") + " iterations", square + " each"}
	case "many":
		return work{v("count") + " marginals, one cost matrix, " + v("iters") + " iterations", n}
	case "free":
		return work{v("iters") + " iterations without a stored matrix", n + ", d = " + v("d")}
	case "emd":
		return work{"exact transport, " + v("weights") + " weights", square + ", d = " + v("d")}
	case "emdtiny":
		return work{v("count") + " small exact problems", square + " each, d = " + v("d")}
	case "assign":
		costs := map[string]string{"points": "points, d = " + v("d"), "random": "random costs", "whole": "whole costs"}[v("costs")]
		if count := v("count"); count != "" && count != "1" {
			return work{count + " assignments", square + " each, " + costs}
		}
		return work{"assignment", square + ", " + costs}
	case "line":
		return work{"Wasserstein distance on a line, order " + v("order"), n}
	case "sliced":
		return work{"sliced Wasserstein distance, " + v("directions") + " directions", n + ", d = " + v("d")}
	case "lse":
		return work{"log-sum-exp of rows", square}
	case "project":
		return work{"projection X·P", v("n") + " × " + v("d") + ", p = " + v("p")}
	case "wda":
		return work{"WDA: J and its gradient", v("n") + " × " + v("d") + ", p = " + v("p")}
	case "fit":
		w := work{"WDA: fit of the paper's objective", v("n") + " × " + v("d") + ", p = " + v("p")}
		if steps := v("steps"); steps != "" {
			w.text += ", " + steps + " steps"
		}
		return w
	}
	return work{kind, name}
}

// number describes the floating-point type and the number of threads of a row.
func (c *row) number() string {
	text := map[string]string{"f64": "float64", "f32": "float32"}[nameValue(c.name, "type")]
	if strings.HasSuffix(c.variant, "f32") {
		text = "float32"
	}
	if strings.HasSuffix(c.variant, "mixed") {
		text = "float64, K in float32"
	}
	if strings.Contains(c.variant, "-2") {
		text += ", two threads"
	}
	return text
}

func (r *results) index(b *strings.Builder) {
	b.WriteString(generated + `# Benchmarks

Every table here is made from raw results in [bench/tools/results](../../bench/tools/results) by one
command: ` + "`go run ./bench/tools/tables`" + `. How to measure is in [bench/README.md](../../bench/README.md).

| page | what it shows |
|---|---|
| [speed](speed.md) | kernels, Sinkhorn and WDA beside other libraries, for each machine |
| [accuracy](accuracy.md) | largest errors of the elementary functions |
| [convergence](converge.md) | time to a given marginal error |
| [latency](latency.md) | percentiles of single calls, and how long the garbage collector waits |
| [scaling](scaling.md) | how the time of one gradient grows with n, L, p and d |
| [levels](levels.md) | cases in which a higher instruction set was slower than a lower one |

| raw file | machine | level | day |
|---|---|---|---|
`)
	var rows []string
	add := func(s source) {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", s.link(), s.machine, levelNames[s.level], s.day))
	}
	for _, m := range r.measured {
		add(m.source)
	}
	for _, l := range slices.Concat(r.latency, r.levels, r.converge, r.accuracyRaw, r.scales) {
		add(l.source)
	}
	slices.Sort(rows)
	b.WriteString(strings.Join(rows, "\n") + "\n")
}

func (r *results) speed(b *strings.Builder) {
	b.WriteString(generated + `# Speed beside other libraries

The ratio is the peer's time divided by monge's: above 1, monge is faster; below 1, the
ratio is bold. Each time is the least of 10 to 15 rounds in which all programs take turns.
Both sides use one thread, except where two threads are named: there only monge has two.
Every result was compared with monge's before it was timed.

` + "`openblas`, `blis` and `libmvec`" + ` are loops in C on these libraries; ` + "`naive`" + ` is plain Go.
` + "`pot`" + ` is Python Optimal Transport, ` + "`potbatch`" + ` its module ot.batch, ` + "`potcolumns`" + ` its solver with all
marginals at once, ` + "`ott`" + ` OTT-JAX, ` + "`torch`" + ` geomloss.
[bench/peers](../../bench/peers/README.md) describes every case and makes the raw files.

The share of the limit is the time that the machine needs at least for the work, divided by
monge's time. No program that computes in the same way can exceed 1. The same run measures the
machine: how many FMAs and divisions a core makes in a second, and how fast it loads and stores.
The word says which of these the work needs most. A dash means that the limit was not measured.
`)
	for _, m := range r.measured {
		fmt.Fprintf(b, "\n## %s\n\nRaw results: %s\n\n%s\n\n", m.title(), m.link(), strings.Join(m.header, "\n"))
		slower, compared := 0, 0
		var lines []string
		for _, c := range m.rows {
			w, best := describe(c.name), c.fastest()
			cell := "– | – "
			var others []string
			if best != "" {
				compared++
				if c.peers[best] < c.ours {
					slower++
				}
				cell = fmt.Sprintf("%s: %s | %s ", best, threeDigits(c.peers[best]), c.ratio(best))
			}
			for _, p := range c.order {
				if p != best {
					others = append(others, p+" "+c.ratio(p))
				}
			}
			lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s | %s| %s | %s |", w.text, w.size, c.number(), threeDigits(c.ours), cell, c.limit(), strings.Join(others, ", ")))
		}
		fmt.Fprintf(b, "monge is slower than the fastest peer in %d of %d rows.\n\n", slower, compared)
		b.WriteString("| work | size | numbers | monge, µs | fastest peer, µs | ratio | share of the limit | ratios to other peers |\n|---|---|---|---|---|---|---|---|\n")
		b.WriteString(strings.Join(lines, "\n") + "\n")
		if len(m.below) > 0 {
			b.WriteString("\nRows whose share of the limit is below the project's goal, and why:\n\n- " + strings.Join(m.below, "\n- ") + "\n")
		}
	}
}

// short returns the speed table of README.md. It has a few typical cases, one peer for each case, and the newest results of each
// machine.
func (r *results) short() string {
	var columns []*measured
	for _, m := range r.measured {
		seen := func(c *measured) bool { return c.machine == m.machine }
		if strings.HasSuffix(m.file, "-peers.md") && !slices.ContainsFunc(columns, seen) {
			columns = append(columns, m)
		}
	}
	// Show ratios to the lower bound only for the first machine that has them, because README.md must stay short.
	shares := slices.IndexFunc(columns, func(m *measured) bool {
		return slices.ContainsFunc(m.rows, func(c *row) bool { return c.share > 0 })
	})
	var b strings.Builder
	b.WriteString("| work (float64) | other library |")
	for _, m := range columns {
		fmt.Fprintf(&b, " %s, %s |", m.machine, levelNames[m.level])
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, c := range []struct{ name, peer, text, library string }{
		{"pair/type=f64/of=dot/n=384", "vek", "dot product, 384 numbers", "vek, Go"},
		{"exp/type=f64/n=1024", "libmvec", "exp of a slice", "glibc libmvec"},
		{"sqdist/type=f64/n=1000/d=10", "openblas", "squared distances, d = 10", "OpenBLAS, C"},
		{"sqdist/type=f64/n=1000/d=784", "openblas", "squared distances, d = 784", "OpenBLAS, C"},
		{"iterate/type=f64/n=1000/lambda=20", "openblas", "one Sinkhorn iteration", "OpenBLAS, C"},
		{"sinkhorn/type=f64/n=1000/lambda=20/iters=100", "pot", "Sinkhorn", "POT"},
		{"sinkhornlog/type=f64/n=1000/lambda=20/iters=100", "pot", "Sinkhorn, log domain", "POT"},
		{"emd/type=f64/n=512/d=2/weights=uniform", "pot", "exact transport, n = 512", "POT"},
		{"wda/type=f64/n=1000/d=784/p=10/classes=10/iters=10/lambda=1", "pot", "WDA gradient", "POT"},
	} {
		fmt.Fprintf(&b, "| %s | %s |", c.text, c.library)
		for i, m := range columns {
			fmt.Fprintf(&b, " %s |", m.find(c.name, "ours").short(c.peer, i == shares))
		}
		b.WriteString("\n")
	}
	if shares >= 0 {
		b.WriteString("\nIn brackets: the share of the machine's limit.\n")
	}
	return b.String()
}

func (r *results) latencyPage(b *strings.Builder) {
	b.WriteString(generated + `# Latency

One solve with its gradient, ten iterations, n against n points, timed one by one. With
load ` + "`gc`" + ` another goroutine fills the heap. With load ` + "`gc+solve`" + ` as many goroutines as there
are cores solve such problems, too, so that the timed one waits for its turn: Go's time
slices are 10 ms.

The second table of a machine is the wait of a stop-the-world while every core runs the
load: for runtime.ReadMemStats and for a garbage collection. ` + "`go`" + ` is plain Go that can be
preempted anywhere. Where there were several runs, each has its figure.

The table of compact classifiers is one query of 384 numbers, projected to 32, against rows of
16 bytes, with 5 neighbors. The last column is the 99th percentile over queries of the least
time that each query took: it leaves out what other programs on the machine took.
`)
	for _, l := range r.latency {
		fmt.Fprintf(b, "\n## %s\n\nRaw results: %s\n\n%s\n", l.title(), l.link(), strings.Join(l.header, "\n"))
		us := func(x bench, unit string) string { return threeDigits(x.values[unit] / 1000) }
		writeTable(b, "numbers | n | load | p50, µs | p99, µs | p99.9, µs", benchmarks(l.text, "-bench Latency"), func(x bench) []string {
			return []string{x.value("type"), x.value("n"), x.value("load"), us(x, "p50-ns"), us(x, "p99-ns"), us(x, "p99.9-ns")}
		})
		writeTable(b, "rows | storage | load | p50, µs | p99, µs | p99 of the least, µs", benchmarks(l.text, "-bench Compact"), func(x bench) []string {
			return []string{x.value("n"), x.value("storage"), x.value("load"), us(x, "p50-ns"), us(x, "p99-ns"), us(x, "least-p99-ns")}
		})
		var loads []string
		waits := map[string][]string{}
		for _, x := range benchmarks(l.text, "-bench StopTheWorld") {
			load := x.value("load")
			if !slices.Contains(loads, load) {
				loads = append(loads, load)
			}
			for _, unit := range []string{"wait-p50-ns", "wait-p99-ns"} {
				key := load + x.value("cause") + unit
				waits[key] = append(waits[key], threeDigits(x.values[unit]/1000))
			}
		}
		if len(loads) == 0 {
			continue
		}
		b.WriteString("\n| load of all cores | ReadMemStats: p50, µs | p99, µs | collection: p50, µs | p99, µs |\n|---|---|---|---|---|\n")
		for _, load := range loads {
			fmt.Fprintf(b, "| %s ", load)
			for _, column := range []string{"memstatswait-p50-ns", "memstatswait-p99-ns", "gcwait-p50-ns", "gcwait-p99-ns"} {
				fmt.Fprintf(b, "| %s ", strings.Join(waits[load+column], ", "))
			}
			b.WriteString("|\n")
		}
	}
}

// writeTable writes a table with one row for each benchmark. It writes nothing if there are no benchmarks.
func writeTable(b *strings.Builder, head string, of []bench, cells func(bench) []string) {
	if len(of) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s |\n%s|\n", head, strings.Repeat("|---", strings.Count(head, "|")+1))
	for _, x := range of {
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells(x), " | "))
	}
}

func (r *results) convergePage(b *strings.Builder) {
	b.WriteString(generated + `# Time to a marginal error

` + "`Settings.Tolerance`" + ` asks for a marginal error instead of a number of iterations. The table
compares the default (Newton's method where iterations are slow) with plain iterations and
with ε-scaling ("annealed"). A ` + "`>`" + ` marks a method that was stopped at ten times the default's
time, so the factor is a lower bound. A pass is one read of the kernel matrix.
`)
	for _, l := range r.converge {
		fmt.Fprintf(b, "\n## %s\n\nRaw results: %s\n\n%s\n\n", l.title(), l.link(), strings.Join(l.header, "\n"))
		var sizes []string
		factors := map[string][2][]float64{}
		var table []string
		for line := range strings.Lines(l.text) {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			table = append(table, strings.TrimSpace(line))
			cells := strings.Split(line, "|")
			plain, err := strconv.ParseFloat(strings.TrimSpace(cells[10]), 64)
			if err != nil {
				continue // heading
			}
			annealed, _ := strconv.ParseFloat(strings.TrimSpace(cells[11]), 64)
			n := strings.TrimSpace(cells[2])
			if !slices.Contains(sizes, n) {
				sizes = append(sizes, n)
			}
			f := factors[n]
			factors[n] = [2][]float64{append(f[0], plain), append(f[1], annealed)}
		}
		b.WriteString("| n | median of plain/default | median of annealed/default |\n|---|---|---|\n")
		for _, n := range sizes {
			fmt.Fprintf(b, "| %s | %s | %s |\n", n, twoDigits(median(factors[n][0])), twoDigits(median(factors[n][1])))
		}
		b.WriteString("\n" + strings.Join(table, "\n") + "\n")
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func (r *results) scalingPage(b *strings.Builder) {
	b.WriteString(generated + `# How the cost grows

One J with its gradient, CPU time of one thread. The passes over pairs of samples grow as
n², the projections as n·d·p. The formula under each table is a fit to its points.
`)
	for _, l := range r.scales {
		fmt.Fprintf(b, "\n## %s\n\nRaw results: %s\n\n![CPU time against n, L, p and d](../../bench/tools/results/%s)\n", l.title(), l.link(), strings.TrimSuffix(l.file, "csv")+"png")
		axes, err := scalingAxes(l.text)
		if err != nil {
			fmt.Fprintf(b, "\n%s: %v\n", l.file, err)
			continue
		}
		for _, a := range axes {
			head, rule, times := "| "+a.axis, "|---", "| ms"
			for _, v := range a.values {
				head, rule, times = head+" | "+v[0], rule+"|---", times+" | "+v[1]
			}
			fmt.Fprintf(b, "\n%s |\n%s|\n%s |\n\n%s\n", head, rule, times, a.remark)
		}
	}
}

func (r *results) levelsPage(b *strings.Builder) {
	b.WriteString(generated + "# Where a higher instruction set is slower\n\n`go run ./bench/tools/levels` times every kernel at every level and prints the cases in which a\nhigher level needs more time than a lower one.\n")
	for _, l := range r.levels {
		_, table, _ := strings.Cut(l.text, "\n\n")
		fmt.Fprintf(b, "\n## %s\n\nRaw results: %s\n\n```\n%s```\n", l.title(), l.link(), table)
	}
}

// accuracy contains the name of a test that measures an error, and a description and the unit of the error.
type accuracy struct{ test, text, unit string }

var accuracies = []accuracy{
	{"TestExpRef64", "exp, float64", "ULP"},
	{"TestExpRef32", "exp, float32", "ULP"},
	{"TestExp2Ref64", "2^y, the core of the Gibbs kernel, float64", "ULP"},
	{"TestExp2Ref32", "2^y, the core of the Gibbs kernel, float32", "ULP"},
	{"TestSqEuclideanRefBound/float64", "squared distances, float64", "of the bound (d + 2)·2⁻⁵³"},
	{"TestSqEuclideanRefBound/float32", "squared distances, float32", "of the bound (d + 2)·2⁻²⁴"},
	{"TestGibbsRefBound/float64", "Gibbs kernel, float64", "of its bound"},
	{"TestGibbsRefBound/float32", "Gibbs kernel, float32", "of its bound"},
	{"TestAccuracy/f64/Exp", "vecmath.Exp, float64", "ULP"},
	{"TestAccuracy/f32/Exp", "vecmath.Exp, float32", "ULP"},
	{"TestAccuracy/f64/Exp2", "vecmath.Exp2, float64", "ULP"},
	{"TestAccuracy/f32/Exp2", "vecmath.Exp2, float32", "ULP"},
	{"TestAccuracy/f64/Log", "vecmath.Log, float64", "ULP"},
	{"TestLog32/ln", "vecmath.Log, float32, all arguments", "ULP"},
	{"TestAccuracy/f64/Log2", "vecmath.Log2, float64", "ULP"},
	{"TestLog32/log₂", "vecmath.Log2, float32, all arguments", "ULP"},
	{"TestAccuracy/f64/Sigmoid", "vecmath.Sigmoid, float64", "ULP"},
	{"TestAccuracy/f32/Sigmoid", "vecmath.Sigmoid, float32", "ULP"},
}

func (r *results) accuracy(b *strings.Builder) {
	b.WriteString(generated + `# Accuracy

Largest error of a function's definition in plain Go, against big.Float. Assembly returns
the same bits as the definition, so these are the errors at every instruction set. One ULP
is the distance between neighboring numbers at the exact result. For exp and 2^y, the
largest error of results in the normal range and the largest of any result are shown. A dash
means that the test prints one error only, and that it is of a result below the normal range.
`)
	for _, l := range r.accuracyRaw {
		fmt.Fprintf(b, "\n## %s\n\nRaw results: %s\n\n%s\n\n| function | largest error | in | worst case of any result |\n|---|---|---|---|\n", l.title(), l.link(), strings.Join(l.header, "\n"))
		errors := errorsOf(l.text)
		for _, a := range accuracies {
			if normal, any := a.largest(errors); any > 0 {
				text := "–"
				if normal > 0 {
					text = twoDigits(normal)
				}
				fmt.Fprintf(b, "| %s | %s | %s | %s |\n", a.text, text, a.unit, twoDigits(any))
			}
		}
	}
}

// largest returns the largest error of normal results and the largest error of all results.
func (a accuracy) largest(errors map[string][]measuredError) (normal, any float64) {
	for test, list := range errors {
		if test != a.test && !strings.HasPrefix(test, a.test+"/") {
			continue
		}
		for _, e := range list {
			any = max(any, e.error)
			if !e.subnormal && !strings.Contains(test, "subnormal") {
				normal = max(normal, e.error)
			}
		}
	}
	return normal, any
}

// shortAccuracy returns the accuracy table of README.md, which contains only Exp and Log.
func (r *results) shortAccuracy() string {
	largest := func(text string) string {
		var most float64
		for _, l := range r.accuracyRaw {
			errors := errorsOf(l.text)
			for _, a := range accuracies {
				if strings.HasPrefix(a.text, text) {
					_, any := a.largest(errors)
					most = max(most, any)
				}
			}
		}
		return twoDigits(most)
	}
	var b strings.Builder
	b.WriteString("| largest error (also subnormal), ULP | float64 | float32 |\n|---|---|---|\n")
	for _, f := range []string{"Exp", "Log"} {
		fmt.Fprintf(&b, "| `vecmath.%s` | %s | %s |\n", f, largest("vecmath."+f+", float64"), largest("vecmath."+f+", float32"))
	}
	return b.String()
}
