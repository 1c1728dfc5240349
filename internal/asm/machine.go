package asm

import "math"

// A Machine has the sizes at which kernels change their form on one microarchitecture.
// All such sizes stand in the tables below, and kernels read them from [CurrentMachine].
// Results do not depend on them.
//
// To add a microarchitecture:
//
//  1. Run "go run ./bench/tools/levels" on the machine. It prints where AVX-512 is slower than
//     AVX2, by kernel, types and size.
//  2. Copy the table that is closest, give it a name, and change the sizes that these
//     results ask for.
//  3. Add it to machines. The tests of the kernels that read it then run with
//     it, on every machine (asmtest.OtherMachines).
//  4. Have detectMachine return it (level_amd64.go), by what CPUID says.
//  5. Run bench/tools/levels again. Write before and after into AVX512.md.
type Machine struct {
	Name string

	// Where AVX2's form takes less time than AVX-512's, by the size that is named.
	Rows    Choice // pass.Rows: columns of K
	Columns Choice // pass.Columns: columns of K
	Begin   Choice // pass.Begin: columns of K
	OddPass Choice // these three, of rows that begin on odd multiples of 32 bytes: columns of K
	Iterate Choice // pass.Iterate, Sweep: columns of K
	Divide  Choice // pass.Divide: elements
	AdjCost Choice // distance.AdjCost: elements from one row of K to the next
	LogRows Choice // exp.LogRows: columns of M
	Exp2    Choice // exp.Exp2: elements

	// The rows of a product (project.Mul, TransMul) that AVX2's form computes. A tile of
	// AVX-512 has 8 rows and up to 3 vectors of columns; what is left of the rows takes
	// several passes.
	Product ProductChoice

	// Squared distances of many features are AVX2's product of packed panels (project.Panel).
	Panels bool

	// TransMul of an x of more than FarBytes sums FarRows rows at a time: x comes from
	// beyond the second-level cache then, and the hardware fetches so many rows ahead.
	FarBytes, FarRows int

	// Squared distances take Depth features at a time, with AVX-512 and few columns DeepDepth.
	// PanelBytes is what a transposed piece of the second operand may take of the
	// second-level cache.
	Depth, DeepDepth, PanelBytes int
}

// A ProductChoice has the sizes of [Machine.Product]. A vector is one of AVX-512.
type ProductChoice struct {
	OneRow   Choice // one row has AVX2's form, by its columns
	FewRows  int    // fewer rows, but more than one, have it if one vector holds the columns, unless they are 8
	OddTail  int    // the last 5 or 7 rows have it up to so many vectors of columns
	FourTail int    // the last 4 rows have it up to so many vectors of columns

	// Sums of at most ShallowDepth terms have it from ShallowCols columns on.
	ShallowDepth, ShallowCols int
}

// A Choice has the sizes for which a kernel takes AVX2's form at level AVX512, by the types
// of matrix and vectors: f64, f32 or mixed.
type Choice [4]Sizes

// Sizes are up to three ranges of sizes. The zero value has none.
type Sizes [3]Range

// A Range has the sizes from From on and below To.
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

// Form returns the variant to run instead of v for size n: AVX2's, or v itself.
func (c *Choice) Form(v Variant, n int) Variant {
	if v >= AVX512F64 && c[v&3].Has(n) {
		return v - (AVX512F64 - AVX2F64)
	}
	return v
}

const noEnd = math.MaxInt

// sapphireRapids is used on every CPU that is not known, and was measured on a Xeon of
// family 6, model 143. See AVX512.md.
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

// zen4 has AVX-512 in halves of 256 bits. TestZen4Measured compares the table with what
// bench/tools/levels has found on one. Ranges end halfway between a size at which AVX2's form was
// faster and the next at which it was not.
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
	Panels: true, // FMAs of 256 bits have the rate of those of 512, and wider panels gain nothing (gram/NOTES.md)

	FarBytes: 2 << 20, FarRows: 32,
	Depth: 256, DeepDepth: 1024, PanelBytes: 192 << 10,
}

var machines = []*Machine{&sapphireRapids, &zen4}

var machine = detectMachine()

// CurrentMachine returns the table of the machine that the program runs on.
func CurrentMachine() *Machine { return machine }

// Machines returns all tables.
func Machines() []*Machine { return append([]*Machine(nil), machines...) }

// SwitchMachine makes kernels read table m until restore is called, for tests. As with
// [Switch], no kernel may run in another goroutine meanwhile.
func SwitchMachine(m *Machine) (restore func()) {
	before := machine
	machine = m
	return func() { machine = before }
}
