// Package fuzz compares every assembly kernel with its Go reference implementation on arbitrary arguments.
// There is one fuzz target for each kernel and type. The target runs the kernel with every instruction set
// of the machine and compares the bits of the results. The arguments are in memory between guard values, next to
// unreadable pages. Other targets fuzz packages emd, search and sinkhorn.
//
//	go test ./fuzz                                          the seeds and earlier findings
//	go test -run '^$' -fuzz '^FuzzGibbsFloat32$' ./fuzz     one target, until stopped
//	MONGE_FUZZ_INPUTS=1000 go test -run Fuzz ./fuzz         random inputs, also under an emulator
//
// A target reads the arguments of a call from the input: lengths, gaps between rows, offsets, classes of
// values and constants. The remaining bytes may become the elements of vectors. An input that is too short
// continues with zeros.
package fuzz
