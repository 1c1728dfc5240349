package limit

import "github.com/gomonge/monge/internal/asm"

// set contains the loops of one instruction set. n is the number of iterations.
type set struct {
	fma             func(n int)    // an iteration computes fmas vectors
	div, sqrt       [2]func(n int) // for float32 and float64; an iteration computes divisions vectors
	fmas, divisions float64
	reads           []mover // several ways to load; the fastest depends on the cache level
	write           mover
}

// mover loads or stores memory. In each of turns iterations, move accesses four lines, stride bytes apart, and then advances
// by step bytes. It repeats this rounds times.
type mover struct {
	move func(p *byte, turns, stride, step, rounds int)
	line int // bytes
}

// loops returns the loops of a level. All fields are nil if the level has no loops.
func loops(level asm.Level) set { return loopsOf(level) }
