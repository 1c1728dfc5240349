package search

import (
	"errors"

	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
)

var (
	// ErrNotFinite: a value is NaN or infinite. A dist.PositionError says where.
	ErrNotFinite = fault.ErrNotFinite
	// ErrRange: a value is too large for the numbers that it is stored as. A dist.PositionError
	// says where.
	ErrRange = errors.New("value is too large for the storage")
	// ErrSettings: a Storage or Measure is unknown.
	ErrSettings = fault.ErrSettings
	// ErrFile: a file of rows is damaged, is something else, or has an unknown version.
	ErrFile = errors.New("not a valid file of rows")
	// ErrTooLarge: a file of rows needs more memory than is allowed.
	ErrTooLarge = errors.New("the file of rows is too large")
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

// RowOption is a setting of [NewRows] and [NewCollection].
type RowOption uint8

// NoSketch leaves the sketches of the rows out. It saves a quarter of the memory of float32 rows. Searches give the same
// results.
const NoSketch RowOption = 1

// isPlain reports whether options contain NoSketch. It panics if one of them is unknown.
func isPlain(options []RowOption) (plain bool) {
	for _, o := range options {
		if o != NoSketch {
			panic(optionPanic)
		}
		plain = true
	}
	return plain
}
