package turns

import (
	"maps"
	"slices"
	"sync"

	"github.com/gomonge/monge/prove/internal/code"
)

// loop is a natural loop of machine code: its first instruction, and those that lead to a jump back to it and
// not out of the loop. They need not lie one behind the other.
type loop struct {
	first uint64
	has   map[uint64]bool
	ends  map[uint64]bool // conditional jumps to first that are the last of a turn if they are not taken
	exits map[uint64]bool // jumps of which one way leaves the loop
}

// found are the loops of functions, which runs share.
var found sync.Map // of *code.Inst, the first one, to map[uint64]*loop

// loopsOf returns the loops of a function by their first instructions.
func loopsOf(f *code.Function, effect func(*code.Inst) *Effect) map[uint64]*loop {
	if known, ok := found.Load(f.Order[0]); ok {
		return known.(map[uint64]*loop)
	}
	// next are the instructions that may follow, the one behind first.
	next, before := map[uint64][]uint64{}, map[uint64][]uint64{}
	inside := map[uint64]bool{}
	for _, i := range f.Order {
		inside[i.Addr] = true
	}
	for n, i := range f.Order {
		e := effect(i)
		to := uint64(0)
		if e != nil && inside[e.To] {
			to = e.To
		}
		if n+1 < len(f.Order) && i.Op != "ret" && (to == 0 || e.Branch) {
			next[i.Addr] = append(next[i.Addr], f.Order[n+1].Addr)
		}
		if to != 0 {
			next[i.Addr] = append(next[i.Addr], to)
		}
		for _, a := range next[i.Addr] {
			before[a] = append(before[a], i.Addr)
		}
	}
	loops := map[uint64]*loop{}
	for _, j := range jumpsBack(f.Order[0].Addr, next) {
		l := loops[j.to]
		if l == nil {
			l = &loop{first: j.to, has: map[uint64]bool{j.to: true}, ends: map[uint64]bool{}, exits: map[uint64]bool{}}
			loops[j.to] = l
		}
		for work := []uint64{j.from}; len(work) > 0; {
			a := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.has[a] {
				l.has[a] = true
				work = append(work, before[a]...)
			}
		}
	}
	for _, l := range loops {
		for a := range l.has {
			if out := slices.IndexFunc(next[a], func(to uint64) bool { return !l.has[to] }); out >= 0 || len(next[a]) == 0 {
				l.exits[a] = true
				l.ends[a] = out == 0 && len(next[a]) == 2 && next[a][1] == l.first
			}
		}
	}
	found.Store(f.Order[0], maps.Clone(loops))
	return loops
}

// edge is a jump, or a step to the instruction behind.
type edge struct{ from, to uint64 }

// jumpsBack returns the jumps to instructions that every way to them has passed.
func jumpsBack(entry uint64, next map[uint64][]uint64) (back []edge) {
	const open, done = 1, 2
	state := map[uint64]int{entry: open}
	type visit struct {
		at  uint64
		way int
	}
	for path := []visit{{entry, 0}}; len(path) > 0; {
		v := &path[len(path)-1]
		if v.way == len(next[v.at]) {
			state[v.at] = done
			path = path[:len(path)-1]
			continue
		}
		to := next[v.at][v.way]
		v.way++
		switch state[to] {
		case open:
			back = append(back, edge{v.at, to})
		case 0:
			state[to] = open
			path = append(path, visit{to, 0})
		}
	}
	return back
}
