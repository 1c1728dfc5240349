package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

func mapKeys[K cmp.Ordered, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

// source describes the origin of a raw file. The file name contains the day, the machine and the instruction-set level.
type source struct {
	file, day, machine, level string
	header                    []string // lines of the file about the CPU, the commit and the peers
}

func (s source) title() string { return s.machine + ", " + levelNames[s.level] + ", " + s.day }

func (s source) link() string {
	return fmt.Sprintf("[%s](../../bench/tools/results/%s)", s.file, s.file)
}

var machineNames = map[string]string{"zen3": "Zen 3", "zen4": "Zen 4", "sapphire-rapids": "Sapphire Rapids", "intel-xeon": "Intel Xeon", "github-arm": "GitHub's Arm machine"}

var levelNames = map[string]string{"avx2": "AVX2", "avx512": "AVX-512", "neon": "NEON", "ref": "plain Go"}

// measured contains the rows of bench/peers in one file. If the file has several runs, each time is the minimum over the
// runs.
type measured struct {
	source
	rows  []*row
	below []string // messages about slow rows, whose ratio of the least possible time to the measured time is below the goal
}

// row contains the times of one variant of monge and of the peers in one case, in µs.
type row struct {
	name, variant string
	ours          float64
	peers         map[string]float64
	order         []string
	share         float64 // ratio of the lower bound to the measured time, or 0 if unknown
	bound         string  // resource that determines the lower bound, such as FMA or load
}

// listing is a raw file that is shown nearly unchanged.
type listing struct {
	source
	text string
}

type results struct {
	measured                                       []*measured
	latency, levels, converge, accuracyRaw, scales []listing
}

var fileName = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)-(.+)-(avx512|avx2|neon|ref)-([a-z]+)\.(md|txt|csv|png)$`)

// add adds a raw file to the results.
func (r *results) add(name, text string) error {
	parts := fileName.FindStringSubmatch(name)
	if parts == nil {
		return fmt.Errorf("the name is not DATE-MACHINE-LEVEL-KIND.md, .txt or .csv")
	}
	s := source{file: name, day: parts[1], machine: machineNames[parts[2]], level: parts[3]}
	if s.machine == "" {
		s.machine = parts[2]
	}
	if parts[5] == "png" {
		return nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, key := range []string{"CPU:", "Commit:", "commit", "Peers:", "Limits:", "Commands:"} {
			if strings.HasPrefix(strings.TrimPrefix(line, "- "), key) {
				s.header = append(s.header, "- "+strings.TrimPrefix(line, "- "))
			}
		}
	}
	list := listing{s, text}
	switch parts[4] {
	case "peers", "all", "fit":
		m := &measured{source: s}
		r.measured = append(r.measured, m)
		return m.parse(text)
	case "latency":
		r.latency = append(r.latency, list)
	case "levels":
		r.levels = append(r.levels, list)
	case "converge":
		r.converge = append(r.converge, list)
	case "accuracy":
		r.accuracyRaw = append(r.accuracyRaw, list)
	case "scaling":
		r.scales = append(r.scales, list)
	default:
		return fmt.Errorf("%q is not a known kind of result", parts[4])
	}
	return nil
}

var other = regexp.MustCompile(`([\w-]+) ([\d.]+) \(`)

// parse reads the tables of bench/peers.
func (m *measured) parse(text string) error {
	byName := map[string]*row{}
	for line := range strings.Lines(text) {
		if b, ok := strings.CutPrefix(line, "- below: "); ok {
			m.below = append(m.below, strings.TrimSpace(b))
		}
		cells := strings.Split(line, " | ")
		if len(cells) < 8 || !strings.Contains(cells[0], "type=") {
			continue
		}
		name, variant := strings.TrimPrefix(cells[0], "| "), cells[1]
		c := byName[name+variant]
		if c == nil {
			c = &row{name: name, variant: variant, peers: map[string]float64{}}
			byName[name+variant] = c
			m.rows = append(m.rows, c)
		}
		least := func(old float64, text string) (float64, error) {
			first, _, _ := strings.Cut(text, " ·")
			v, err := strconv.ParseFloat(first, 64)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", name, err)
			}
			if old > 0 {
				v = min(old, v)
			}
			return v, nil
		}
		peer := func(name, text string) (err error) {
			if _, ok := c.peers[name]; !ok {
				c.order = append(c.order, name)
			}
			c.peers[name], err = least(c.peers[name], text)
			return err
		}
		var err error
		if c.ours, err = least(c.ours, cells[2]); err != nil {
			return err
		}
		if cells[3] != "–" {
			if err := peer(cells[3], cells[4]); err != nil {
				return err
			}
		}
		for _, o := range other.FindAllStringSubmatch(cells[7], -1) {
			if err := peer(o[1], o[2]); err != nil {
				return err
			}
		}
		if len(cells) > 9 { // older files have no column for the lower bound divided by the time
			share, bound, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(cells[9]), " |"), " ")
			if v, err := strconv.ParseFloat(share, 64); err == nil && v > c.share {
				c.share, c.bound = v, bound
			}
		}
	}
	if len(m.rows) == 0 {
		return fmt.Errorf("no rows as bench/peers prints them")
	}
	return nil
}

// fastest returns the name of the fastest library of the row c other than monge. It returns "" if the row has only monge.
func (c *row) fastest() string {
	best := ""
	for _, p := range c.order {
		if best == "" || c.peers[p] < c.peers[best] {
			best = p
		}
	}
	return best
}

// ratio returns the peer's time divided by monge's time as text. A ratio below 1 is bold. If the peer did not run the case, ratio
// returns a dash.
func (c *row) ratio(peer string) string {
	if c == nil || c.peers[peer] == 0 {
		return "–"
	}
	text := twoDigits(c.peers[peer] / c.ours)
	if c.peers[peer] < c.ours {
		text = "**" + text + "**"
	}
	return text
}

// limit returns a text with the ratio of the lower bound to the measured time, and the resource that determines the bound.
func (c *row) limit() string {
	if c.share == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f %s", c.share, c.bound)
}

// short returns the ratio of the peer's time to monge's time as text. If share is true, the ratio of the lower bound to the
// measured time follows in parentheses.
func (c *row) short(peer string, share bool) string {
	text := c.ratio(peer)
	if share && c != nil && c.share > 0 && text != "–" {
		text += fmt.Sprintf(" (%.2f)", c.share)
	}
	return text
}

// find returns the row of a case and a variant, or nil.
func (m *measured) find(name, variant string) *row {
	for _, c := range m.rows {
		if c.name == name && c.variant == variant {
			return c
		}
	}
	return nil
}

// twoDigits and threeDigits format a number with two or three significant digits. Large numbers have all digits before the
// decimal point.
func twoDigits(x float64) string   { return significant(x, 2) }
func threeDigits(x float64) string { return significant(x, 3) }

func significant(x float64, digits int) string {
	decimals := digits - 1
	for v := x; v >= 10 && decimals > 0; v /= 10 {
		decimals--
	}
	for v := x; v > 0 && v < 1 && decimals < digits+3; v *= 10 {
		decimals++
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// bench is an output line of go test -bench. It contains the name of the benchmark, without the number of processors, and
// the measured value for every unit.
type bench struct {
	name   string
	values map[string]float64
}

// processors matches the suffix with the number of processors in the name of a benchmark.
var processors = regexp.MustCompile(`-\d+$`)

// benchmarks returns the benchmark results from a raw file. It reads only the sections whose first line contains the given
// substring. The first line of a section has the form "commit …: command".
func benchmarks(text, what string) []bench {
	var out []bench
	in := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "commit") {
			in = strings.Contains(line, what)
		}
		fields := strings.Fields(line)
		if !in || len(fields) < 4 || !strings.HasPrefix(line, "Benchmark") {
			continue
		}
		b := bench{strings.TrimPrefix(processors.ReplaceAllString(fields[0], ""), "Benchmark"), map[string]float64{}}
		for i := 2; i+1 < len(fields); i += 2 {
			b.values[fields[i+1]], _ = strconv.ParseFloat(fields[i], 64)
		}
		out = append(out, b)
	}
	return out
}

// value returns the value of a key in the benchmark name, which has the form Name/key=value/key=value.
func (b bench) value(key string) string { return nameValue(b.name, key) }

func nameValue(name, key string) string {
	_, rest, _ := strings.Cut("/"+name, "/"+key+"=")
	rest, _, _ = strings.Cut(rest, "/type=")
	if key != "load" { // a value of load may contain a slash
		rest, _, _ = strings.Cut(rest, "/")
	}
	return rest
}

// points contains the measurements of bench/tools/scaling for one varied quantity.
type points struct {
	axis, remark string
	values       [][2]string // value, ms
}

func scalingAxes(text string) ([]points, error) {
	var out []points
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# "); ok && len(out) > 0 {
			out[len(out)-1].remark = rest
		}
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "axis") || line == "" {
			continue
		}
		f, err := csv.NewReader(strings.NewReader(line)).Read()
		if err != nil || len(f) < 3 {
			return nil, fmt.Errorf("line %q: %v", line, err)
		}
		if len(out) == 0 || out[len(out)-1].axis != f[0] {
			out = append(out, points{axis: f[0]})
		}
		last := &out[len(out)-1]
		last.values = append(last.values, [2]string{f[1], f[2]})
	}
	return out, nil
}

// measuredError is an error that a test logged.
type measuredError struct {
	error     float64
	subnormal bool // whether the result with this error is subnormal
}

var logged = regexp.MustCompile(`largest error ([\d.]+) ULP|: error ([\d.]+) of the bound`)

// argument matches a negative argument of exp or 2^y in a logged line.
var argument = regexp.MustCompile(`(?:exp\(|2\^| at )(-[\d.]+)`)

// errorsOf returns the errors in the output of go test -v. The map key is the name of the test.
func errorsOf(text string) map[string][]measuredError {
	out := map[string][]measuredError{}
	test := ""
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] == "===" {
			test = f[2]
		}
		if m := logged.FindStringSubmatch(line); m != nil {
			e, _ := strconv.ParseFloat(m[1]+m[2], 64)
			small := false
			if at := argument.FindStringSubmatch(line); at != nil && strings.Contains(test, "Exp") {
				x, _ := strconv.ParseFloat(at[1], 64)
				least := -708.396 // results of exp are subnormal for smaller x
				if single := strings.Contains(test, "Ref32") || strings.Contains(test, "/f32/"); strings.Contains(test, "Exp2") {
					if least = -1022; single {
						least = -126
					}
				} else if single {
					least = -87.336
				}
				small = x < least
			}
			out[test] = append(out[test], measuredError{e, small})
		}
	}
	return out
}
