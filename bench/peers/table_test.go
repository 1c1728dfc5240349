package main

import (
	"slices"
	"strings"
	"testing"
)

// TestJudge checks that the median ratio of all rounds decides which peer is best and whether a goal is met. With these times,
// the ratio of the minima would give a different answer.
func TestJudge(t *testing.T) {
	ours := &entry{name: "ours", samples: []float64{10, 20, 30}}
	faster := &entry{name: "faster", samples: []float64{9.5, 18, 60}}    // times divided by the times of ours: 0.95, 0.9, 2
	fastest := &entry{name: "fastest", samples: []float64{30, 16, 15}}   // times divided by the times of ours: 3, 0.8, 0.5
	slower := &entry{name: "slower", samples: []float64{9, 30, 45}}      // times divided by the times of ours: 0.9, 1.5, 1.5
	variant := &entry{name: "ours-f32", samples: []float64{99, 99, 999}} // has no goal
	for _, c := range []struct {
		goal    goal
		peers   []*entry
		verdict string
		missed  int
	}{
		{everyPeer, []*entry{slower, faster, fastest}, "≥ 1 fastest: MISSED", 1},
		{goalAgainst("slower|faster", 0.95), []*entry{slower, faster, fastest}, "≥ 0.95 faster: met", 0},
		{goalAgainst("slower", 1), []*entry{slower, faster, fastest}, "≥ 1 slower: met", 0},
		{goal{"slower", 1, 2}, []*entry{slower}, "≥ 2 slower: MISSED", 1},
		{goalAgainst("absent", 1), []*entry{slower}, "≥ 1: not measured", 0},
		{everyPeer, nil, "≥ 1: not measured", 0},
		{goal{}, []*entry{faster}, "", 0},
	} {
		tab := newTable("avx2")
		tab.add(&result{testCase: testCase{name: "lse/type=f64/n=1000", goal: c.goal}, entries: append([]*entry{ours, variant}, slices.Clone(c.peers)...)})
		if cells := strings.Split(tab.rows[0], " | "); cells[6] != c.verdict || len(tab.missed) != c.missed {
			t.Errorf("%+v: %q, missed %v", c.goal, cells[6], tab.missed)
		}
		if cells := strings.Split(tab.rows[1], " | "); cells[6] != "" {
			t.Errorf("ours-f32: %q", cells[6])
		}
	}
}
