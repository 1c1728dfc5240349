package asm

import "math"

// Machine contains the sizes at which kernels change their form on one microarchitecture. All such
// sizes are in the tables below, and kernels read them from [CurrentMachine]. Results do not depend
// on them.
//
// To add a microarchitecture:
//
//  1. Run "go run ./bench/tools/levels" on the machine. It prints where AVX-512 is slower than
//     AVX2, by kernel, types and size.
//  2. Copy the closest table, name it, and change the sizes according to these results.
//  3. Add it to machines. The tests of the kernels then run with it on every machine
//     (asmtest.OtherMachines).
//  4. Return it from detectMachine (level_amd64.go), depending on CPUID.
//  5. Run bench/tools/levels again, and add the results before and after to AVX512.md.
type Machine struct {
	Name string

	// Sizes at which the AVX2 form is faster than the AVX-512 form.
	Rows    Choice // pass.Rows: columns of K
	Columns Choice // pass.Columns: columns of K
	Begin   Choice // pass.Begin: columns of K
	OddPass Choice // the same three, for rows that begin on odd multiples of 32 bytes: columns of K
	Iterate Choice // pass.Iterate, Sweep: columns of K
	Divide  Choice // pass.Divide: elements
	AdjCost Choice // distance.AdjCost: stride of K in elements
	LogRows Choice // exp.LogRows: columns of M
	Exp2    Choice // exp.Exp2: elements

	// Rows of a product (project.Mul, TransMul) that use the AVX2 form. An AVX-512 tile has 8 rows
	// and up to 3 vectors of columns; the remaining rows take several passes.
	Product ProductChoice

	// Squared distances of many features use the AVX2 product of packed panels (project.Panel).
	Panels bool

	// TransMul sums FarRows rows at a time if x has more than FarBytes, because x is then outside
	// the second-level cache and the hardware prefetches that many rows.
	FarBytes, FarRows int

	// Squared distances process Depth features at a time, or DeepDepth with AVX-512 and few
	// columns. PanelBytes is the size in the second-level cache of a transposed piece of the second
	// operand.
	Depth, DeepDepth, PanelBytes int
}

// ProductChoice contains the sizes for [Machine.Product]. A vector is an AVX-512 vector.
type ProductChoice struct {
	OneRow   Choice // numbers of columns for which a single row uses AVX2
	FewRows  int    // fewer rows, but more than one, use AVX2 if one vector holds the columns, unless there are 8 columns
	OddTail  int    // up to this number of vectors of columns, the last 5 or 7 rows use AVX2
	FourTail int    // up to this number of vectors of columns, the last 4 rows use AVX2

	// Sums of at most ShallowDepth terms use AVX2 from ShallowCols columns on.
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

// Form returns the variant to run for size n: the AVX2 variant, or v itself.
func (c *Choice) Form(v Variant, n int) Variant {
	if v >= AVX512F64 && c[v&3].Has(n) {
		return v - (AVX512F64 - AVX2F64)
	}
	return v
}

const noEnd = math.MaxInt

// sapphireRapids is used for every unknown CPU. It was measured on a Xeon of family 6, model 143
// (AVX512.md).
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

// zen4 executes AVX-512 in halves of 256 bits. TestZen4Measured compares the table with what
// bench/tools/levels has found on a Zen 4. Ranges end halfway between a size at which the AVX2 form was
// faster and the next size at which it was not.
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
	Panels: true, // FMAs of 256 and 512 bits have the same throughput, and wider panels gain nothing (gram/NOTES.md)

	FarBytes: 2 << 20, FarRows: 32,
	Depth: 256, DeepDepth: 1024, PanelBytes: 192 << 10,
}

var machines = []*Machine{&sapphireRapids, &zen4}

var machine = detectMachine()

// CurrentMachine returns the table in use.
func CurrentMachine() *Machine { return machine }

// Machines returns all tables.
func Machines() []*Machine { return append([]*Machine(nil), machines...) }

// SwitchMachine makes kernels use table m until restore is called. It is for tests. As with
// [Switch], no kernel may run in another goroutine meanwhile.
func SwitchMachine(m *Machine) (restore func()) {
	before := machine
	machine = m
	return func() { machine = before }
}
