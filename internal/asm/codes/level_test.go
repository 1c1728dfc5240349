package codes

import (
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// bytesOf returns the memory of s as bytes.
func bytesOf(s []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

// wordsOf returns the memory of s as 16-bit words.
func wordsOf(s []float32) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(s))), 2*len(s))
}

// randomBytes returns n random bytes in memory of the arena. n must be a multiple of four.
func randomBytes(a *asmtest.Arena[float32], n int) []byte {
	b := bytesOf(a.InOut(n/4, asmtest.Unit))
	for i := range b {
		b[i] = byte(a.Rand.Uint32())
	}
	return b
}

// TestLevels compares every instruction-set level with the reference implementation.
func TestLevels(t *testing.T) {
	for _, class := range asmtest.Classes() {
		for blocks := range 5 {
			for _, m := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 33, 64} {
				seed := uint64(100*blocks + m)
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
					Sums8(a.Out(blocks*Block), randomBytes(a, blocks*Block*m), a.In(256*m, class))
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
					m := 2 * m
					Sums4(wordsOf(a.Out(blocks*Block/2)), randomBytes(a, blocks*Block*m/2), randomBytes(a, 16*m))
				})
				if t.Failed() {
					t.Fatalf("class %v, %d blocks, m = %d", class, blocks, m)
				}
			}
		}
	}
}

// TestPlaces uses tables with a single nonzero entry to check that every code selects its own
// entry. It also tests the largest sums.
func TestPlaces(t *testing.T) {
	const m, n = 6, 3 * Block
	dst8, codes8, table8 := make([]float32, n), make([]byte, n*m), make([]float32, 256*m)
	dst4, codes4, table4 := make([]uint16, n), make([]byte, n*m/2), make([]byte, 16*m)
	for lv := range asmtest.Each(t) {
		for j := range m {
			for i := range n {
				clear(codes8)
				clear(codes4)
				clear(table8)
				clear(table4)
				c := (i*7 + j*3 + 1) % 256
				codes8[(i/Block*m+j)*Block+i%Block] = byte(c)
				table8[256*j+c] = 3
				Sums8(dst8, codes8, table8)
				codes4[(i/Block*m+j)*Block/2+i%(Block/2)] = byte(c%15+1) << (i % Block / (Block / 2) * 4)
				table4[16*j+c%15+1] = 200
				Sums4(dst4, codes4, table4)
				for r := range n {
					want := 0
					if r == i {
						want = 1
					}
					if c != 0 && dst8[r] != float32(3*want) || dst4[r] != uint16(200*want) {
						t.Fatalf("%v: row %d, code %d: row %d has %v and %v", lv, i, j, r, dst8[r], dst4[r])
					}
				}
			}
		}
		all, most := make([]byte, 16*Most4), make([]byte, Block*Most4/2)
		for i := range all {
			all[i] = 255
		}
		if Sums4(dst4[:Block], most, all); dst4[0] != 255*Most4 || dst4[Block-1] != 255*Most4 {
			t.Errorf("%v: the largest sum is %v", lv, dst4)
		}
	}
}

// TestPanics checks that Sums8 and Sums4 panic if lengths do not match.
func TestPanics(t *testing.T) {
	for i, f := range []func(){
		func() { Sums8(make([]float32, 31), make([]byte, 31), make([]float32, 256)) },
		func() { Sums8(make([]float32, 32), make([]byte, 33), make([]float32, 256)) },
		func() { Sums8(make([]float32, 32), make([]byte, 32), make([]float32, 257)) },
		func() { Sums4(make([]uint16, 32), make([]byte, 16), make([]byte, 16)) },
		func() { Sums4(make([]uint16, 32), make([]byte, 31), make([]byte, 32)) },
		func() { Sums4(make([]uint16, 32), make([]byte, 32), make([]byte, 33)) },
		func() { Sums4(make([]uint16, 32), make([]byte, 16*258), make([]byte, 16*258)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("case %d: no panic", i)
				}
			}()
			f()
		}()
	}
}
