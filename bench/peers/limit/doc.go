// Package limit measures what a machine can do at most, and says how long a piece of work takes
// at least.
//
// A [Machine] runs loops in assembly for the instruction set in use: fused multiply-adds,
// divisions and square roots that do not wait for each other, and loads and stores of a buffer
// of a given size. It keeps the highest rate that it has seen of each.
//
// A [Phase] is a piece of work by its counts. It takes at least as long as the slowest of its
// parts alone: FMAs, divisions, loads and stores have units of their own, so that they can run at
// the same time. The phases of a work are one after the other. The bound is of one thread.
package limit
