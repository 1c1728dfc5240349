package fuzz

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// input reads the arguments of a call from the bytes of a fuzz input.
type input struct{ rest []byte }

func (in *input) byte() int {
	if len(in.rest) == 0 {
		return 0
	}
	b := in.rest[0]
	in.rest = in.rest[1:]
	return int(b)
}

// numberUpTo returns a number in [0, most].
func (in *input) numberUpTo(most int) int {
	b := in.byte()
	if most > 255 {
		b |= in.byte() << 8
	}
	return b % (most + 1)
}

// bits reads the bit pattern of a floating-point number from the input.
func bits[T num.Float](in *input) T {
	var b [8]byte
	for i := range b {
		b[i] = byte(in.byte())
	}
	if num.IsFloat64[T]() {
		return T(math.Float64frombits(binary.LittleEndian.Uint64(b[:])))
	}
	return T(math.Float32frombits(binary.LittleEndian.Uint32(b[:])))
}

// scalar returns a scalar argument for a kernel: 1, −log₂e, a random number of an asmtest.Class, or a number whose bits are the
// next bytes of the input.
func scalar[T num.Float](in *input, rng *rand.Rand) T {
	switch k := in.numberUpTo(7); k {
	case 0:
		return 1
	case 1:
		return -1.4426950408889634
	case 7:
		return bits[T](in)
	default:
		return asmtest.Value[T](rng, asmtest.Class(k-2))
	}
}

// call provides the arguments of one call of a kernel with one instruction set.
type call[T num.Float] struct {
	input
	*asmtest.Arena[T]
	verbatim [][2][]T // read-only arguments made from the input bytes, and copies of these arguments
	narrow   *call[float32]
}

// narrowMatrix returns the elements and the stride of a float32 matrix.
func (c *call[T]) narrowMatrix(rows, cols int) ([]float32, int) {
	if c.narrow == nil {
		c.narrow = &call[float32]{Arena: c.Narrow()}
	}
	c.narrow.input = c.input
	defer func() { c.input = c.narrow.input }()
	return c.narrow.matrix(rows, cols)
}

// unchanged reports an error if the kernel has changed one of the read-only arguments in verbatim.
func (c *call[T]) unchanged(t *testing.T) {
	for _, v := range c.verbatim {
		for i, x := range v[1] {
			if asmtest.Bits(x) != asmtest.Bits(v[0][i]) {
				t.Errorf("%v: input [%d] was changed from %v to %v", asm.Current(), i, x, v[0][i])
			}
		}
	}
	if c.narrow != nil {
		c.narrow.unchanged(t)
	}
}

// check runs f for every instruction set of the machine, with the arguments encoded in data. It compares the results
// bit for bit with the Go reference implementation.
func check[T num.Float](t *testing.T, data []byte, f func(c *call[T])) {
	seed := input{data}
	asmtest.Compare(t, uint64(seed.byte()), func(a *asmtest.Arena[T]) {
		c := &call[T]{input: input{data}, Arena: a}
		c.byte()
		f(c)
		c.unchanged(t)
	})
}

// readOnlySlice returns n elements that the kernel must not change.
func (c *call[T]) readOnlySlice(n int) []T {
	k := c.numberUpTo(len(asmtest.Classes()))
	if k < len(asmtest.Classes()) {
		return c.In(n, asmtest.Class(k))
	}
	s := c.mutableSlice(n, k)
	c.verbatim = append(c.verbatim, [2][]T{s, append([]T{}, s...)})
	return s
}

func (c *call[T]) mutableSlice(n, class int) []T {
	if class < len(asmtest.Classes()) {
		return c.InOut(n, asmtest.Class(class))
	}
	s := c.InOut(n, asmtest.Gauss)
	raw, size := c.rest, 8
	if !num.IsFloat64[T]() {
		size = 4
	}
	for i := range s {
		if at := i * size; at+size <= len(raw) {
			s[i] = bits[T](&input{raw[at : at+size]})
		} else if whole := len(raw) / size; whole > 0 {
			s[i] = s[i%whole]
		}
	}
	return s
}

// matrix returns the elements and the stride of a rows × cols matrix.
func (c *call[T]) matrix(rows, cols int) ([]T, int) {
	ld := cols + c.rowGap()
	return c.readOnlySlice(span(rows, cols, ld)), ld
}

// target returns the elements and the stride of a rows × cols matrix that the kernel writes.
func (c *call[T]) target(rows, cols int) ([]T, int) {
	ld := cols + c.rowGap()
	n := span(rows, cols, ld) + c.numberUpTo(3)
	return c.mutableSlice(n, c.numberUpTo(len(asmtest.Classes()))), ld
}

// rowGap returns the number of elements between two rows of a matrix. It is 0 in half of the cases.
func (c *call[T]) rowGap() int { return max(c.numberUpTo(31)-16, 0) }

// span returns the length of the shortest slice that contains a rows × cols matrix.
func span(rows, cols, ld int) int {
	if rows == 0 || cols == 0 {
		return 0
	}
	return (rows-1)*ld + cols
}

// fuzz runs a fuzz test of a kernel. All fuzz tests have the same seed inputs.
func fuzz[T num.Float](f *testing.F, kernel func(c *call[T])) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) { check(t, data, kernel) })
}

// inputsVariable names the environment variable that sets the number of random seeds. If it is set, `go test -run Fuzz`
// tests random inputs without the fuzzing engine. The engine cannot start its workers under an emulator.
const inputsVariable = "MONGE_FUZZ_INPUTS"

func seeds(f *testing.F) {
	f.Add([]byte{})
	ascending := make([]byte, 64)
	for i := range ascending {
		ascending[i] = byte(i)
	}
	f.Add(ascending)
	rng := rand.New(rand.NewPCG(7, 7))
	count := 12
	if n, err := strconv.Atoi(os.Getenv(inputsVariable)); err == nil {
		count = n
	}
	for range count {
		s := make([]byte, 24+rng.IntN(100))
		for i := range s {
			s[i] = byte(rng.Uint32())
		}
		f.Add(s)
	}
}
