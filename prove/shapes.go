package main

func shapeGrid(ms, ns []int, f func(m, n int) []shape) (out []shape) {
	for _, m := range ms {
		for _, n := range ns {
			out = append(out, f(m, n)...)
		}
	}
	return out
}

func countTo(n int, more ...int) (out []int) {
	for i := 1; i <= n; i++ {
		out = append(out, i)
	}
	return append(out, more...)
}

// matrixShapes returns shapes of matrices, with and without padding. For 1 to 5 and 9 rows, the column
// counts leave every possible tail after zero to three iterations of the column loop. For other row counts
// up to 13, they leave some of these tails.
func matrixShapes(lanes int) []shape {
	padded := func(m, n int) []shape { return []shape{{m: m, n: n, pad: (m + n) % 2 * 3}} }
	shapes := shapeGrid([]int{1, 2, 3, 4, 5, 9}, countTo(4*lanes+1, 6*lanes-1, 6*lanes, 8*lanes+1), padded)
	shapes = append(shapes, shapeGrid([]int{6, 7, 8, 10, 11, 12, 13}, tailColumns(lanes), padded)...)
	// The kernels have separate loops for long rows and for blocks of many rows.
	one := func(m, n int) []shape { return []shape{{m: m, n: n}} }
	shapes = append(shapes, shapeGrid([]int{16, 17, 18, 24, 27, 33, 40}, []int{1, lanes, 2*lanes + 3, 5 * lanes, 9*lanes + 1}, one)...)
	return append(shapes, shapeGrid([]int{4, 9, 17, 25}, []int{20*lanes + 3, 21 * lanes, 64*lanes + 5, 130*lanes + 1, 280 * lanes}, one)...)
}

// tailColumns returns column counts: one column, a partial vector, and one to five whole vectors with
// or without a partial vector.
func tailColumns(lanes int) []int {
	return []int{1, lanes - 1, lanes, lanes + 1, 2 * lanes, 3*lanes - 1, 4 * lanes, 5*lanes + 2}
}

// iterationShapes covers one to three iterations of 16 elements.
func iterationShapes(int) []shape {
	return []shape{{n: 16}, {n: 32}, {n: 48}}
}

func vectorShapes(lanes int) []shape {
	return shapeGrid([]int{1}, append([]int{0}, countTo(10*lanes+1, 16*lanes-1, 17*lanes)...), func(_, n int) []shape { return []shape{{n: n}} })
}

// pairShapes covers sums whose loop processes 256 bytes per iteration. For zero iterations and one iteration,
// it covers every length of the tail. For two and three iterations, it covers some lengths.
func pairShapes(lanes int) []shape {
	return shapeGrid([]int{1}, append([]int{0}, countTo(8*lanes+1, 12*lanes, 13*lanes+3)...), func(_, n int) []shape { return []shape{{n: n}} })
}

// sumLanesShapes covers zero to three groups of 4*lanes elements. The field d of a shape is
// an operation code from 0 to 4, the first argument of AddLanes.
func sumLanesShapes(lanes int) []shape {
	return shapeGrid(countTo(5), []int{0, 4 * lanes, 8 * lanes, 12 * lanes}, func(op, n int) []shape { return []shape{{n: n, d: op - 1}} })
}

// pairLaneShapes returns the cases of sumLanesShapes in which d is 0.
func pairLaneShapes(lanes int) []shape { return sumLanesShapes(lanes)[:4] }

// expShapes covers loops that process 128 to 256 bytes per iteration. It covers every length up to
// three 64-byte vectors plus one element, and some tails after one to four iterations.
func expShapes(lanes int) []shape {
	return shapeGrid([]int{1}, countTo(3*lanes+1, 4*lanes, 4*lanes+1, 5*lanes+3, 6*lanes, 6*lanes+1, 8*lanes+3, 9*lanes), func(_, n int) []shape { return []shape{{n: n}} })
}

// sumExpShapes returns expShapes with and without stores of the exponentials.
func sumExpShapes(lanes int) (out []shape) {
	for _, s := range expShapes(lanes) {
		stored := s
		stored.flag = true
		out = append(out, s, stored)
	}
	return out
}

// logShapes covers log-domain passes over a matrix. It covers every tail, zero to three iterations
// of the loops over columns, and one to three rows.
func logShapes(lanes int) []shape {
	return shapeGrid(countTo(3), countTo(lanes+1, 2*lanes-1, 2*lanes, 3*lanes, 3*lanes+1, 4*lanes, 5*lanes+1, 6*lanes, 7*lanes+2, 9*lanes), func(m, n int) []shape {
		return []shape{{m: m, n: n, pad: (m + n) % 2 * 3}}
	})
}

// groupShapes covers vectors that are processed in groups of 64 bytes: zero to three groups, with
// and without a tail.
func groupShapes(lanes int) []shape {
	return shapeGrid([]int{1}, []int{0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes, 2*lanes + 3, 3 * lanes}, func(_, n int) []shape { return []shape{{n: n}} })
}

// gibbsShapes covers the Gibbs kernel: many numbers of rows and columns with one to five features,
// and a few shapes with more features. With one feature, it covers all numbers of columns from 1 to
// lanes, the number of lanes of a vector.
func gibbsShapes(lanes int) (out []shape) {
	for n := range lanes {
		out = append(out, shape{m: 1 + n%2*2, n: n + 1, d: 1, flag: n%2 == 1})
	}
	for _, d := range []int{1, 2, 3, 4, 5} {
		ms, ns := []int{1, 3, 6, 8}, []int{1, lanes + 1, 2*lanes + 3}
		if d < 3 {
			ms, ns = countTo(7, 8, 9, 13), []int{1, 2, 3, 6, lanes/2 - 1, lanes / 2, lanes/2 + 1, lanes - 1, lanes, lanes + 1, 2*lanes - 1, 2 * lanes, 3*lanes + 1}
		}
		out = append(out, shapeGrid(ms, ns, func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d, pad: (m + n) % 2, flag: (m+n)/2%2 == 1}}
		})...)
	}
	for _, d := range []int{6, 7, 8, 15, 16, 17, 33} {
		out = append(out, shape{m: 7, n: lanes + 1, d: d})
	}
	return out
}

// panelShapes covers one to four groups of four rows. Each loop iteration adds four terms, and the numbers of
// terms cover every remainder after up to three iterations. The norms and
// the search are on or off, in all four combinations.
func panelShapes(int) []shape {
	return shapeGrid([]int{4, 8, 12, 16}, countTo(13, 16, 17), func(m, d int) (out []shape) {
		for v := range 4 {
			out = append(out, shape{m: m, d: d, n: v / 2, pad: (m/4 + d) % 2, flag: v%2 == 1})
		}
		return out
	})
}

// packShapes covers every number of elements up to 13. Each loop iteration processes four elements.
func packShapes(int) []shape {
	return shapeGrid([]int{0, 3}, countTo(13, 16, 17), func(pad, d int) []shape { return []shape{{d: d, pad: pad}} })
}

// normsShapes returns every shape of packShapes twice: with flag unset and with flag set. If flag is set,
// Norms adds to initial norms.
func normsShapes(lanes int) (out []shape) {
	for _, s := range packShapes(lanes) {
		added := s
		added.flag = true
		out = append(out, s, added)
	}
	return out
}

// smallProblemShapes covers kernels for many small problems, with one to four iterations of each loop. The
// number of rows is a multiple of four, and the number of columns is a multiple of lanes.
func smallProblemShapes(lanes int) []shape {
	return shapeGrid([]int{4, 8, 12, 16}, []int{lanes, 2 * lanes, 3 * lanes, 4 * lanes}, func(m, n int) []shape { return []shape{{m: m, n: n}} })
}

// interleaveShapes covers matrices of one to four rows with every number of columns up to 4·lanes + 1.
func interleaveShapes(lanes int) []shape {
	return shapeGrid(countTo(4), countTo(4*lanes+1), func(m, n int) []shape { return []shape{{m: m, n: n, pad: (m + n) % 2 * 3}} })
}

// laneVectorShapes covers kernels that multiply vectors of many small problems by factors: one
// factor for each element, or one factor for all elements.
func laneVectorShapes(int) []shape {
	return shapeGrid([]int{1}, countTo(9, 16), func(_, n int) []shape { return []shape{{n: n}, {n: n, flag: true}} })
}

// laneDistanceShapes covers one to three iterations of the loops over points, for zero to eight
// features.
func laneDistanceShapes(lanes int) []shape {
	return shapeGrid([]int{4, 8, 12}, []int{lanes, 2 * lanes, 3 * lanes}, func(m, n int) (out []shape) {
		for _, d := range []int{0, 1, 2, 3, 4, 5, 8} {
			out = append(out, shape{m: m, n: n, d: d})
		}
		return out
	})
}

// blockShapes covers matrix passes for four vectors at a time. It covers up to nine groups of four
// rows and up to five groups of columns. The last two shapes have two and three column tiles. Sums
// are stored in memory between tiles.
func blockShapes(lanes int) []shape {
	shapes := shapeGrid(countTo(9, 12, 13, 36), []int{lanes, 2 * lanes, 3 * lanes, 4 * lanes, 5 * lanes}, func(m, n int) []shape {
		return []shape{{m: m, n: n}, {m: m, n: n, pad: 2}}
	})
	return append(shapes, shape{m: 8, n: 33 * lanes, pad: 2}, shape{m: 4, n: 66 * lanes})
}

// productShapes covers products of two matrices with inner dimension d. It combines every tail of
// rows and columns with an even d and an odd d. It combines some tails with every d from 0 to 7,
// because a loop processes two terms per iteration.
func productShapes(lanes int) (out []shape) {
	product := func(d int) func(m, n int) []shape {
		return func(m, n int) []shape { return []shape{{m: m, n: n, d: d, pad: (m + n) % 2, flag: (m+n)/2%2 == 1}} }
	}
	for _, d := range []int{2, 3} {
		out = append(out, shapeGrid(countTo(10, 16, 17, 23), countTo(lanes+1, 2*lanes-1, 2*lanes, 2*lanes+1, 3*lanes, 4*lanes-1, 4*lanes, 5*lanes+2), product(d))...)
	}
	for _, d := range []int{0, 1, 4, 5, 6, 7} {
		out = append(out, shapeGrid(countTo(9, 16, 23), tailColumns(lanes), product(d))...)
	}
	// The kernels have separate loops for sums over many features and for wide rows.
	for _, d := range []int{15, 16, 17, 18, 32, 33, 49} {
		out = append(out, shapeGrid([]int{1, 3, 8, 9}, []int{1, lanes, 2*lanes + 1, 4 * lanes}, func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d}, {m: m, n: n, d: d, flag: true}}
		})...)
	}
	// The kernels process leftover features before blocks of 16 features.
	for _, d := range countTo(14)[7:] {
		out = append(out, shape{m: 9, n: 2*lanes + 1, d: d})
	}
	// Rows that are far apart are prefetched.
	out = append(out, shapeGrid([]int{3, 9}, []int{1, 2*lanes + 1}, func(m, n int) []shape { return []shape{{m: m, n: n, d: 2, pad: 600}} })...)
	return append(out, shapeGrid([]int{3, 8, 16, 21}, []int{6*lanes + 1, 7 * lanes, 9*lanes + 3, 17*lanes + 1}, func(m, n int) []shape {
		return []shape{{m: m, n: n, d: 2}}
	})...)
}

// queryShapes returns shapes with one query. They cover one to four iterations of the loop over rows
// and of the loop over elements.
func queryShapes(int) []shape {
	return shapeGrid([]int{8, 16, 24, 32}, []int{16, 32, 48, 64}, func(m, n int) []shape { return []shape{{m: m, n: n}} })
}

// queryLongShapes returns queryShapes and cases with rows of 1024 elements. The kernels prefetch
// long rows differently.
func queryLongShapes(int) []shape {
	return append(queryShapes(0), shapeGrid([]int{8, 16}, []int{1024}, func(m, n int) []shape { return []shape{{m: m, n: n}} })...)
}

// halfShapes returns queryShapes for both 16-bit formats.
func halfShapes(lanes int) (out []shape) {
	for _, s := range queryShapes(lanes) {
		out = append(out, s, shape{m: s.m, n: s.n, flag: true})
	}
	return out
}

// compactShapes covers sums of bytes whose loop processes up to 256 bytes per iteration. It covers
// all multiples of 16 bytes up to 512 bytes, and some larger multiples. It also covers byte counts
// with a tail that Go code processes, and the largest byte count of one assembly call.
func compactShapes(most int) func(int) []shape {
	return func(int) (out []shape) {
		for k := range 33 {
			out = append(out, shape{n: 16 * k})
		}
		for _, n := range []int{4, 20, 24, 16 * 35, 16 * 48, 16*49 + 12, 16 * 64, most} {
			out = append(out, shape{n: n})
		}
		return out
	}
}

// widenShapes covers one to three iterations of 16 elements, and lengths with a tail that Go code
// processes.
func widenShapes(int) []shape { return append(iterationShapes(0), shape{}, shape{n: 6}, shape{n: 28}) }

// signShapes covers zero to six iterations of 16 elements. The number of iterations is even, because 32 sign bits
// fill a 4-byte cell of memory.
func signShapes(int) []shape { return []shape{{}, {n: 32}, {n: 64}, {n: 96}} }

// codeShapes covers sums for quantized codes: zero to three blocks of 32 rows, and up to four
// iterations of the loop over groups. An iteration processes up to four groups.
func codeShapes(int) []shape {
	return shapeGrid([]int{0, 1, 2, 3}, []int{0, 2, 4, 6, 8, 10, 12, 16}, func(m, n int) []shape { return []shape{{m: m, n: n}} })
}

// sketchShapes covers one to three groups of rows and one to four loop iterations of four features.
func sketchShapes(int) []shape {
	return shapeGrid(countTo(3), []int{4, 8, 12, 16}, func(n, d int) []shape { return []shape{{n: n, d: d}} })
}

// quantizeShapes covers up to five iterations of 16 elements, with every tail that is a multiple of
// four.
func quantizeShapes(int) []shape {
	return shapeGrid([]int{0, 44}, countTo(20), func(pad, n int) []shape { return []shape{{n: 4 * n, pad: pad}} })
}
