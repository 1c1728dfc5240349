package wda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/modelfile"
	"github.com/gomonge/monge/internal/npy"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/quantize"
)

// Storage is the format in which a Classifier stores its projected samples.
//
// The zero value means the default, float64. StorageFloat64, StorageFloat32, StorageInt8 and
// StoragePQ return other values. See Classifier.WithStorage.
type Storage struct {
	kind        storageKind
	parts, bits int // for product quantization: number of parts, and bits of each code
}

type storageKind uint8

const (
	storageAuto storageKind = iota
	storageFloat64
	storageFloat32
	storageInt8
	storagePQ
)

const (
	float64Text = "float64"
	float32Text = "float32"
	int8Text    = "int8"
	pqText      = "pq"
)

// StorageFloat64 stores samples as float64: 8 bytes for each component.
func StorageFloat64() Storage { return Storage{kind: storageFloat64} }

// StorageFloat32 rounds samples to float32: 4 bytes for each component.
func StorageFloat32() Storage { return Storage{kind: storageFloat32} }

// StorageInt8 rounds each component to one of 256 equally spaced values between the smallest and the
// largest value of the component: one byte for each component.
func StorageInt8() Storage { return Storage{kind: storageInt8} }

// StoragePQ uses optimized product quantization. The projection of a sample is rotated by a learned
// matrix and cut into parts. Each part is replaced by the nearest of 2^bits learned vectors (T. Ge,
// K. He, Q. Ke and J. Sun, "Optimized product quantization for approximate nearest neighbor
// search", CVPR 2013). A sample takes parts·bits/8 bytes, rounded up. bits is 8 or 4; parts is at
// most the number of components, and at most 256. For other values WithStorage returns ErrSettings.
func StoragePQ(parts, bits int) Storage { return Storage{storagePQ, parts, bits} }

// IsAuto reports whether s is the zero Storage, which means the default.
func (s Storage) IsAuto() bool { return s.kind == storageAuto }

// RowBytes returns the number of bytes of a sample with the given number of components. Labels and
// codebooks are not included.
func (s Storage) RowBytes(components int) int {
	switch s.kind {
	case storageFloat32:
		return 4 * components
	case storageInt8:
		return components
	case storagePQ:
		return (s.parts*s.bits + 7) / 8
	}
	return 8 * components
}

// String returns "auto", "float64", "float32", "int8", or "pq:" with the number of parts, as in "pq:16". If codes
// have 4 bits, "x4" follows, as in "pq:32x4".
func (s Storage) String() string {
	switch s.kind {
	case storageFloat64:
		return float64Text
	case storageFloat32:
		return float32Text
	case storageInt8:
		return int8Text
	case storagePQ:
		text := pqText + ":" + strconv.Itoa(s.parts)
		if s.bits != 8 {
			text += "x" + strconv.Itoa(s.bits)
		}
		return text
	}
	return autoText
}

// MarshalText implements encoding.TextMarshaler. It returns the text of String.
func (s Storage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads what String writes.
func (s *Storage) UnmarshalText(text []byte) error {
	name, size, with := strings.Cut(string(text), ":")
	t, ok := Storage{}, !with
	switch name {
	case autoText:
	case float64Text:
		t = StorageFloat64()
	case float32Text:
		t = StorageFloat32()
	case int8Text:
		t = StorageInt8()
	case pqText:
		parts, bits, given := strings.Cut(size, "x")
		if !given {
			bits = "8"
		}
		m, err := strconv.Atoi(parts)
		b, errBits := strconv.Atoi(bits)
		t = StoragePQ(m, b)
		ok = with && errors.Join(err, errBits, t.Check(m)) == nil
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("%w: invalid storage %q: use %s, %s, %s, %s, %[7]s:PARTS such as %[7]s:16, or %[7]s:PARTSxBITS such as %[7]s:32x4",
			ErrSettings, text, autoText, float64Text, float32Text, int8Text, pqText)
	}
	*s = t
	return nil
}

// Check returns an error that wraps ErrSettings if s cannot store samples with the given number of
// components.
func (s Storage) Check(components int) error {
	switch {
	case s.kind != storagePQ:
		return nil
	case s.bits != 4 && s.bits != 8:
		return fmt.Errorf("%w: product quantization with %d bits; the number of bits must be 4 or 8", ErrSettings, s.bits)
	case !quantize.ValidParts(s.parts, components):
		return fmt.Errorf("%w: product quantization with %d parts of %d components; there must be between 1 and %d parts", ErrSettings, s.parts, components, min(components, quantize.MostParts))
	}
	return nil
}

// compactStorage describes how a classifier stores its samples, if not as float64. Classifier.points contains the stored
// rows.
type compactStorage struct {
	storage       Storage
	offset, scale []float64 // offset and scale of every component, for StorageInt8
}

// WithStorage returns the classifier with its samples stored in another format. Distances are
// computed to the decoded samples:
//
//	storage    bytes per sample    squared distance of a projected sample y to a stored sample
//	float64    8·p                 ‖y − z‖²
//	float32    4·p                 ‖y − z‖², with y and z rounded to float32
//	int8       p                   Σ_k (y_k − o_k − s_k·q_k)²
//	pq         parts·bits/8        Σ_j ‖(R·y)_j − b_j(q_j)‖²
//
// z is the stored sample and q its codes. o and s are the offset and the scale of each component, R
// is a rotation (p × p), and b_j(i) is vector i of the codebook of part j. Except for float64,
// distances are computed in float32. y is not rounded to codes.
//
// Product quantization learns R and the codebooks from the samples of the classifier: at most 64
// samples for each vector of a codebook. The result is the same on every machine and for every
// number of workers. workers is the largest number of goroutines; 0 means GOMAXPROCS.
//
// The new classifier is not calibrated, because scores depend on distances: call Calibrate after
// WithStorage.
//
// If the argument s is zero or the storage of c, WithStorage returns c. The error wraps ErrSettings if s does
// not fit the number of components, if workers is negative, or if c has a compact storage, because
// c no longer has the exact samples. It wraps ErrNotFinite if the largest magnitude of the samples
// is below 1e-15 or above 1e15, because squares must be in range of float32. If ctx ends, the error
// is context.Cause(ctx). Time grows with n·p·2^bits.
func (c *Classifier) WithStorage(ctx context.Context, s Storage, workers int) (*Classifier, error) {
	c.mustBeMade()
	_, p := c.model.Dims()
	if err := s.Check(p); err != nil {
		return nil, err
	}
	switch {
	case workers < 0:
		return nil, fmt.Errorf("%w: %d workers", ErrSettings, workers)
	case s.IsAuto() || s == c.Storage():
		return c, nil
	case c.compact != nil:
		return nil, fmt.Errorf("%w: the classifier stores its samples as %v already; make it %v from the exact samples", ErrSettings, c.Storage(), s)
	}
	out := &Classifier{model: c.model, k: c.k, compact: &compactStorage{storage: s}}
	var err error
	out.points, err = out.compact.storeSamples(ctx, matrix.New(c.Len(), p, c.projectedSamples()), c.rowLabels(), parallel.Count(workers))
	switch {
	case errors.Is(err, quantize.ErrRange):
		return nil, fmt.Errorf("%w: samples cannot be stored as %v: %w", ErrNotFinite, s, err)
	case err != nil:
		return nil, err
	}
	return out, nil
}

// storeSamples returns the projected samples y (n × p) as points in the storage of c. For int8, it
// also sets the offset and the scale.
func (c *compactStorage) storeSamples(ctx context.Context, y matrix.Matrix[float64], labels []int, workers int) (*knn.Points[float64], error) {
	var q *quantize.Quantizer
	var err error
	switch c.storage.kind {
	case storageFloat32:
		if err := quantize.CheckRange(y); err != nil {
			return nil, err
		}
		narrow := make([]float32, 0, len(y.Data))
		for i := range y.Rows {
			for _, v := range y.Row(i) {
				narrow = append(narrow, float32(v))
			}
		}
		return float32Points(ctx, narrow, y.Cols, labels)
	case storageInt8:
		if c.offset, c.scale, err = quantize.GridOf(y); err == nil {
			q = quantize.Grid(c.offset, c.scale)
		}
	default:
		q, err = quantize.Train(ctx, y, c.storage.parts, c.storage.bits, workers)
	}
	if err != nil {
		return nil, err
	}
	codes, err := q.Encode(ctx, y)
	if err != nil {
		return nil, err
	}
	return knn.NewCodes[float64](q.Pack(codes), labels), nil
}

// float32Points returns the points of samples of p components. rows contains the samples one after
// the other.
func float32Points(ctx context.Context, rows []float32, p int, labels []int) (*knn.Points[float64], error) {
	return knn.NewNarrow[float64](ctx, matrix.New(len(labels), p, rows), labels)
}

// Storage returns the format in which c stores its samples.
func (c *Classifier) Storage() Storage {
	if c.compact == nil {
		return StorageFloat64()
	}
	return c.compact.storage
}

// Bytes returns the number of bytes of the stored samples, including the offsets and scales of
// int8, or the rotation and the codebooks of product quantization. These arrays take the same number
// of bytes in a model file. The result does not include labels and data structures for fast search.
// With int8 or 8-bit codes and at least 2048 rows, these data structures may increase the memory by
// half.
func (c *Classifier) Bytes() int {
	c.mustBeMade()
	_, p := c.model.Dims()
	s := c.Storage()
	samples := c.Len() * s.RowBytes(p)
	switch s.kind {
	case storageInt8:
		return samples + 16*p
	case storagePQ:
		return samples + 8*p*p + 4*p<<s.bits
	}
	return samples
}

// projectedSamples returns the projected samples of c, by rows. The storage must be float64 or
// float32.
func (c *Classifier) projectedSamples() []float64 {
	n, p := c.Len(), len(c.model.offset)
	y := make([]float64, 0, n*p)
	for i := range n {
		for l := range p {
			y = append(y, c.points.At(i, l))
		}
	}
	return y
}

// rowLabels returns the labels of the samples of c.
func (c *Classifier) rowLabels() []int {
	labels := make([]int, c.Len())
	for i := range labels {
		labels[i] = c.points.Label(i)
	}
	return labels
}

// fileArray is an array of a model file: its name without ".npy", and its content.
type fileArray struct {
	name string
	npy  []byte
}

// sampleArrays returns the arrays that store the samples of c in a model file.
func (c *Classifier) sampleArrays() []fileArray {
	n, p := c.Len(), len(c.model.offset)
	switch {
	case c.compact == nil:
		return []fileArray{{"samples", npy.Append(nil, c.projectedSamples(), n, p)}}
	case c.compact.storage.kind == storageFloat32:
		return []fileArray{{"samples", npy.Append(nil, c.float32Samples(), n, p)}}
	}
	codes, s := c.packedCodes(), c.compact
	out := []fileArray{{"sample_codes", npy.Append(nil, codes, n, len(codes)/n)}}
	if s.storage.kind == storageInt8 {
		return append(out, fileArray{"code_offset", npy.Append(nil, s.offset, p)}, fileArray{"code_scale", npy.Append(nil, s.scale, p)})
	}
	q := c.points.Codes()
	book := q.Codebook()
	return append(out, fileArray{"codebook", npy.Append(nil, book.Data, p, book.Cols)}, fileArray{"rotation", npy.Append(nil, q.Rotation().Data, p, p)})
}

// packedCodes returns the codes of the samples, by rows. A byte contains one code of 8 bits or two
// codes of 4 bits. The first of two codes is in the low half of the byte.
func (c *Classifier) packedCodes() []byte {
	r := c.points.Codes()
	per := 8 / r.Bits()
	width := (r.Parts() + per - 1) / per
	out := make([]byte, r.Len()*width)
	for i := range r.Len() {
		for j := range r.Parts() {
			out[i*width+j/per] |= r.Code(i, j) << (j % per * r.Bits())
		}
	}
	return out
}

// float32Samples returns the samples of c by rows. The storage must be float32.
func (c *Classifier) float32Samples() []float32 {
	exact := c.projectedSamples()
	rows := make([]float32, len(exact))
	for i, v := range exact {
		rows[i] = float32(v)
	}
	return rows
}

// hashSamples adds the samples of c to h.
func (c *Classifier) hashSamples(h modelfile.Hash) {
	if c.compact == nil {
		modelfile.HashArray(h, c.projectedSamples())
		return
	}
	h.Name(c.compact.storage.String())
	if c.compact.storage.kind == storageFloat32 {
		modelfile.HashArray(h, c.float32Samples())
		return
	}
	modelfile.HashArray(h, c.packedCodes())
	if c.compact.storage.kind == storageInt8 {
		modelfile.HashArray(h, c.compact.offset)
		modelfile.HashArray(h, c.compact.scale)
		return
	}
	modelfile.HashArray(h, c.points.Codes().Codebook().Data)
	modelfile.HashArray(h, c.points.Codes().Rotation().Data)
}

// parseSamples reads the samples of a classifier with a compact storage.
func (s Storage) parseSamples(parts map[string][]byte, p int, labels []int) (*knn.Points[float64], *compactStorage, error) {
	if err := s.Check(p); err != nil || s.kind < storageFloat32 {
		return nil, nil, fmt.Errorf("the storage %v is invalid for %d components", s, p)
	}
	if s.kind == storageFloat32 {
		points, err := parseFloat32Samples(parts, p, labels)
		return points, &compactStorage{storage: s}, err
	}
	shape, codes, err := npy.Parse[uint8](parts["sample_codes.npy"])
	if err == nil && !slices.Equal(shape, []int{len(labels), s.RowBytes(p)}) {
		err = fmt.Errorf("shape %v, want [%d %d] with the storage %v", shape, len(labels), s.RowBytes(p), s)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("sample_codes: %w", err)
	}
	stored := &compactStorage{storage: s}
	var q *quantize.Quantizer
	if s.kind == storageInt8 {
		if stored.offset, err = parseVector(parts, "code_offset", p); err != nil {
			return nil, nil, err
		}
		if stored.scale, err = parseVector(parts, "code_scale", p); err != nil {
			return nil, nil, err
		}
		q = quantize.Grid(stored.offset, stored.scale)
	} else if q, err = s.parseQuantizer(parts, p); err != nil {
		return nil, nil, err
	}
	if s.kind == storagePQ && s.bits == 4 {
		codes = unpackNibbles(codes, s.parts, s.RowBytes(p))
	}
	return knn.NewCodes[float64](q.Pack(codes), labels), stored, nil
}

// parseFloat32Samples reads samples in float32.
func parseFloat32Samples(parts map[string][]byte, p int, labels []int) (*knn.Points[float64], error) {
	shape, rows, err := npy.Parse[float32](parts["samples.npy"])
	if err == nil && !slices.Equal(shape, []int{len(labels), p}) {
		err = fmt.Errorf("shape %v, want [%d %d]", shape, len(labels), p)
	}
	for i, x := range rows {
		if x-x != 0 && err == nil {
			err = &PositionError{Row: i / p, Column: i % p, Value: float64(x), Err: ErrNotFinite}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("samples: %w", err)
	}
	return float32Points(context.Background(), rows, p, labels)
}

// parseQuantizer reads the rotation and the codebooks of product quantization.
func (s Storage) parseQuantizer(parts map[string][]byte, p int) (*quantize.Quantizer, error) {
	rotation, err := parseMatrix(parts, "rotation")
	if err != nil {
		return nil, err
	}
	if r, k := rotation.Dims(); r != p || k != p {
		return nil, fmt.Errorf("rotation: shape [%d %d], want [%d %d]", r, k, p, p)
	}
	shape, book, err := npy.Parse[float32](parts["codebook.npy"])
	if err == nil && !slices.Equal(shape, []int{p, 1 << s.bits}) {
		err = fmt.Errorf("shape %v, want [%d %d]", shape, p, 1<<s.bits)
	}
	for i, x := range book {
		if x-x != 0 && err == nil {
			err = &PositionError{Row: i >> s.bits, Column: i & (1<<s.bits - 1), Value: float64(x), Err: ErrNotFinite}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("codebook: %w", err)
	}
	return quantize.New(s.parts, s.bits, matrix.New(p, p, rotation.RawMatrix().Data), matrix.New(p, 1<<s.bits, book)), nil
}

// unpackNibbles unpacks codes of 4 bits and returns one code in each byte. A packed row has width
// bytes. The number of codes in a row is parts.
func unpackNibbles(packed []byte, parts, width int) []byte {
	out := make([]byte, 0, len(packed)/width*parts)
	for ; len(packed) > 0; packed = packed[width:] {
		for j := range parts {
			out = append(out, packed[j/2]>>(j%2*4)&15)
		}
	}
	return out
}
