// Package fuzz compares every assembly kernel with its Go reference on arbitrary arguments. There
// is one fuzz target for each kernel and type. It calls the kernel with every instruction set of
// the machine, in memory between guard values and next to unreadable pages, and compares the bits.
// Other targets fuzz packages emd, search and sinkhorn, from points to the gradient of the
// transport cost.
//
//	go test ./fuzz                                          the seeds and earlier findings
//	go test -run '^$' -fuzz '^FuzzGibbsFloat32$' ./fuzz     one target, until stopped
//	MONGE_FUZZ_INPUTS=1000 go test -run Fuzz ./fuzz         random inputs, also under an emulator
//
// A target reads the numbers that a call needs from the input: lengths, gaps between rows, offsets,
// classes of values, constants. The remaining bytes are the elements of verbatim vectors. An input
// that is too short continues with zeros.
package fuzz
