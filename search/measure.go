package search

import "github.com/gomonge/monge/internal/enum"

// Measure selects the value that a search computes for a query q and a row x.
type Measure uint8

const (
	// MeasureSqEuclidean is the squared distance ‖q − x‖². Smaller is nearer. It is a sum of
	// squared differences, never NaN, and exactly 0 for equal vectors. The relative error is at
	// most about (d/16 + 7)·2⁻²⁴ with d elements. A sum beyond the largest float32 is +Inf.
	MeasureSqEuclidean Measure = iota
	// MeasureInnerProduct is Σ_k q_k·x_k. Larger is nearer. The error is at most about (d/16 +
	// 5)·2⁻²⁴·Σ_k |q_k·x_k|. If both positive and negative products overflow, the value is NaN,
	// which counts as −Inf in a search.
	MeasureInnerProduct
	// MeasureCosine is Σ_k q_k·x_k / √(Σ_k q_k² · Σ_k x_k²), from −1 to 1. Larger is nearer. The
	// value is bitwise symmetric in q and x, exactly 1 for equal vectors, and 0 if q or x is 0. The
	// error is at most about (d/16 + 8)·2⁻²³. Vectors whose sum of squares is below 2⁻⁸⁰ or above
	// 2¹²⁰ are first scaled by a power of two, so all of these properties hold for every finite
	// vector.
	MeasureCosine
)

var measureNames = enum.New("Measure", ErrSettings, "sqeuclidean", "inner-product", "cosine")

// String returns "sqeuclidean", "inner-product" or "cosine".
func (m Measure) String() string { return measureNames.Name(uint8(m)) }

// MarshalText returns the name of the measure. It returns [ErrSettings] for an unknown measure.
func (m Measure) MarshalText() ([]byte, error) { return measureNames.Text(uint8(m)) }

// UnmarshalText sets m to the measure with this name. It returns [ErrSettings] if the name is
// unknown.
func (m *Measure) UnmarshalText(text []byte) error { return enum.Parse(m, text, measureNames) }
