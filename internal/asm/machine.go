package asm

import "math"

// Machine is a table of the sizes at which kernels change to a different implementation on one
// microarchitecture. Kernels read the sizes from [CurrentMachine]. Results do not depend on the
// sizes.
//
// To add a microarchitecture:
//
//  1. Run "go run ./bench/tools/levels" on the machine. The tool prints the kernels, types and
//     sizes for which AVX-512 is slower than AVX2.
//  2. Copy the table of the most similar microarchitecture, rename the copy, and change its sizes
//     according to these results.
//  3. Add the table to the variable machines. The kernel tests then run with the table on every
//     machine (asmtest.OtherMachines).
//  4. Return the table from detectMachine (level_amd64.go), depending on CPUID.
//  5. Run bench/tools/levels again, and add the old and the new results to AVX512.md.
type Machine struct {
	Name string

	// The next fields contain the sizes at which a kernel uses AVX2 although the CPU has AVX-512.
	Rows    Choice // pass.Rows uses AVX2 for these numbers of columns of K
	Columns Choice // pass.Columns uses AVX2 for these numbers of columns of K
	Begin   Choice // pass.Begin uses AVX2 for these numbers of columns of K
	OddPass Choice // replaces Rows, Columns and Begin for float64 if the row stride is an odd multiple of 32 bytes
	Iterate Choice // pass.Iterate and pass.Sweep use AVX2 for these numbers of columns of K
	Divide  Choice // pass.Divide uses AVX2 for these numbers of elements
	AdjCost Choice // distance.AdjCost uses AVX2 for these strides of K in elements
	LogRows Choice // exp.LogRows uses AVX2 for these numbers of columns of M
	Exp2    Choice // exp.Exp2 uses AVX2 for these numbers of elements

	// Product determines which rows of a matrix product (project.Mul, project.TransMul) use AVX2.
	// An AVX-512 tile has 8 rows and up to 3 vectors of columns. The last rows may need several
	// tiles, of 4, 2 and 1 rows.
	Product ProductChoice

	// Panels reports whether the kernels of squared distances with many features use the AVX2
	// product of packed panels (project.Panel).
	Panels bool

	// If the matrix x of project.TransMul has more than FarBytes bytes, TransMul processes FarRows
	// rows of x at a time. Such a large x does not fit the second-level cache, and the hardware can
	// prefetch FarRows rows at a time.
	FarBytes, FarRows int

	// The kernels of squared distances process Depth features at a time, or DeepDepth features with
	// AVX-512 and few columns. The second operand is transposed in pieces of PanelBytes bytes,
	// which stay in the second-level cache.
	Depth, DeepDepth, PanelBytes int
}

// ProductChoice contains the sizes for [Machine.Product]. A vector is the contents of an AVX-512
// register.
type ProductChoice struct {
	OneRow   Choice // a single row uses AVX2 for these numbers of columns
	FewRows  int    // products with 2 … FewRows−1 rows, but not 8, use AVX2 if all columns fit in one vector
	OddTail  int    // the last 5 or 7 rows use AVX2 if all columns fit in OddTail vectors
	FourTail int    // the last 4 rows use AVX2 if all columns fit in FourTail vectors

	// A product with at least ShallowCols columns uses AVX2 if each sum has at most ShallowDepth
	// terms.
	ShallowDepth, ShallowCols int
}

// Choice contains the sizes for which a kernel runs its AVX2 code although the CPU has AVX-512. The
// index is f64, f32 or mixed.
type Choice [4]Sizes

// Sizes are up to three ranges of sizes. The zero value contains no size.
type Sizes [3]Range

// Range contains the sizes From … To−1.
type Range struct{ From, To int }

// Has reports whether n is in one of the ranges.
func (s *Sizes) Has(n int) bool {
	for _, r := range s {
		if r.From <= n && n < r.To {
			return true
		}
	}
	return false
}

// Variant returns the variant to run for size n: the AVX2 variant if c contains n, and v otherwise.
func (c *Choice) Variant(v Variant, n int) Variant {
	if v >= AVX512F64 && c[v&3].Has(n) {
		return v - (AVX512F64 - AVX2F64)
	}
	return v
}

const noEnd = math.MaxInt

// sapphireRapids is the table for every unknown CPU. It was measured on a Xeon of family 6, model
// 143 (AVX512.md).
var sapphireRapids = Machine{
	Name:    "sapphirerapids",
	OddPass: Choice{f64: Sizes{{88, 401}}},
	Iterate: Choice{f64: Sizes{{1080, 3000}}, mixed: Sizes{{0, 50}, {750, noEnd}}},
	Divide:  Choice{f64: Sizes{{0, 24}}, f32: Sizes{{0, noEnd}}},
	AdjCost: Choice{f64: Sizes{{1050, noEnd}}, f32: Sizes{{1250, noEnd}}},
	LogRows: Choice{f64: Sizes{{5, 9}, {16, 17}}, f32: Sizes{{5, 17}, {25, 33}}},
	Product: ProductChoice{FewRows: 16, OddTail: 16, FourTail: 4},

	FarBytes: 2 << 20, FarRows: 32,
	Depth: 256, DeepDepth: 1024, PanelBytes: 192 << 10,
}

// zen4 is the table for Zen 4, which executes AVX-512 instructions in halves of 256 bits.
// TestZen4Measured compares the table with the results of bench/tools/levels on a Zen 4. The bounds
// of a range are halfway between a size at which AVX2 was faster and the neighboring size at which
// AVX2 was not faster.
var zen4 = Machine{
	Name:    "zen4",
	Rows:    Choice{f64: Sizes{{0, 40}}, f32: Sizes{{0, 40}}, mixed: Sizes{{0, 1500}}},
	Columns: Choice{f64: Sizes{{101, 104}, {500, 800}}, f32: Sizes{{97, 112}, {1100, 1600}}, mixed: Sizes{{0, 1500}}},
	Begin:   Choice{f64: Sizes{{101, 104}}, f32: Sizes{{0, 40}, {101, 112}, {800, 1100}}},
	OddPass: Choice{f64: Sizes{{88, 401}}},
	Iterate: Choice{f64: Sizes{{0, 464}}, f32: Sizes{{0, 1100}}, mixed: Sizes{{0, 1500}}},
	Divide:  sapphireRapids.Divide,
	AdjCost: Choice{f64: Sizes{{97, 101}, {1050, 3000}}, f32: Sizes{{40, 180}, {1250, noEnd}}},
	LogRows: Choice{f64: Sizes{{5, 9}, {16, 17}}, f32: Sizes{{5, 17}, {25, 33}, {40, 80}}},
	Exp2:    Choice{f64: Sizes{{0, 16}}},
	Product: ProductChoice{
		OneRow: Choice{f32: Sizes{{9, 17}}}, FewRows: 16, OddTail: 16, FourTail: 4,
		ShallowDepth: 8, ShallowCols: 500,
	},
	Panels: true, // 256-bit and 512-bit FMAs process the same number of elements per cycle (gram/NOTES.md)

	FarBytes: 2 << 20, FarRows: 32,
	Depth: 256, DeepDepth: 1024, PanelBytes: 192 << 10,
}

var machines = []*Machine{&sapphireRapids, &zen4}

var machine = detectMachine()

// CurrentMachine returns the table of sizes that the kernels use.
func CurrentMachine() *Machine { return machine }

// Machines returns the tables of all known machines.
func Machines() []*Machine { return append([]*Machine(nil), machines...) }

// SwitchMachine makes kernels use table m until restore is called. It is for tests. As with
// [Switch], no kernel may run in another goroutine meanwhile.
func SwitchMachine(m *Machine) (restore func()) {
	before := machine
	machine = m
	return func() { machine = before }
}
