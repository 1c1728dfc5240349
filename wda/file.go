package wda

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gomonge/monge/wda/descent"
	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// A model file is an NPZ, so that numpy.load reads it: the arrays projection
// (d × p), mean (d), labels (C) and lambda (C × C), for a classifier also samples
// (n × p) and sample_labels (n), each stored uncompressed, and model.json, which has
// the rest. The comment at the end of the ZIP file is the SHA-256 of all that comes
// before it. A newer version may add arrays and fields; this one ignores what it
// does not know, and refuses a file whose "version" says that it cannot be read in
// that way.

// fileVersion is raised when an older reader would misread the file.
const fileVersion = 1

const (
	fileFormat = "monge-wda"
	metaName   = "model.json"
	// maxElements bounds what a header may claim: no array of a model comes near.
	maxElements = 1 << 28
)

// fileMeta is model.json.
type fileMeta struct {
	Format  string   `json:"format"`
	Version int      `json:"version"`
	Names   []string `json:"class_names,omitempty"`
	// Neighbors is the K of a classifier.
	Neighbors int     `json:"neighbors,omitempty"`
	Fit       fileFit `json:"fit"`
}

// fileFit is what a file keeps of the Report.
type fileFit struct {
	Objective    float64  `json:"objective"`
	Between      float64  `json:"between"`
	Within       float64  `json:"within"`
	Ridge        float64  `json:"ridge"`
	GradientNorm float64  `json:"gradient_norm"`
	Status       int      `json:"status"`
	Solver       string   `json:"solver"`
	Steps        int      `json:"steps"`
	Seconds      float64  `json:"seconds"`
	Lambda       float64  `json:"lambda"`
	Absolute     bool     `json:"absolute"`
	Iterations   int      `json:"iterations"`
	Shrinkage    float64  `json:"shrinkage"`
	Weights      string   `json:"weights"`
	Float32      bool     `json:"float32"`
	Standardize  bool     `json:"standardize"`
	Warnings     []string `json:"warnings,omitempty"`
	// Not in files of the first versions.
	ObjectiveSamples int     `json:"objective_samples,omitempty"`
	Gradient         string  `json:"gradient,omitempty"`
	BatchSize        int     `json:"batch_size,omitempty"`
	MaxSteps         int     `json:"max_steps,omitempty"`
	Tolerance        float64 `json:"tolerance,omitempty"`
	Starts           int     `json:"starts,omitempty"`
	Seed             uint64  `json:"seed,omitempty"`
}

// seal is what the checksum is written after.
const seal = "sha256:"

// sealed replaces the end of data, len(seal) + 64 bytes, by the checksum of the rest.
func sealed(data []byte) []byte {
	body := len(data) - len(seal) - 2*sha256.Size
	sum := sha256.Sum256(data[:body])
	return hex.AppendEncode(append(data[:body], seal...), sum[:])
}

// intact reports whether the end of data is the checksum of the rest.
func intact(data []byte) bool {
	body := len(data) - len(seal) - 2*sha256.Size
	if body < 0 {
		return false
	}
	sum := sha256.Sum256(data[:body])
	return string(data[body:]) == seal+hex.EncodeToString(sum[:])
}

// MarshalBinary implements encoding.BinaryMarshaler. The same model gives the same
// bytes.
func (m *Model) MarshalBinary() ([]byte, error) { return encode(m, nil) }

// encode returns the file of m and, unless it is nil, c.
func encode(m *Model, c *Classifier) ([]byte, error) {
	r := &m.report
	meta := fileMeta{Format: fileFormat, Version: fileVersion, Names: m.names, Fit: fileFit{
		Objective: finite(r.Objective), Between: finite(r.Between), Within: finite(r.Within), Ridge: finite(r.Ridge),
		GradientNorm: finite(r.GradientNorm), Status: int(r.Status), Solver: r.Solver.String(), Steps: r.Steps,
		Seconds: r.Elapsed.Seconds(), Lambda: r.Settings.Lambda, Absolute: r.Settings.Absolute,
		Iterations: r.Settings.Iterations, Shrinkage: r.Settings.Shrinkage, Weights: r.Settings.Weights.String(), Float32: r.Settings.Float32, Standardize: r.Settings.Standardize,
		Warnings: r.Warnings, ObjectiveSamples: r.ObjectiveSamples, Gradient: r.Settings.Gradient.String(), BatchSize: r.Settings.BatchSize,
		MaxSteps: r.Settings.MaxSteps, Tolerance: finite(r.Settings.Tolerance), Starts: r.Settings.Starts, Seed: r.Settings.Seed,
	}}
	labels := make([]int64, len(m.labels))
	for i, l := range m.labels {
		labels[i] = int64(l)
	}
	type array struct {
		name  string
		value any
	}
	arrays := []array{{"projection", m.projection}, {"mean", m.mean}, {"labels", labels}}
	if r.Lambda != nil {
		arrays = append(arrays, array{"lambda", mat.DenseCopyOf(r.Lambda)})
	}
	if c != nil {
		meta.Neighbors = c.k
		y, of := c.samples()
		arrays = append(arrays, array{"samples", y}, array{"sample_labels", of})
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, a := range arrays {
		var data bytes.Buffer
		if err := npy.Write(&data, a.value); err != nil {
			return nil, fmt.Errorf("wda: model file, %s: %w", a.name, err)
		}
		if err := store(z, a.name+".npy", data.Bytes()); err != nil {
			return nil, err
		}
	}
	js, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := store(z, metaName, js); err != nil {
		return nil, err
	}
	if err := z.SetComment(seal + strings.Repeat("0", 2*sha256.Size)); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return sealed(out.Bytes()), nil
}

func store(z *zip.Writer, name string, data []byte) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// finite returns x, or the largest number where JSON has no word for it.
func finite(x float64) float64 {
	switch {
	case math.IsInf(x, 1):
		return math.MaxFloat64
	case math.IsInf(x, -1), math.IsNaN(x):
		return -math.MaxFloat64
	}
	return x
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. On error, which wraps
// ErrModel, m is unchanged.
func (m *Model) UnmarshalBinary(data []byte) error {
	loaded, _, err := decode(data)
	if err != nil {
		return err
	}
	*m = *loaded
	return nil
}

// Load reads a model that MarshalBinary of a Model or a Classifier has written. An
// error wraps ErrModel if the file is damaged or of an unknown version.
func Load(r io.Reader) (*Model, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	m, _, err := decode(data)
	return m, err
}

// LoadClassifier reads a classifier that its MarshalBinary has written. An error
// wraps ErrModel if there is none in the file, too.
func LoadClassifier(r io.Reader) (*Classifier, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	c := new(Classifier)
	if err := c.UnmarshalBinary(data); err != nil {
		return nil, err
	}
	return c, nil
}

// decode reads a file. c is nil if there is no classifier in it.
func decode(data []byte) (m *Model, c *Classifier, err error) {
	if !intact(data) {
		return nil, nil, fmt.Errorf("%w: its checksum does not match", ErrModel)
	}
	if m, c, err = parse(data); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, c, nil
}

// parts returns the entries of the given names, as far as they are there.
func parts(data []byte, names ...string) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, f := range z.File {
		if !slices.Contains(names, f.Name) {
			continue
		}
		if out[f.Name] != nil || f.Method != zip.Store || f.UncompressedSize64 > uint64(len(data)) {
			return nil, fmt.Errorf("%s is not stored once and as it is", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(io.LimitReader(r, int64(len(data))))
		if err == nil {
			err = r.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out[f.Name] = b
	}
	return out, nil
}

func parse(data []byte) (*Model, *Classifier, error) {
	parts, err := parts(data, metaName, "projection.npy", "mean.npy", "labels.npy", "lambda.npy", "samples.npy", "sample_labels.npy")
	if err != nil {
		return nil, nil, err
	}
	var meta fileMeta
	if err := json.Unmarshal(parts[metaName], &meta); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", metaName, err)
	}
	switch {
	case meta.Format != fileFormat:
		return nil, nil, fmt.Errorf("format %q instead of %q", meta.Format, fileFormat)
	case meta.Version < 1 || meta.Version > fileVersion:
		return nil, nil, fmt.Errorf("version %d; this library reads up to %d", meta.Version, fileVersion)
	}
	m, err := parseModel(parts, &meta)
	if err != nil || parts["samples.npy"] == nil {
		return m, nil, err
	}
	c, err := parseClassifier(m, parts, &meta)
	return m, c, err
}

func parseClassifier(m *Model, parts map[string][]byte, meta *fileMeta) (*Classifier, error) {
	y, err := readMatrix(parts["samples.npy"])
	if err != nil {
		return nil, fmt.Errorf("samples: %w", err)
	}
	of, err := readVector[int64](parts["sample_labels.npy"])
	if err != nil {
		return nil, fmt.Errorf("sample_labels: %w", err)
	}
	n, k := y.Dims()
	if _, p := m.Dims(); k != p || len(of) != n || meta.Neighbors < 1 || meta.Neighbors > n {
		return nil, fmt.Errorf("parts do not fit: samples %d × %d, %d labels of them, %d neighbors, %d components", n, k, len(of), meta.Neighbors, p)
	}
	if err := checkFinite(y); err != nil {
		return nil, err
	}
	labels := make([]int, n)
	for i, l := range of {
		labels[i] = int(l)
	}
	return newClassifier(m, y, labels, meta.Neighbors), nil
}

func parseModel(parts map[string][]byte, meta *fileMeta) (m *Model, err error) {
	m = &Model{names: meta.Names}
	if m.projection, err = readMatrix(parts["projection.npy"]); err != nil {
		return nil, fmt.Errorf("projection: %w", err)
	}
	if m.mean, err = readVector[float64](parts["mean.npy"]); err != nil {
		return nil, fmt.Errorf("mean: %w", err)
	}
	labels, err := readVector[int64](parts["labels.npy"])
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	for _, l := range labels {
		m.labels = append(m.labels, int(l))
	}
	d, p := m.projection.Dims()
	if p > d || len(m.mean) != d || m.names != nil && len(m.names) != len(m.labels) {
		return nil, fmt.Errorf("parts do not fit: projection %d × %d, mean %d, %d labels, %d names", d, p, len(m.mean), len(m.labels), len(m.names))
	}
	if err := checkFinite(m.projection); err != nil {
		return nil, err
	}
	if err := checkFinite(mat.NewDense(1, d, m.mean)); err != nil {
		return nil, err
	}
	f := meta.Fit
	m.report = Report{
		Objective: f.Objective, Between: f.Between, Within: f.Within, Ridge: f.Ridge, GradientNorm: f.GradientNorm,
		ObjectiveSamples: f.ObjectiveSamples, Warnings: f.Warnings, Status: descent.Status(f.Status), Steps: f.Steps, Elapsed: time.Duration(math.Round(f.Seconds * float64(time.Second))),
		Settings: Settings{Components: p, Lambda: f.Lambda, Absolute: f.Absolute, Iterations: f.Iterations, Shrinkage: f.Shrinkage, Float32: f.Float32, Standardize: f.Standardize,
			BatchSize: f.BatchSize, MaxSteps: f.MaxSteps, Tolerance: f.Tolerance, Starts: f.Starts, Seed: f.Seed},
	}
	if m.report.Solver, err = ParseSolver(f.Solver); err != nil {
		return nil, err
	}
	m.report.Settings.Solver = m.report.Solver
	if m.report.Settings.Weights, err = ParseWeights(f.Weights); err != nil {
		return nil, err
	}
	if f.Gradient != "" {
		if m.report.Settings.Gradient, err = ParseGradientMode(f.Gradient); err != nil {
			return nil, err
		}
	}
	if b, ok := parts["lambda.npy"]; ok {
		l, err := readMatrix(b)
		if err != nil {
			return nil, fmt.Errorf("lambda: %w", err)
		}
		if r, c := l.Dims(); r != len(labels) || c != r {
			return nil, fmt.Errorf("lambda is %d × %d for %d classes", r, c, len(labels))
		}
		m.report.Lambda = mat.NewSymDense(len(labels), l.RawMatrix().Data)
	}
	m.setOffset()
	return m, nil
}

// readMatrix reads a two-dimensional float64 array. The header is checked before
// anything is allocated.
func readMatrix(b []byte) (*mat.Dense, error) {
	shape, v, err := readArray[float64](b)
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 {
		return nil, fmt.Errorf("array of shape %v instead of a matrix", shape)
	}
	return mat.NewDense(shape[0], shape[1], v), nil
}

func readVector[E float64 | int64](b []byte) ([]E, error) {
	shape, v, err := readArray[E](b)
	if err == nil && len(shape) != 1 {
		err = fmt.Errorf("array of shape %v instead of a vector", shape)
	}
	return v, err
}

func readArray[E float64 | int64](b []byte) (shape []int, v []E, err error) {
	// The length of the header follows magic and version, 8 bytes: 2 bytes of it in
	// version 1, 4 later.
	if len(b) < 12 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	header := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	if b[6] > 1 {
		header = 12 + int(binary.LittleEndian.Uint32(b[8:]))
	}
	if header > len(b) {
		return nil, nil, fmt.Errorf("header of %d bytes in %d", header, len(b))
	}
	r, err := npy.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, err
	}
	shape = r.Header.Descr.Shape
	n := 1
	for _, s := range shape {
		if s < 0 || s > maxElements || n*s > maxElements {
			return nil, nil, fmt.Errorf("array of shape %v", shape)
		}
		n *= s
	}
	if r.Header.Descr.Fortran || len(b)-header != 8*n {
		return nil, nil, fmt.Errorf("array of shape %v in %d bytes", shape, len(b)-header)
	}
	if err := r.Read(&v); err != nil {
		return nil, nil, err
	}
	if len(v) != n {
		return nil, nil, fmt.Errorf("%d values for shape %v", len(v), shape)
	}
	return shape, v, nil
}
