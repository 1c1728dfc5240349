// Command peers compares this module with other libraries (the peers). All libraries do the same work on
// the same data, and take turns within one run. The command prints one table. The script named run in this
// folder builds the peers and starts the command. README.md explains how to read the table.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/gomonge/monge/bench/peers/limit"
	"github.com/gomonge/monge/internal/asm"
)

func main() {
	var (
		serving = flag.String("serve", "", "be the peer process of these Go peers (comma separated)")
		build   = flag.String("build", "", "folder of the peers' programs and Python environment")
		script  = flag.String("python", "peer.py", "the Python peers")
		mnist   = flag.String("mnist", "", "mnist.npz; simulated data if empty")
		rounds  = flag.Int("rounds", 15, "rounds per case; slow cases take two thirds")
		all     = flag.Bool("all", false, "also OTT-JAX and geomloss")
		full    = flag.Bool("full", false, "also the cases that take minutes")
		only    = flag.String("only", ".", "regular expression of case names")
		with    = flag.String("peers", ".", "regular expression of the peers that take part beside ours")
		raw     = flag.String("raw", "", "also write every sample to this CSV file")
	)
	flag.Parse()
	if *serving != "" {
		check(serve(strings.Split(*serving, ","), os.Stdin, os.Stdout))
		return
	}
	partners, err := regexp.Compile(*with)
	check(err)
	d := &driver{rounds: *rounds, partners: partners, full: *full, level: asm.Current().String(), machine: limit.New(), mnist: *mnist, rng: rand.New(rand.NewPCG(9, 9))}
	if *raw != "" {
		f, err := os.Create(*raw)
		check(err)
		defer f.Close()
		d.raw = f
		fmt.Fprintln(f, "case,peer,round,ns")
	}
	pattern, err := regexp.Compile(*only)
	check(err)
	cases, omitted := selectCases(pattern, *full)
	if len(cases) == 0 {
		check(fmt.Errorf("no case matches %q; --full has %d such cases", *only, omitted))
	}
	d.start(*build, *script, *all)
	tmp, err := os.MkdirTemp("", "monge-peers-")
	check(err)
	defer os.RemoveAll(tmp)
	header(d)
	t := newTable(d.level)
	for _, c := range cases {
		r, err := d.run(c, tmp)
		check(err)
		t.add(r)
	}
	for _, p := range d.processes {
		p.stop()
	}
	t.print(os.Stdout)
	if t.differ {
		os.RemoveAll(tmp)
		os.Exit(1)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

type driver struct {
	processes []*process
	partners  *regexp.Regexp // matches the names of the peers that are measured besides monge
	rounds    int
	full      bool
	level     string
	machine   *limit.Machine // nil if the machine cannot be measured
	mnist     string
	raw       io.Writer
	rng       *rand.Rand
}

// selectCases returns the cases whose names match the pattern. Unless full is true, it leaves out the
// cases that only a full run measures, and counts them.
func selectCases(pattern *regexp.Regexp, full bool) (selected []testCase, omitted int) {
	for _, c := range testCases() {
		switch {
		case !pattern.MatchString(c.name):
		case full || !c.full:
			selected = append(selected, c)
		default:
			omitted++
		}
	}
	return selected, omitted
}

// start starts the processes of all available peers.
func (d *driver) start(build, script string, all bool) {
	self, err := os.Executable()
	check(err)
	one := []string{
		"GOMAXPROCS=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "BLIS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
		"XLA_FLAGS=--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1", "JAX_PLATFORMS=cpu",
	}
	two := []string{"GOMAXPROCS=2"}
	type peer struct {
		env  []string
		argv []string
	}
	python := "numpy,faiss,faiss20,usearch,scipy,sklearn,pot,potbatch,potcolumns,lapjv,lapjvx,lapjvc,lapjvs,lapjvh,lapjvr"
	if all {
		python += ",ott"
	}
	peers := []peer{
		{one, []string{self, "-serve", "ours,ours-f32,ours-mixed,ours-plain,naive,gonum,vek,tphakala,x448,hnsw,chromem"}},
		{two, []string{self, "-serve", "ours-2,ours-2-f32"}},
		{one, []string{filepath.Join(build, "peers-simd"), "-serve", "archsimd"}},
		{one, []string{filepath.Join(build, "peers-numkong"), "-serve", "numkong-go"}},
		{one, []string{filepath.Join(build, "peers-floats"), "-serve", "floats"}},
		{one, []string{filepath.Join(build, "peers-kelindar"), "-serve", "kelindar"}},
		{one, []string{filepath.Join(build, "peer-openblas")}},
		{one, []string{filepath.Join(build, "peer-blis")}},
		{one, []string{filepath.Join(build, "venv/bin/python"), script, python}},
	}
	if all {
		peers = append(peers, peer{one, []string{filepath.Join(build, "venv-torch/bin/python"), script, "torch"}})
	}
	for _, p := range peers {
		proc, err := start(filepath.Base(p.argv[0]), p.env, p.argv...)
		if p.argv[0] == self {
			check(err) // monge must start, because the table compares it with the other peers
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "peers: without %s: %v\n", p.argv[0], err)
			continue
		}
		d.processes = append(d.processes, proc)
	}
}

// entry contains the measurements of one peer, or of one variant of monge, in one case.
type entry struct {
	name    string
	process *process
	reps    int
	warm    int
	samples []float64 // ns, by round
	diff    float64   // difference from the result of monge
	least   float64   // lower bound for the time on this machine, in ns, or 0 if unknown
	bound   string    // resource that determines the lower bound, such as FMA or load
}

func (e *entry) min() float64 { return slices.Min(e.samples) }

func (e *entry) median() float64 { return median(e.samples) }

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// result contains the measurements of a case.
type result struct {
	testCase
	entries []*entry
	notes   []string
}

// sample is the minimum duration of a measurement. Calls that take less time are repeated within
// the measurement.
const sample = 5e6 // ns

// run measures a case. In each round it measures every peer once, after a call that fills the caches. The peers run in a random
// order in every round.
func (d *driver) run(c testCase, tmp string) (*result, error) {
	dir := filepath.Join(tmp, "case")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := parseSpec(c.name)
	if err := generate(s, dir, d.mnist); err != nil {
		return nil, err
	}
	// Only about a hundred thousand elements of a large result are compared.
	stride := s.int("n")*s.int("n")/200_000*2 + 1
	switch s.kind {
	case "wda", "exp", "log", "softmax", "logsumexp", "query", "nearest", "search", "codes", "pair", "bytes", "convert":
		stride = 1
	}
	r := &result{testCase: c}
	var want []float64
	slowest := 0.0
	for _, p := range d.processes {
		for _, impl := range p.impls {
			e := &entry{process: p}
			e.name, _, _ = strings.Cut(impl, "=")
			if e.name == c.slow && !d.full || !strings.HasPrefix(e.name, "ours") && !d.partners.MatchString(e.name) {
				continue
			}
			out := filepath.Join(dir, "result")
			reply, err := p.request("open %s %s %s %s %d", e.name, c.name, dir, out, stride)
			if err != nil {
				return nil, err
			}
			if reply == "no" {
				continue
			}
			got, err := readResult(out)
			if err != nil {
				return nil, err
			}
			if want == nil {
				want = got // ours come first
			}
			e.diff = difference(s.kind, got, want)
			if s.kind == "fit" {
				r.notes = append(r.notes, fmt.Sprintf("%s %s: 1/J = %.6g (lower is better)", c.name, e.name, got[0]))
				e.diff = relativeShortfall(e.name, got[0], want[0])
			}
			warm := 1
			if s.kind == "fit" {
				warm = 0
			}
			ns, err := d.time(e, 1, warm)
			if err != nil {
				return nil, err
			}
			e.reps = max(1, int(math.Ceil(sample/ns)))
			if ns < 2e7 {
				e.warm = 1
			}
			slowest = max(slowest, ns)
			r.entries = append(r.entries, e)
		}
	}
	rounds := d.rounds
	switch {
	case slowest > 5e9:
		rounds = max(rounds/5, 1)
	case slowest > 2e8:
		rounds = max(rounds*2/3, 1)
	}
	d.limit(s, r)
	for round := range rounds {
		for _, k := range d.rng.Perm(len(r.entries)) {
			e := r.entries[k]
			ns, err := d.time(e, e.reps, e.warm)
			if err != nil {
				return nil, err
			}
			e.samples = append(e.samples, ns)
			if d.raw != nil {
				fmt.Fprintf(d.raw, "%s,%s,%d,%.3f\n", c.name, e.name, round, ns)
			}
		}
	}
	d.limit(s, r) // measure again, because the machine may have been busy the first time
	for _, e := range r.entries {
		if _, err := e.process.request("close %s", e.name); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d peers, %d rounds\n", c.name, len(r.entries), rounds)
	return r, nil
}

// limit computes lower bounds for the running times of monge's kernels, from the measured rates of the machine.
func (d *driver) limit(s spec, r *result) {
	if d.machine == nil {
		return
	}
	d.machine.Again()
	for _, e := range r.entries {
		if phases := leastWork(s, e.name); strings.HasPrefix(e.name, "ours") && phases != nil {
			e.least, e.bound = d.machine.Least(phases)
		}
	}
}

func (d *driver) time(e *entry, reps, warm int) (float64, error) {
	reply, err := e.process.request("time %s %d %d", e.name, reps, warm)
	if err != nil {
		return 0, err
	}
	var ns float64
	if _, err := fmt.Sscan(reply, &ns); err != nil {
		return 0, fmt.Errorf("%s: reply %q: %w", e.name, reply, err)
	}
	return ns, nil
}

func readResult(path string) ([]float64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(b)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return x, nil
}

// difference returns the largest |got − want|, divided by the largest |want|. If kind is exp, each difference is divided by its
// own element of want. If the lengths differ, the result is +Inf.
func difference(kind string, got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	scale, worst := 0.0, 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i, w := range want {
		if got[i] == w {
			continue // avoids 0/0
		}
		if kind == "exp" {
			scale = math.Abs(w)
		}
		diff := math.Abs(got[i]-w) / scale
		if !(diff <= worst) {
			worst = diff
		}
	}
	return worst
}

// relativeShortfall compares two minima of 1/J: got, found by a peer or by a variant of monge, and ours, found by monge.
// For a peer, the result is positive if got is below ours. For a variant, the result is positive if got exceeds ours by
// more than 5 %.
func relativeShortfall(name string, got, ours float64) float64 {
	if strings.HasPrefix(name, "ours") {
		// A fit in float32 takes a different path, so a difference of a few percent is acceptable.
		return max(0, got/ours-1.05)
	}
	return max(0, 1-got/ours)
}

// header prints a description of the machine, the commit and the versions of the peers.
func header(d *driver) {
	fmt.Printf("- CPU: %s, level %s, %s/%s, %d cores, load average %s\n", cpu(), d.level, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), loadAverage())
	fmt.Printf("- Commit: %s, %s\n", commit(), runtime.Version())
	var versions []string
	for _, p := range d.processes {
		for _, impl := range p.impls {
			if !strings.HasPrefix(impl, "ours") {
				versions = append(versions, strings.Replace(impl, "=", " ", 1))
			}
		}
	}
	fmt.Printf("- Peers: %s\n", strings.Join(versions, ", "))
	if d.machine != nil {
		fmt.Printf("- Limits: %v\n", d.machine)
	}
	fmt.Println()
}

func cpu() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	field := func(name string) string {
		m := regexp.MustCompile(`(?m)^` + name + `\s*: (.*)$`).FindSubmatch(b)
		if m == nil {
			return "?"
		}
		return string(m[1])
	}
	return fmt.Sprintf("%s (family %s, model %s)", field("model name"), field("cpu family"), field("model"))
}

// loadAverage returns the load average. Figures of a busy machine are not reliable.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(b))[0]
}

func commit() string {
	b, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(b))
}
