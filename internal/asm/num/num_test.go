package num_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// exactFMA32 returns x·y + z for finite values, rounded once. It uses math/big, because the exact value
// needs up to 600 bits. big.Float.Float32 rounds correctly to subnormal values, too.
func exactFMA32(x, y, z float32) float32 {
	wide := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
	s := wide(x)
	s.Mul(s, wide(y))
	if z != 0 {
		s.Add(s, wide(z))
	}
	if s.Sign() == 0 {
		return float32(math.FMA(float64(x), float64(y), float64(z))) // math.FMA returns the correct sign of zero
	}
	f, _ := s.Float32()
	return f
}

func checkFMA32(t *testing.T, x, y, z float32) {
	t.Helper()
	got := num.FMA(x, y, z)
	var want float32
	if finite(x) && finite(y) && finite(z) {
		want = exactFMA32(x, y, z)
	} else {
		want = float32(math.FMA(float64(x), float64(y), float64(z)))
	}
	if !asmtest.SameBits(got, want) {
		t.Errorf("fma(%x, %x, %x) = %x, want %x", x, y, z, got, want)
	}
}

func finite(x float32) bool { return x-x == 0 }

// TestFMA32Halfway tests sums halfway between two float32 values, and sums just above or below. Rounding
// such a sum first to float64 and then to float32 may give a wrong result.
func TestFMA32Halfway(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	bits := func() float32 { return float32(1<<23 + rng.IntN(1<<23)) } // 24 bits
	n := 20_000
	for range n {
		// The product x·y has up to 48 bits. The rounding of the sum depends on the bits of x·y below
		// the last bit of z.
		x, y, z := bits(), bits(), bits()
		e := rng.IntN(80) - 75
		z = float32(math.Ldexp(float64(z), rng.IntN(8)))
		x = float32(math.Ldexp(float64(x), e))
		if rng.IntN(2) == 0 {
			x = -x
		}
		checkFMA32(t, x, y, z)
		// z is an integer of 24 bits, so half an ULP of z is ½. The product x·y is close to ½.
		half := float32(.5)
		little := float32(math.Ldexp(1, -rng.IntN(24)-1))
		checkFMA32(t, half, 1+little, bits())
		checkFMA32(t, half, 1-little/2, bits())
		checkFMA32(t, -half, 1+little, bits())
		checkFMA32(t, half*(1+little), 1-little, bits()) // ½(1 − little²)
		checkFMA32(t, half*(1+little), 1-little, -bits())
	}
}

// TestFMA32Edges tests sums that are subnormal, zero or out of range, and all combinations of special
// values.
func TestFMA32Edges(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 20_000 {
		// x·y is between 2^-158 and 2^-124, and |z| is below 2^-125.
		x := float32(math.Ldexp(1+rng.Float64(), -60-rng.IntN(4)))
		y := float32(math.Ldexp(1+rng.Float64(), -66-rng.IntN(30)))
		z := math.Float32frombits(rng.Uint32N(1 << 24))
		if rng.IntN(2) == 0 {
			z = -z
		}
		checkFMA32(t, x, y, z)
		checkFMA32(t, x, y, 0)
		checkFMA32(t, float32(math.Ldexp(float64(2*rng.IntN(1<<22)+1), -100)), 0x1p-50, z) // product halfway between two subnormal numbers
		// The sum is near the largest float32. It overflows at half an ULP above that number.
		most := math.Float32frombits(0x7f7fffff - rng.Uint32N(4))
		checkFMA32(t, 0x1p60, float32(math.Ldexp(1+rng.Float64(), 42+rng.IntN(4))), most)
		checkFMA32(t, 0x1p60, 0x1p43, most)                      // the product is half an ulp of most
		checkFMA32(t, 0x1p60, math.Nextafter32(0x1p43, 0), most) // the product is just below half an ulp of most
		checkFMA32(t, -0x1p64, 0x1p64, most)
	}
	sp := asmtest.Specials[float32]()
	for _, x := range sp {
		for _, y := range sp {
			for _, z := range sp {
				checkFMA32(t, x, y, z)
			}
		}
	}
}

func TestFMA32Random(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	for _, c := range asmtest.Classes() {
		for range 20_000 {
			checkFMA32(t, asmtest.Value[float32](rng, c), asmtest.Value[float32](rng, c), asmtest.Value[float32](rng, c))
		}
	}
}

func FuzzFMA32(f *testing.F) {
	f.Add(uint32(0x3f800000), uint32(0x3f000000), uint32(0x4b000001))
	f.Fuzz(func(t *testing.T, x, y, z uint32) {
		checkFMA32(t, math.Float32frombits(x), math.Float32frombits(y), math.Float32frombits(z))
	})
}

func TestFold(t *testing.T) {
	t.Run("f64", fold[float64])
	t.Run("f32", fold[float32])
}

// fold compares Fold with a recursive sum over the binary tree of lanes. Lanes whose indices differ only
// in the highest bit are added first.
func fold[T num.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	w := num.Lanes[T]()
	var tree func(acc []T, l, stride int) T
	tree = func(acc []T, l, stride int) T {
		if stride == w {
			return acc[l]
		}
		return tree(acc, l, 2*stride) + tree(acc, l+stride, 2*stride)
	}
	for range 1000 {
		var acc [num.MaxLanes]T
		asmtest.Fill(rng, acc[:], asmtest.Gauss)
		lanes := acc
		want := tree(lanes[:w], 0, 1)
		if got := num.Fold(&acc); got != want {
			t.Fatalf("Fold(%v) = %v, want %v", lanes, got, want)
		}
	}
}

func TestDot(t *testing.T) {
	t.Run("f64", dot[float64])
	t.Run("f32", dot[float32])
}

func dot[T num.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	w := num.Lanes[T]()
	for _, n := range asmtest.Lengths() {
		x, y := make([]T, n), make([]T, n+3)
		asmtest.Fill(rng, x, asmtest.Gauss)
		asmtest.Fill(rng, y, asmtest.Gauss)
		// Compute one lane at a time, with x and y padded with zeros to a multiple of w elements.
		var acc [num.MaxLanes]T
		steps := (n + w - 1) / w
		for l := range w {
			for s := range steps {
				var xj, yj T
				if j := s*w + l; j < n {
					xj, yj = x[j], y[j]
				}
				acc[l] = num.FMA(xj, yj, acc[l])
			}
		}
		want := num.Fold(&acc)
		if got := num.Dot(x, y); asmtest.Bits(got) != asmtest.Bits(want) {
			t.Errorf("n = %d: %v, want %v", n, got, want)
		}
	}
	// The sum begins with +0, and +0 + −0 = +0.
	neg0 := T(math.Copysign(0, -1))
	if got := num.Dot([]T{neg0}, []T{1}); asmtest.Bits(got) != 0 {
		t.Errorf("Dot(−0, 1) = %v, want +0", got)
	}
}
