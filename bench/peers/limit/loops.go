package limit

import "github.com/gomonge/monge/internal/asm"

// loopSet contains the loops of one instruction set. The argument n of a loop is the number of iterations.
type loopSet struct {
	fma             func(n int)    // loop of FMAs
	div, sqrt       [2]func(n int) // loops of divisions and square roots, for float32 and float64
	fmas, divisions float64
	reads           []mover // several loops of loads; the fastest loop depends on the cache level
	write           mover
}

// mover loads or stores a buffer. A call of move makes the given number of rounds over the buffer, with turns iterations per
// round. An iteration accesses four cache lines that start stride bytes apart. The next iteration starts step bytes later.
type mover struct {
	move func(p *byte, turns, stride, step, rounds int)
	line int // bytes
}

// loops returns the loops for an instruction-set level. All fields are nil if there are no loops for this level.
func loops(level asm.Level) loopSet { return loopsOf(level) }
