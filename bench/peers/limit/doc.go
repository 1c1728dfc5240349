// Package limit measures the highest rates of a machine and computes a lower bound for the time of a computation.
//
// A [Machine] runs assembly loops for the instruction set in use. The loops execute independent fused
// multiply-adds, divisions and square roots, and load and store a buffer of a given size. The machine keeps
// the highest measured rate of every loop.
//
// A [Phase] describes a part of a computation by its operation counts. FMAs, divisions, loads and stores run in separate
// units of the processor at the same time. So a phase takes at least as long as the operations of its slowest unit. The
// phases of a computation run one after another. The bound is for one thread.
package limit
