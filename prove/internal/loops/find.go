package loops

import (
	"maps"
	"slices"
	"sync"

	"github.com/gomonge/monge/prove/internal/code"
)

// loop is a natural loop of machine code. body contains the first instruction and all instructions
// that lead to a jump back to the first instruction. The instructions need not be contiguous.
type loop struct {
	first         uint64
	body          map[uint64]bool
	iterationEnds map[uint64]bool // conditional jumps that start the next iteration if taken, and otherwise leave the loop
	exits         map[uint64]bool // instructions with a successor outside the loop
}

// loopCache caches the loops of functions for all runs.
var loopCache sync.Map // the key is the first *code.Inst of a function, the value is the result of loopsOf

// loopsOf returns the loops of a function. The map keys are the addresses of the first
// instructions.
func loopsOf(f *code.Function, effect func(*code.Inst) *Effect) map[uint64]*loop {
	if known, ok := loopCache.Load(f.Order[0]); ok {
		return known.(map[uint64]*loop)
	}
	// next holds the possible successors of each instruction. The next instruction in memory comes
	// first.
	next, before := map[uint64][]uint64{}, map[uint64][]uint64{}
	inside := map[uint64]bool{}
	for _, i := range f.Order {
		inside[i.Addr] = true
	}
	for n, i := range f.Order {
		e := effect(i)
		to := uint64(0)
		if e != nil && inside[e.Target] {
			to = e.Target
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
			l = &loop{first: j.to, body: map[uint64]bool{j.to: true}, iterationEnds: map[uint64]bool{}, exits: map[uint64]bool{}}
			loops[j.to] = l
		}
		for work := []uint64{j.from}; len(work) > 0; {
			a := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.body[a] {
				l.body[a] = true
				work = append(work, before[a]...)
			}
		}
	}
	for _, l := range loops {
		for a := range l.body {
			if out := slices.IndexFunc(next[a], func(to uint64) bool { return !l.body[to] }); out >= 0 || len(next[a]) == 0 {
				l.exits[a] = true
				l.iterationEnds[a] = out == 0 && len(next[a]) == 2 && next[a][1] == l.first
			}
		}
	}
	loopCache.Store(f.Order[0], maps.Clone(loops))
	return loops
}

// edge leads from an instruction to a possible successor.
type edge struct{ from, to uint64 }

// jumpsBack returns the jumps whose target dominates the jump: every path from the entry to the
// jump passes the target.
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
