package codes

import "github.com/gomonge/monge/internal/asm"

const (
	// Block is the number of rows whose codes are stored together.
	Block = 32
	// Most4 is the largest m of Sums4: the sum of 256 entries of at most 255 is below 2¹⁶.
	Most4 = 256
)

// cost8 and cost4 are the costs of one code in Sums8 and Sums4. The unit is an eighth of a
// multiply-add.
const cost8, cost4 = 32, 4

// Sums8 sets dst[i] = Σ_j table[256j + c_ij]. Each sum begins with +0 and adds the entries in
// ascending order of j. dst has an element for each row, and its length must be a multiple of
// Block. codes must have m = len(table)/256 bytes for each row, in the layout of the package
// comment. Sums8 panics if the lengths do not match.
func Sums8(dst []float32, codes []byte, table []float32) {
	m := len(table) / 256
	check(len(dst), len(codes), m*len(dst), len(table)%256)
	if m == 0 {
		clear(dst)
		return
	}
	for p := asm.Piece(len(dst)/Block, Block*m*cost8/8, 1) * Block; len(dst) > 0; {
		p = min(p, len(dst))
		sums8(dst[:p], codes[:p*m], table, m)
		dst, codes = dst[p:], codes[p*m:]
	}
}

// Sums4 sets dst[i] = Σ_j table[16j + c_ij]. dst has an element for each row, and its length must
// be a multiple of Block. m = len(table)/16 must be even and at most Most4, and codes must have m/2
// bytes for each row, in the layout of the package comment. Sums4 panics if the lengths do not
// match.
func Sums4(dst []uint16, codes, table []byte) {
	m := len(table) / 16
	check(len(dst), len(codes), m*len(dst)/2, len(table)%16+m%2+max(0, m-Most4))
	if m == 0 {
		clear(dst)
		return
	}
	for p := asm.Piece(len(dst)/Block, Block*m*cost4/8, 1) * Block; len(dst) > 0; {
		p = min(p, len(dst))
		sums4(dst[:p], codes[:p*m/2], table, m)
		dst, codes = dst[p:], codes[p*m/2:]
	}
}

func check(rows, have, want, excess int) {
	if rows%Block != 0 || have != want || excess != 0 {
		panic("codes: rows, codes and tables do not fit")
	}
}
