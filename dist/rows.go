package dist

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/fault"
)

var (
	// ErrNotFinite: a value is NaN or infinite. The text of the error names its row and column.
	ErrNotFinite = fault.ErrNotFinite
	// ErrRange: a value is too large for the numbers that it is stored as. The text of the error
	// names its row and column.
	ErrRange = errors.New("value is too large for the storage")
)

// Storage is how the numbers of [Rows] are stored.
type Storage uint8

// StorageFloat32 stores float32 numbers, with 24 significant bits, in 4 bytes each.
const StorageFloat32 Storage = iota

const (
	storagePanic = "dist: unknown storage"
	columnsPanic = "dist: rows have no columns"
)

// String returns the name of the storage.
func (s Storage) String() string {
	if s == StorageFloat32 {
		return "float32"
	}
	return fmt.Sprintf("Storage(%d)", uint8(s))
}

// Rows holds vectors that a [Searcher] compares with queries. Make one with [NewRows]. It does
// not change, and any number of goroutines may use it at once.
type Rows struct {
	n, cols int
	stride  int // cols, rounded up to a multiple of query.Unit; what is behind a row is 0
	storage Storage
	data    []float32 // the rows, and zeros up to a multiple of query.Rows rows
	inverse []float32 // of each row 1/‖x‖, or 0 if x = 0
}

// NewRows returns the rows of x (n × d), copied and rounded to the numbers of the storage.
//
// The error wraps [ErrNotFinite] if a value is NaN or infinite, and [ErrRange] if one is beyond
// the largest number of the storage. Both name row and column, counted from 0. NewRows panics if
// x has no columns or does not fit its data, and for an unknown storage.
//
// It allocates [Rows.Bytes] bytes. Rows are filled up with zeros to a multiple of 16 numbers.
func NewRows[T Float](x Matrix[T], storage Storage) (*Rows, error) {
	x.Check()
	if x.Cols == 0 {
		panic(columnsPanic)
	}
	if storage > StorageFloat32 {
		panic(storagePanic)
	}
	r := &Rows{n: x.Rows, cols: x.Cols, stride: upTo(x.Cols, query.Unit), storage: storage}
	r.data = make([]float32, upTo(r.n, query.Rows)*r.stride)
	r.inverse = make([]float32, upTo(r.n, query.Rows))
	for i := range r.n {
		row := r.data[i*r.stride:][:r.cols]
		for j, v := range x.Row(i) {
			row[j] = float32(v)
			if row[j]-row[j] != 0 {
				return nil, badValue("x", i, j, float64(v))
			}
		}
		r.inverse[i] = inverseNorm(row)
	}
	return r, nil
}

// badValue says that an element of a matrix is not finite, or not in range.
func badValue(matrix string, i, j int, v float64) error {
	err := ErrNotFinite
	if v-v == 0 {
		err = ErrRange
	}
	return fmt.Errorf("%w: %s: row %d, column %d is %v", err, matrix, i, j, v)
}

// inverseNorm returns 1/‖x‖ for finite x, at most the largest float32, and 0 if x = 0.
func inverseNorm(x []float32) float32 {
	sum := 0.0 // neither overflows nor underflows
	for _, v := range x {
		sum = math.FMA(float64(v), float64(v), sum)
	}
	if sum == 0 {
		return 0
	}
	return float32(min(1/math.Sqrt(sum), math.MaxFloat32))
}

// upTo returns n rounded up to a multiple of unit.
func upTo(n, unit int) int { return (n + unit - 1) / unit * unit }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.n }

// Cols returns the number of elements of a row.
func (r *Rows) Cols() int { return r.cols }

// Storage returns how the rows are stored.
func (r *Rows) Storage() Storage { return r.storage }

// Bytes returns the memory that the rows take, in bytes.
func (r *Rows) Bytes() int { return 4 * (len(r.data) + len(r.inverse)) }

// Row sets dst to row i as it is stored. The numbers are exact. It panics if there is no row i, or
// if dst has another length than [Rows.Cols].
func (r *Rows) Row(dst []float32, i int) {
	if uint(i) >= uint(r.n) {
		panic(indexPanic)
	}
	if len(dst) != r.cols {
		panic(fmt.Sprintf("dist: shapes do not match: dst has %d elements, a row %d", len(dst), r.cols))
	}
	copy(dst, r.data[i*r.stride:])
}
