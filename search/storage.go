package search

import (
	"errors"

	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
)

var (
	// ErrNotFinite means that a value is NaN or infinite. A dist.PositionError contains its
	// position.
	ErrNotFinite = fault.ErrNotFinite
	// ErrRange means that a value is too large for the storage. A dist.PositionError contains its
	// position.
	ErrRange = errors.New("value is too large for the storage")
	// ErrSettings means that a Storage or Measure is unknown.
	ErrSettings = fault.ErrSettings
	// ErrFile means that a file is damaged, is not a collection, or has an unknown version.
	ErrFile = errors.New("not a valid file of rows")
	// ErrTooLarge means that the rows of a file need more memory than allowed.
	ErrTooLarge = errors.New("the file of rows is too large")
)

// Storage is the format in which [Rows] are stored. Every stored number represents a float32 number
// exactly, and searches compute with this number. Numbers are rounded only when they are stored.
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
	// StorageInt8 stores one byte for each number, and a scale of 4 bytes for each row. The byte is
	// an integer from −127 to 127. A number is the integer times the scale. The error is at most
	// 1/250 of the largest number of the row.
	StorageInt8
)

var storageNames = enum.New("Storage", ErrSettings, "float32", "float16", "bfloat16", "int8")

// String returns "float32", "float16", "bfloat16" or "int8".
func (s Storage) String() string { return storageNames.Name(uint8(s)) }

// MarshalText returns the name of the storage. It returns [ErrSettings] for an unknown storage.
func (s Storage) MarshalText() ([]byte, error) { return storageNames.Text(uint8(s)) }

// UnmarshalText sets s to the storage with this name. It returns [ErrSettings] if the name is
// unknown.
func (s *Storage) UnmarshalText(text []byte) error { return enum.Parse(s, text, storageNames) }

// half returns the format of a storage of 16 bits.
func (s Storage) half() query.Half {
	if s == StorageFloat16 {
		return query.Float16
	}
	return query.BFloat16
}

// RowOption is an option of [NewRows] and [NewCollection].
type RowOption uint8

// NoSketch stores rows without sketches. Sketches take a quarter of the memory of float32 rows. Search results do
// not change.
const NoSketch RowOption = 1

// isPlain reports whether options contain NoSketch. It panics if an option is unknown.
func isPlain(options []RowOption) (plain bool) {
	for _, o := range options {
		if o != NoSketch {
			panic(optionPanic)
		}
		plain = true
	}
	return plain
}
