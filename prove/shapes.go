package main

func grid(ms, ns []int, f func(m, n int) []shape) (out []shape) {
	for _, m := range ms {
		for _, n := range ns {
			out = append(out, f(m, n)...)
		}
	}
	return out
}

func upTo(n int, more ...int) (out []int) {
	for i := 1; i <= n; i++ {
		out = append(out, i)
	}
	return append(out, more...)
}

// matrixShapes covers passes over a matrix: every tail of columns with zero to three turns of
// the loop of steps, every number of rows up to three blocks, with and without padding.
func matrixShapes(lanes int) []shape {
	shapes := grid(upTo(13), upTo(4*lanes+1, 6*lanes-1, 6*lanes, 8*lanes+1), func(m, n int) []shape {
		return []shape{{m: m, n: n, pad: (m + n) % 2 * 3}}
	})
	// Long rows and blocks of many rows have loops of their own.
	one := func(m, n int) []shape { return []shape{{m: m, n: n}} }
	shapes = append(shapes, grid([]int{16, 17, 18, 24, 27, 33, 40}, []int{1, lanes, 2*lanes + 3, 5 * lanes, 9*lanes + 1}, one)...)
	return append(shapes, grid([]int{4, 9, 17, 25}, []int{20*lanes + 3, 21 * lanes, 64*lanes + 5, 130*lanes + 1, 280 * lanes}, one)...)
}

func vectorShapes(lanes int) []shape {
	return grid([]int{1}, append([]int{0}, upTo(10*lanes+1, 16*lanes-1, 17*lanes)...), func(_, n int) []shape { return []shape{{n: n}} })
}

// expShapes covers vectors of which one turn of a loop takes two to four times 64 bytes: every
// tail after none, and some after one to four turns.
func expShapes(lanes int) []shape {
	return grid([]int{1}, upTo(3*lanes+1, 4*lanes, 4*lanes+1, 5*lanes+3, 6*lanes, 6*lanes+1, 8*lanes+3, 9*lanes), func(_, n int) []shape { return []shape{{n: n}} })
}

// logShapes covers passes of the log domain: every tail, zero to three turns of the loops over
// columns, and up to three rows.
func logShapes(lanes int) []shape {
	return grid(upTo(3), upTo(lanes+1, 2*lanes-1, 2*lanes, 3*lanes, 3*lanes+1, 4*lanes, 5*lanes+1, 6*lanes, 7*lanes+2, 9*lanes), func(m, n int) []shape {
		return []shape{{m: m, n: n, pad: (m + n) % 2 * 3}}
	})
}

// groupShapes covers vectors that are taken in groups of 64 bytes: none to three, and some tails.
func groupShapes(lanes int) []shape {
	return grid([]int{1}, []int{0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes, 2*lanes + 3, 3 * lanes}, func(_, n int) []shape { return []shape{{n: n}} })
}

// gibbsShapes covers the Gibbs kernel: every tail of rows and columns, one to five features.
func gibbsShapes(lanes int) (out []shape) {
	for _, d := range []int{1, 2, 3, 4, 5} {
		ms, ns := []int{1, 2, 3}, []int{1, lanes + 1}
		if d < 3 {
			ms, ns = upTo(7, 8, 9, 13), []int{1, 2, 3, 6, lanes/2 - 1, lanes / 2, lanes/2 + 1, lanes - 1, lanes, lanes + 1, 2*lanes - 1, 2 * lanes, 3*lanes + 1}
		}
		out = append(out, grid(ms, ns, func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d, pad: (m + n) % 2, flag: (m+n)/2%2 == 1}}
		})...)
	}
	return out
}

func laneShapes(lanes int) []shape {
	return grid([]int{4, 8, 12, 16}, []int{lanes, 2 * lanes, 3 * lanes, 4 * lanes}, func(m, n int) (out []shape) {
		for _, d := range []int{0, 1, 2, 3, 4, 5, 8, 16} {
			out = append(out, shape{m: m, n: n, d: d})
		}
		return out
	})
}

func blockShapes(lanes int) []shape {
	return grid(upTo(9, 12, 13, 36), []int{lanes, 2 * lanes, 3 * lanes, 4 * lanes, 5 * lanes}, func(m, n int) []shape {
		return []shape{{m: m, n: n}, {m: m, n: n, pad: 2}}
	})
}

func productShapes(lanes int) (out []shape) {
	for _, d := range []int{0, 1, 2, 3, 4, 5} {
		out = append(out, grid(upTo(10, 16, 17, 23), upTo(lanes+1, 2*lanes-1, 2*lanes, 2*lanes+1, 3*lanes, 4*lanes-1, 4*lanes, 5*lanes+2), func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d, pad: (m + n) % 2, flag: (m+n)/2%2 == 1}}
		})...)
	}
	// Sums over many features, and wide rows, have loops of their own.
	for _, d := range []int{15, 16, 17, 18, 32, 33, 49} {
		out = append(out, grid([]int{1, 3, 8, 9}, []int{1, lanes, 2*lanes + 1, 4 * lanes}, func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d}, {m: m, n: n, d: d, flag: true}}
		})...)
	}
	// Rows far apart are fetched ahead.
	out = append(out, grid([]int{3, 9}, []int{1, 2*lanes + 1}, func(m, n int) []shape { return []shape{{m: m, n: n, d: 2, pad: 600}} })...)
	return append(out, grid([]int{3, 8, 16, 21}, []int{6*lanes + 1, 7 * lanes, 9*lanes + 3, 17*lanes + 1}, func(m, n int) []shape {
		return []shape{{m: m, n: n, d: 2}}
	})...)
}

// queryShapes covers one query against rows: three turns of each loop.
func queryShapes(int) []shape {
	return grid([]int{8, 16, 24, 32}, []int{16, 32, 48, 64}, func(m, n int) []shape { return []shape{{m: m, n: n}} })
}

// halfShapes are those for both formats of 16 bits.
func halfShapes(lanes int) (out []shape) {
	for _, s := range queryShapes(lanes) {
		out = append(out, s, shape{m: s.m, n: s.n, flag: true})
	}
	return out
}

// codeShapes covers sums for quantized codes: none to three blocks of 32 rows, and up to four turns
// over the groups, of which one turn takes up to four.
func codeShapes(int) []shape {
	return grid([]int{0, 1, 2, 3}, []int{0, 2, 4, 6, 8, 10, 12, 16}, func(m, n int) []shape { return []shape{{m: m, n: n}} })
}
