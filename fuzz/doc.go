// Package fuzz holds every assembly file to the definition of its kernel on
// arguments that nobody has thought of: one target per kernel and type, each call
// made at every level of the machine, in framed memory and against unreadable
// pages, and compared in bits; and a pipeline, from points to the gradient of the
// transport cost, through the public solver.
//
//	go test ./fuzz                                          the seeds and what was ever found
//	go test -run '^$' -fuzz '^FuzzGibbsFloat32$' ./fuzz     one target, until stopped
//	MONGE_FUZZ_INPUTS=1000 go test -run Fuzz ./fuzz         random inputs, also under an emulator
//
// The bytes of an input are read in order as the numbers that a call needs: lengths,
// gaps between rows, offsets, classes of values, constants. What is left over
// serves as elements where the class is verbatim. An input that is too short
// goes on with zeros.
package fuzz
