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

// mover loads or stores a buffer. The function move passes over the buffer several times: rounds is the number of passes, and
// turns is the number of iterations in a pass. An iteration accesses four blocks of two vectors. The blocks start stride bytes
// apart. The next iteration starts step bytes later.
type mover struct {
	move func(p *byte, turns, stride, step, rounds int)
	line int // size of a block in bytes
}

// loops returns the loops for an instruction-set level. All fields are nil if there are no loops for this level.
func loops(level asm.Level) loopSet { return loopsOf(level) }
