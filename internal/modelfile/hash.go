package modelfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/gomonge/monge/internal/npy"
)

// Hash is the SHA-256 of arrays and names. An array, a name or a list is hashed as its length
// followed by its elements. Numbers are 8 bytes, little-endian.
type Hash struct{ sum hash.Hash }

// NewHash returns a Hash of text, which identifies the kind of contents. The caller then adds the
// contents.
func NewHash(text string) Hash {
	h := Hash{sha256.New()}
	h.sum.Write([]byte(text))
	return h
}

// Name adds a name to h.
func (h Hash) Name(n string) {
	h.Number(uint64(len(n)))
	h.sum.Write([]byte(n))
}

// Names adds a list of names to h.
func (h Hash) Names(names []string) {
	h.Number(uint64(len(names)))
	for _, n := range names {
		h.Name(n)
	}
}

// Number adds a number to h.
func (h Hash) Number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.sum.Write(b[:])
}

// String returns the hash of everything added so far as 64 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h.sum.Sum(nil)) }

// HashArray adds an array to h.
func HashArray[E npy.Number](h Hash, v []E) {
	h.Number(uint64(len(v)))
	HashElements(h, v)
}

// HashElements adds elements to h without their count.
func HashElements[E npy.Number](h Hash, v []E) {
	b := make([]byte, 0, 8*min(len(v), 512))
	for i, x := range v {
		b = binary.LittleEndian.AppendUint64(b, npy.Bits(x))
		if len(b) == cap(b) || i == len(v)-1 {
			h.sum.Write(b)
			b = b[:0]
		}
	}
}
