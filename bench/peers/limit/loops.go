package limit

import "github.com/gomonge/monge/internal/asm"

// loopSet contains the loops of one instruction set. The argument n of a loop is the number of iterations.
type loopSet struct {
	fma             func(n int)    // loop of FMAs
	div, sqrt       [2]func(n int) // loops of divisions and square roots, for float32 and float64
	fmas, divisions float64
	reads           []mover // several loading loops; the fastest one depends on the cache level
	write           mover
}

// mover loads or stores a buffer. The function move loops over the whole buffer. The argument rounds is the number of such loops,
// and the argument turns is the number of iterations of one loop. Every iteration accesses four cache lines, with the distance
// stride between two lines, and then advances by step. Both stride and step are byte counts.
type mover struct {
	move func(p *byte, turns, stride, step, rounds int)
	line int // bytes
}

// loops returns the loops for an instruction-set level. All fields are nil if there are no loops for this level.
func loops(level asm.Level) loopSet { return loopsOf(level) }
