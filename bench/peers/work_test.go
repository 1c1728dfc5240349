package main

import (
	"slices"
	"strings"
	"testing"
)

var variants = []string{"ours", "ours-f32", "ours-mixed", "ours-2", "ours-2-f32"}

// TestWork checks that leastWork has operation counts for every single-threaded case. The exceptions are whole fits, searches,
// conversions, functions of bytes, product-quantized rows, and package emd.
func TestWork(t *testing.T) {
	for _, c := range testCases() {
		s := parseSpec(c.name)
		for _, ours := range variants {
			phases := leastWork(s, ours)
			known := !slices.Contains([]string{"fit", "codes", "bytes", "convert", "nearest", "search"}, s.kind) && !slices.Contains(exactKinds, s.kind) && !strings.HasPrefix(ours, "ours-2")
			if (phases != nil) != known {
				t.Errorf("%s %s: %d phases", c.name, ours, len(phases))
			}
			for _, p := range phases {
				if p.Bits != 32 && p.Bits != 64 || !(p.FMAs > 0) {
					t.Errorf("%s %s: %+v", c.name, ours, p)
				}
			}
		}
	}
	// The expected values for an iteration with a 1000 × 1000 matrix K in float32 were computed by hand.
	p := leastWork(parseSpec("iterate/type=f64/n=1000/lambda=20"), "ours-mixed")[0]
	if p.FMAs != 2e6 || p.Divs != 2000 || p.Reads[0].Bytes != 4e6 || p.Reads[1].Bytes != 8e6 || p.Bits != 64 {
		t.Errorf("%+v", p)
	}
	if p := leastWork(parseSpec("wda/type=f64/n=500/d=4096/p=14/classes=10/iters=10/lambda=1"), "ours-f32")[0]; p.FMAs != 500*500*14 || p.Bits != 32 {
		t.Errorf("%+v", p)
	}
}

// TestReasons checks that every case with a goal has an explanation in reasons, and that every explanation matches a case.
func TestReasons(t *testing.T) {
	used := map[string]bool{}
	for _, c := range testCases() {
		for _, ours := range variants {
			if s := parseSpec(c.name); limitGoal(s) > 0 && leastWork(s, ours) != nil {
				text := missReason(c.name, ours)
				if text == "not known" {
					t.Errorf("%s %s has no reason", c.name, ours)
				}
				used[text] = true
			}
		}
	}
	for _, r := range reasons {
		if !used[r.text] {
			t.Errorf("no row for %+v", r)
		}
	}
}

// TestShare checks that a row shows the ratio of the lower bound to the measured time, and the resource that determines the bound.
// A row below its goal must be listed with the reason.
func TestShare(t *testing.T) {
	tab := newTable("avx2")
	name := "lse/type=f64/n=1000"
	for _, c := range []struct {
		least float64
		want  string
	}{{0, "–"}, {90, "0.90 FMA"}, {50, "0.50 FMA"}} {
		if got := tab.share(name, &entry{name: "ours", samples: []float64{120, 100}, least: c.least, bound: "FMA"}); got != c.want {
			t.Errorf("share %q, want %q", got, c.want)
		}
	}
	if len(tab.below) != 1 || !strings.HasPrefix(tab.below[0], name+" ours: 0.50 of FMA, goal 0.85: the maximum of a row") {
		t.Error(tab.below)
	}
}
