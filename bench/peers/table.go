package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// table collects the rows of the printed table: one row for each case and variant of monge.
type table struct {
	level  string
	rows   []string
	goals  int
	missed []string
	notes  []string
	below  []string // messages about slow rows, whose ratio of the least possible time to the measured time is below the goal
	differ bool
}

func newTable(level string) *table { return &table{level: level} }

func (t *table) add(r *result) {
	t.notes = append(t.notes, r.notes...)
	var mine, peers []*entry
	for _, e := range r.entries {
		if strings.HasPrefix(e.name, "ours") {
			mine = append(mine, e)
		} else {
			peers = append(peers, e)
		}
	}
	worst := ""
	largest := 0.0
	for _, e := range r.entries {
		if !(e.diff <= largest) {
			largest, worst = e.diff, " "+e.name
		}
		if !(e.diff <= r.allowed(e.name)) {
			t.differ = true
			worst += " DIFFERS"
		}
	}
	for _, o := range mine {
		slices.SortFunc(peers, func(a, b *entry) int { return cmp.Compare(o.ratioOf(a), o.ratioOf(b)) })
		verdict := ""
		if o.name == "ours" && r.goal.ratioAt(t.level) > 0 {
			verdict = t.judge(r.name, r.goal, o, peers)
		}
		best := "| – | – | – "
		if len(peers) > 0 {
			best = fmt.Sprintf("| %s | %s · %s | **%s** ", peers[0].name, microseconds(peers[0].min()), microseconds(peers[0].median()), ratio(o, peers[0]))
		}
		var others []string
		for _, p := range peers[min(1, len(peers)):] {
			others = append(others, fmt.Sprintf("%s %s (%s)", p.name, microseconds(p.min()), ratio(o, p)))
		}
		t.rows = append(t.rows, fmt.Sprintf("| %s | %s | %s · %s %s| %s | %s | %.1e%s | %s |",
			r.name, o.name, microseconds(o.min()), microseconds(o.median()), best, verdict, strings.Join(others, ", "), largest, worst, t.share(r.name, o)))
	}
}

// allowed returns the largest accepted difference between the results of a peer and of monge. This difference is larger for
// a kernel matrix in float32, which has rounding errors, and for tphakala/simd, whose exp has errors of up to 1e-5.
func (r *result) allowed(peer string) float64 {
	switch {
	case peer == "ours-mixed":
		return max(r.tolerance, 2e-7)
	case peer == "tphakala" && strings.HasPrefix(r.name, "exp/"):
		return 1e-5
	}
	return r.tolerance
}

// share returns a text with the ratio of the lower bound to the measured time, and the resource that determines the bound.
func (t *table) share(name string, o *entry) string {
	if o.least == 0 {
		return "–"
	}
	s := parseSpec(name)
	share := o.least / o.min()
	if share < limitGoal(s) {
		t.below = append(t.below, fmt.Sprintf("%s %s: %.2f of %s, goal %g: %s", name, o.name, share, o.bound, limitGoal(s), missReason(name, o.name)))
	}
	return fmt.Sprintf("%.2f %s", share, o.bound)
}

// judge returns a text that says whether the goal g is met. The slice peers is sorted, with the best peer first.
func (t *table) judge(name string, g goal, o *entry, peers []*entry) string {
	want := g.ratioAt(t.level)
	for _, p := range peers {
		if g.peers == "" || slices.Contains(strings.Split(g.peers, "|"), p.name) {
			t.goals++
			verdict := "met"
			if o.ratioOf(p) < want {
				verdict = "MISSED"
				t.missed = append(t.missed, fmt.Sprintf("%s %s: %s against %s, goal %g", name, o.name, ratio(o, p), p.name, want))
			}
			return fmt.Sprintf("≥ %g %s: %s", want, p.name, verdict)
		}
	}
	return fmt.Sprintf("≥ %g: not measured", want)
}

func (t *table) print(w io.Writer) {
	fmt.Fprintln(w, "| case | ours | µs min · median | best peer | µs min · median | ratio | goal | other peers, µs (ratio) | results differ by | share of the limit |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range t.rows {
		fmt.Fprintln(w, r)
	}
	fmt.Fprintf(w, "\nRatio: the peer's time by ours, of the minima (and the median of the ratios of each round, which judges goals and orders peers). Share of the limit: the time that this machine needs at least for what is named, measured in the same run, by ours. %d of %d goals are met.\n", t.goals-len(t.missed), t.goals)
	for _, m := range t.missed {
		fmt.Fprintln(w, "- missed:", m)
	}
	for _, b := range t.below {
		fmt.Fprintln(w, "- below:", b)
	}
	for _, n := range t.notes {
		fmt.Fprintln(w, "-", n)
	}
	if t.differ {
		fmt.Fprintln(w, "\nSOME RESULTS DIFFER by more than their tolerance: see the last column.")
	}
}

// ratioOf returns the median over all rounds of the ratio of the peer's time to monge's time.
func (o *entry) ratioOf(peer *entry) float64 {
	rs := make([]float64, len(o.samples))
	for i := range rs {
		rs[i] = peer.samples[i] / o.samples[i]
	}
	return median(rs)
}

// ratio returns, as text, the least time of peer p divided by the least time of o. The median ratio of all rounds follows
// in parentheses.
func ratio(o, p *entry) string {
	return fmt.Sprintf("%s (%s)", threeDigits(p.min()/o.min()), threeDigits(o.ratioOf(p)))
}

func microseconds(ns float64) string { return threeDigits(ns / 1000) }

// threeDigits formats x with three significant digits and without an exponent.
func threeDigits(x float64) string {
	digits := 0
	if x > 0 && x < 100 {
		digits = max(0, 2-int(math.Floor(math.Log10(x))))
	}
	return fmt.Sprintf("%.*f", digits, x)
}
