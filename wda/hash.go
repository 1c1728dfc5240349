package wda

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"

	"gonum.org/v1/gonum/mat"
)

// Hash returns 64 hexadecimal digits that stand for all that the answers of the model
// depend on: two models with the same hash give every sample the same projection, in
// bits, and the same names to classes. It does not depend on how the fit went or on the
// version of the file.
//
// It is the SHA-256 of the text "monge-wda 1" and then, in this order, projection (d × p,
// by rows), mean, labels and names, each as the number of its elements and the elements:
// numbers, also those of elements, as 8 bytes, little-endian, float64 as its IEEE 754
// bits, integers in two's complement, and a name as the number of its bytes and these.
func (m *Model) Hash() string {
	m.dims()
	h := newHasher()
	m.hash(h)
	return h.String()
}

// Hash returns the hash of c, as that of a Model: it goes on with the projected samples
// (n × p, by rows), their labels, and K as an array of one integer.
func (c *Classifier) Hash() string {
	c.check()
	h := newHasher()
	c.model.hash(h)
	y, labels := c.samples()
	hashArray(h, y)
	hashArray(h, labels)
	hashArray(h, []int64{int64(c.k)})
	return h.String()
}

// hash returns that of X and Labels, or an error if they lack it; "" without X and Hash.
func (v *Validation) hash(ctx context.Context) (string, error) {
	if v.X == nil {
		if v.Hash != "" {
			return "", fmt.Errorf("%w: the fit was validated by samples of its own, which are missing", ErrSettings)
		}
		return "", nil
	}
	h := newHasher()
	n, d := v.X.Dims()
	h.number(uint64(n * d))
	row, text := make([]float64, d), make([]byte, 8*d)
	for i := range n {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		for j, x := range mat.Row(row, i, v.X) {
			binary.LittleEndian.PutUint64(text[8*j:], bits(x))
		}
		h.Write(text)
	}
	hashArray(h, wide(v.Labels))
	is := h.String()
	if v.Hash != "" && v.Hash != is {
		return "", fmt.Errorf("%w: the validation samples are not those with the hash %s", ErrSettings, v.Hash)
	}
	return is, nil
}

func (m *Model) hash(h hasher) {
	hashArray(h, m.projection.RawMatrix().Data)
	hashArray(h, m.mean)
	hashArray(h, wide(m.labels))
	h.number(uint64(len(m.names)))
	for _, n := range m.names {
		h.number(uint64(len(n)))
		h.Write([]byte(n))
	}
}

type hasher struct{ hash.Hash }

func newHasher() hasher {
	h := hasher{sha256.New()}
	h.Write([]byte("monge-wda 1"))
	return h
}

func (h hasher) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

func (h hasher) String() string { return hex.EncodeToString(h.Sum(nil)) }

func hashArray[E number](h hasher, v []E) {
	h.number(uint64(len(v)))
	for _, x := range v {
		h.number(bits(x))
	}
}
