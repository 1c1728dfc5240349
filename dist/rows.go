package dist

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
)

var (
	// ErrNotFinite: a value is NaN or infinite. The text of the error names its row and column.
	ErrNotFinite = fault.ErrNotFinite
	// ErrRange: a value is too large for the numbers that it is stored as. The text of the error
	// names its row and column.
	ErrRange = errors.New("value is too large for the storage")
	// ErrSettings: a Storage or Measure is unknown.
	ErrSettings = fault.ErrSettings
)

// Storage is how the numbers of [Rows] are stored. A number that is stored in fewer bits stands for a
// float32 number, exactly. Comparisons are with that number, so that only storing rounds.
type Storage uint8

const (
	// StorageFloat32 stores float32 numbers, with 24 significant bits, in 4 bytes each.
	StorageFloat32 Storage = iota
	// StorageFloat16 stores IEEE 754 binary16 numbers, with 11 significant bits, in 2 bytes
	// each. The largest number is 65504. Below 6·10⁻⁵ there are fewer significant bits.
	StorageFloat16
	// StorageBFloat16 stores the upper halves of float32 numbers, with 8 significant bits, in 2
	// bytes each.
	StorageBFloat16
	// StorageInt8 stores a byte for each number, an integer from −127 to 127, and a scale of 4
	// bytes for each row. A number is the integer times the scale. The error is at most 1/250 of
	// the largest number of the row.
	StorageInt8
)

const (
	storagePanic = "dist: unknown storage"
	columnsPanic = "dist: rows have no columns"
)

var storageNames = enum.New("Storage", ErrSettings, "float32", "float16", "bfloat16", "int8")

// String returns "float32", "float16", "bfloat16" or "int8".
func (s Storage) String() string { return storageNames.Name(uint8(s)) }

// MarshalText returns the name of the storage, or [ErrSettings] if it has none.
func (s Storage) MarshalText() ([]byte, error) { return storageNames.Text(uint8(s)) }

// UnmarshalText sets s to the storage of that name. It returns [ErrSettings] for an unknown name.
func (s *Storage) UnmarshalText(text []byte) error { return enum.Parse(s, text, storageNames) }

// half returns the format of a storage of 16 bits.
func (s Storage) half() query.Half {
	if s == StorageFloat16 {
		return query.Float16
	}
	return query.BFloat16
}

// Rows holds vectors that a [Searcher] compares with queries. Make one with [NewRows]. It does
// not change, and any number of goroutines may use it at once.
type Rows struct {
	n, cols int
	stride  int // cols, rounded up to a multiple of query.Unit; what is behind a row is 0
	storage Storage

	// The rows, and zeros up to a multiple of query.Rows rows, in one of these.
	data   []float32
	halves []uint16
	bytes  []int8

	scales  []float32 // of each row of bytes
	inverse []float32 // of each row 1/‖x‖, or 0 if x = 0
}

// NewRows returns the rows of x (n × d), copied, rounded to float32 and then to the numbers of the
// storage.
//
// The error wraps [ErrNotFinite] if a value is NaN or infinite, and [ErrRange] if one is beyond
// the largest number of the storage. Both name row and column, counted from 0. NewRows panics if
// x has no columns or does not fit its data, and for an unknown storage.
//
// Beside the rows, of [Rows.Bytes] bytes, it allocates memory for one row. Rows are filled up with
// zeros to a multiple of 16 numbers.
func NewRows[T Float](x Matrix[T], storage Storage) (*Rows, error) {
	x.Check()
	if x.Cols == 0 {
		panic(columnsPanic)
	}
	r := &Rows{n: x.Rows, cols: x.Cols, stride: upTo(x.Cols, query.Unit), storage: storage}
	n := upTo(r.n, query.Rows)
	switch storage {
	case StorageFloat32:
		r.data = make([]float32, n*r.stride)
	case StorageFloat16, StorageBFloat16:
		r.halves = make([]uint16, n*r.stride)
	case StorageInt8:
		r.bytes, r.scales = make([]int8, n*r.stride), make([]float32, n)
	default:
		panic(storagePanic)
	}
	if r.n == 0 {
		return r, nil // with any number of columns
	}
	r.inverse = make([]float32, n)
	row := make([]float32, r.cols)
	for i := range r.n {
		for j, v := range x.Row(i) {
			row[j] = float32(v)
			if row[j]-row[j] != 0 {
				return nil, badValue("x", i, j, float64(v))
			}
		}
		if j, ok := r.store(i, row); !ok {
			return nil, badValue("x", i, j, float64(x.At(i, j)))
		}
		r.Row(row, i)
		r.inverse[i] = inverseNorm(row)
	}
	return r, nil
}

// store stores a finite row. If a number is too large, it returns its column and false.
func (r *Rows) store(i int, row []float32) (column int, ok bool) {
	at := i * r.stride
	switch r.storage {
	case StorageFloat32:
		copy(r.data[at:], row)
	case StorageInt8:
		if r.scales[i], ok = query.Quantize(r.bytes[at:][:r.cols], row); !ok {
			for j, v := range row {
				if math.Abs(float64(v)) > math.Abs(float64(row[column])) {
					column = j
				}
			}
			return column, false
		}
	default:
		for j, v := range row {
			if r.halves[at+j], ok = r.storage.half().Narrow(v); !ok {
				return j, false
			}
		}
	}
	return 0, true
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
func (r *Rows) Bytes() int {
	return 4*(len(r.data)+len(r.scales)+len(r.inverse)) + 2*len(r.halves) + len(r.bytes)
}

// Row sets dst to row i as it is stored. The numbers are exact. It panics if there is no row i, or
// if dst has another length than [Rows.Cols].
func (r *Rows) Row(dst []float32, i int) {
	if uint(i) >= uint(r.n) {
		panic(indexPanic)
	}
	if len(dst) != r.cols {
		panic(fmt.Sprintf("dist: shapes do not match: dst has %d elements, a row %d", len(dst), r.cols))
	}
	at := i * r.stride
	switch r.storage {
	case StorageFloat32:
		copy(dst, r.data[at:])
	case StorageInt8:
		for j, c := range r.bytes[at:][:r.cols] {
			dst[j] = r.scales[i] * float32(c) // exact
		}
	default:
		for j, h := range r.halves[at:][:r.cols] {
			dst[j] = r.storage.half().Widen(h)
		}
	}
}
