package limit

import "github.com/gomonge/monge/internal/asm"

// set has the loops of one instruction set. A function without a purpose of its own has an n:
// how often it goes round.
type set struct {
	fma             func(n int)    // fmas vectors of FMAs in a turn
	div, sqrt       [2]func(n int) // divisions vectors in a turn, of float32 and float64
	fmas, divisions float64
	reads           []mover // several ways to load, of which the fastest depends on where the memory is
	write           mover
}

// mover loads or stores memory: move takes four lines in each of turns turns, stride bytes apart, and goes step bytes on
// after each; rounds times from the beginning.
type mover struct {
	move func(p *byte, turns, stride, step, rounds int)
	line int // bytes
}

// loops returns the loops of a level; all fields are nil where there are none.
func loops(level asm.Level) set { return loopsOf(level) }
