// Package limit measures the highest rates of a machine and computes the least time of a piece of work.
//
// A [Machine] runs loops in assembly for the instruction set in use: fused multiply-adds,
// divisions and square roots that do not wait for each other, and loads and stores of a buffer
// of a given size. It keeps the highest measured rate of each.
//
// A [Phase] is a piece of work, described by the numbers of its operations. FMAs, divisions, loads and stores run in
// separate units at the same time, so a phase takes at least as long as its slowest part alone. The phases of a piece of
// work follow each other. The bound holds for one thread.
package limit
