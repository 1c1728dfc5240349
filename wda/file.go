package wda

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/modelfile"
	"github.com/gomonge/monge/internal/npy"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// A model file is an NPZ file, which numpy.load can read. It contains these arrays, without
// compression:
//
//	projection (d × p), mean (d), labels (C), lambda (C × C)
//	samples (n × p), sample_labels (n)    for a classifier; samples are float32 if its Storage is StorageFloat32
//	sample_codes (n × bytes, uint8)       instead of samples, if its Storage is int8 or product quantization, with
//	code_offset, code_scale (p)           for int8: component k is code_offset + code_scale·code
//	codebook (p × 2^bits, float32)        for product quantization: column c contains the vector of code c for every part,
//	rotation (p × p)                      and rotationᵀ multiplied by the vectors of a sample's codes is the sample
//	reject_scores, reject_shifts          if the classifier is calibrated to reject samples
//	reject_factors (d)                    if the rejection multiplies each feature by a factor
//	scales, ratios (p)                    if the components are scaled or ranked
//	start (d × p)                         if Optimizer.Init was given
//	feature_names (d texts)               if the features have names
//	class_names (C texts)                 if the classes have names
//
// The file model.json contains everything else. A model file and the training data suffice to
// fit the model again, unless Validation had samples of its own: the model file contains only the
// hash of these samples. The comment at the end of the ZIP file is the SHA-256 of all bytes before
// the comment. Nothing in the file depends on the time or the machine.
//
// Newer versions of the format may add arrays and fields. This version ignores unknown arrays and
// fields, and returns an error if the "version" of a file is larger than fileVersion. In version 1
// the status was a number, "neighbors" was spelled "neighbours", and "seconds" was the time that
// the fit took.

const (
	// fileVersion is the newest version of the format. It increases if an older reader would misread
	// a file. A file has the lowest version that can represent its contents: 4 with a rejection or a
	// compact Storage, 3 with a Schema, otherwise 2.
	fileVersion   = 4
	withSchema    = 3
	withoutSchema = 2
	fileFormat    = "monge-wda"
	metaName      = "model.json"
	// maxFile is the default limit for the length of a file read from a stream.
	maxFile = 1 << 30
)

// fileMeta is model.json.
type fileMeta struct {
	Format  string   `json:"format"`
	Version int      `json:"version"`
	Names   []string `json:"class_names,omitempty"`
	// Neighbors is the number of neighbors K of the classifier.
	Neighbors int     `json:"neighbors,omitempty"`
	OldK      int     `json:"neighbours,omitempty"` // Neighbors in version 1
	Fit       fileFit `json:"fit"`
	// Schema was added in version 3.
	Schema *dataset.Schema `json:"schema,omitempty"`
	// Rejection was added in version 4.
	Rejection *fileRejection `json:"rejection,omitempty"`
	// Storage is the storage of the classifier, or nil for float64. It was added in version 4.
	Storage *Storage `json:"storage,omitempty"`
}

// fileFit is the part of a Report that a file contains.
type fileFit struct {
	Objective    float64       `json:"objective"`
	Between      float64       `json:"between"`
	Within       float64       `json:"within"`
	Ridge        float64       `json:"ridge"`
	GradientNorm float64       `json:"gradient_norm"`
	Status       fileStatus    `json:"status"`
	Solver       string        `json:"solver"`
	Steps        int           `json:"steps"`
	Components   int           `json:"components,omitempty"` // only after Cut
	Lambda       float64       `json:"lambda"`
	Absolute     bool          `json:"absolute"`
	Iterations   int           `json:"iterations"`
	Shrinkage    float64       `json:"shrinkage"`
	Weights      string        `json:"weights"`
	Float32      bool          `json:"float32"`
	Standardize  bool          `json:"standardize"`
	Warnings     []fileWarning `json:"warnings,omitempty"`
	// The following fields are missing in old files.
	ObjectiveSamples int     `json:"objective_samples,omitempty"`
	Gradient         string  `json:"gradient,omitempty"`
	BatchSize        int     `json:"batch_size,omitempty"`
	MaxSteps         int     `json:"max_steps,omitempty"`
	Tolerance        float64 `json:"tolerance,omitempty"`
	Starts           int     `json:"starts,omitempty"`
	Seed             uint64  `json:"seed,omitempty"`
	// The following fields, and the array named start if Init was given, are needed to repeat a
	// fit.
	Whitening  *Whitening      `json:"whitening,omitempty"`
	Scale      *Scale          `json:"scale,omitempty"`
	Leading    int             `json:"leading,omitempty"`
	For        *Use            `json:"for,omitempty"`     // omitted for UseNeighbors
	Mixture    *Mixture        `json:"mixture,omitempty"` // only if it has members
	Samples    int             `json:"samples,omitempty"`
	Validation *fileValidation `json:"validation,omitempty"`
}

// fileValidation is the form of a Validation in a model file. It has a hash of X and Labels instead of
// the data.
type fileValidation struct {
	Fraction  float64 `json:"fraction"`
	Neighbors int     `json:"neighbors"`
	Every     int     `json:"every"`
	Patience  int     `json:"patience"`
	Hash      string  `json:"hash,omitempty"`
}

// weightNames contains the words that stand for Objective.Proportional in a model file.
var weightNames = map[bool]string{false: "uniform", true: "proportional"}

// fileStatus is a Status in a file. It is written as its name; in version 1 it was a number.
type fileStatus Status

func (s fileStatus) MarshalText() ([]byte, error) { return Status(s).MarshalText() }

func (s *fileStatus) UnmarshalJSON(b []byte) error {
	at, err := strconv.Atoi(string(b))
	if err != nil {
		return json.Unmarshal(b, (*Status)(s))
	}
	if *s = fileStatus(at); int(*s) == at {
		_, err = Status(*s).MarshalText()
	}
	if err != nil || int(*s) != at {
		return fmt.Errorf("unknown status %d", at)
	}
	return nil
}

// lambdaSetting returns the setting for λ, or the zero value if λ is a matrix. In this case, parseModel
// sets the matrix.
func (f *fileFit) lambdaSetting() Lambda {
	switch {
	case f.Lambda == 0:
		return Lambda{}
	case f.Absolute:
		return AbsoluteLambda(f.Lambda)
	}
	return RelativeLambda(f.Lambda)
}

// MarshalBinary implements encoding.BinaryMarshaler. The result is a model file: an NPZ file with a
// checksum. Python can read this file with numpy.load. The same model gives the same bytes.
func (m *Model) MarshalBinary() ([]byte, error) {
	if m == nil || m.projection == nil {
		return nil, fmt.Errorf("%w: the zero Model cannot be written; use Fit or Load", ErrModel)
	}
	return encodeModelFile(m, nil)
}

// encodeModelFile returns a model file with m and c. c may be nil.
func encodeModelFile(m *Model, c *Classifier) ([]byte, error) {
	r, d, p := &m.report, len(m.mean), len(m.offset)
	set, objective, solver := &r.Settings, &r.Settings.Objective, &r.Settings.Optimizer
	method, batch := methodText(solver.Method)
	meta := fileMeta{Format: fileFormat, Version: withoutSchema, Names: m.names, Schema: m.schema, Fit: fileFit{
		Objective: clampFinite(r.Objective), Between: clampFinite(r.Between), Within: clampFinite(r.Within), Ridge: clampFinite(r.Ridge),
		GradientNorm: clampFinite(r.GradientNorm), Status: fileStatus(r.Status), Solver: method, Steps: r.Steps,
		Lambda: objective.Lambda.value, Absolute: objective.Lambda.IsAbsolute(),
		Iterations: objective.Iterations, Shrinkage: objective.Shrinkage.rho, Weights: weightNames[objective.Proportional], Float32: objective.Float32, Standardize: set.Data.Standardize,
		Warnings: fileWarnings(r.Warnings), ObjectiveSamples: r.ObjectiveSamples, Gradient: objective.Gradient.String(), BatchSize: batch,
		MaxSteps: solver.MaxSteps, Tolerance: clampFinite(solver.Tolerance), Starts: solver.Starts, Seed: set.Seed,
		Whitening: &set.Data.Whitening, Scale: &set.Scale, Leading: set.Leading, Samples: objective.Samples,
	}}
	if set.For != UseNeighbors {
		meta.Fit.For = &set.For
	}
	if set.Mixture.members != nil {
		meta.Fit.Mixture = &set.Mixture
	}
	if v := set.Validation; v != nil {
		meta.Fit.Validation = &fileValidation{v.Fraction, v.Neighbors, v.Every, v.Patience, m.validated}
	}
	if set.Components != p {
		meta.Fit.Components = set.Components
	}
	if m.schema != nil {
		meta.Version = withSchema
	}
	w := modelfile.NewWriter()
	w.Add("projection.npy", npy.Append(nil, m.projection.RawMatrix().Data, d, p))
	w.Add("mean.npy", npy.Append(nil, m.mean, d))
	w.Add("labels.npy", npy.Append(nil, toInt64(m.labels), len(m.labels)))
	// These two arrays are for users of NumPy; Load reads the names from model.json.
	if text := npy.AppendTexts(nil, m.FeatureNames()); text != nil {
		w.Add("feature_names.npy", text)
	}
	if text := npy.AppendTexts(nil, m.names); text != nil {
		w.Add("class_names.npy", text)
	}
	if r.Lambda != nil {
		w.Add("lambda.npy", npy.Append(nil, mat.DenseCopyOf(r.Lambda).RawMatrix().Data, len(m.labels), len(m.labels)))
	}
	if m.scales != nil {
		w.Add("scales.npy", npy.Append(nil, m.scales, p))
	}
	if m.ratios != nil {
		w.Add("ratios.npy", npy.Append(nil, m.ratios, p))
	}
	if solver.Init != nil {
		w.Add("start.npy", npy.Append(nil, mat.DenseCopyOf(solver.Init).RawMatrix().Data, d, set.Components))
	}
	if c != nil {
		meta.Neighbors = c.k
		for _, e := range c.sampleArrays() {
			w.Add(e.name+".npy", e.npy)
		}
		w.Add("sample_labels.npy", npy.Append(nil, toInt64(c.rowLabels()), c.Len()))
		if c.compact != nil {
			meta.Version, meta.Storage = fileVersion, &c.compact.storage
		}
		if r := c.rejection; r != nil {
			meta.Version = fileVersion
			meta.Rejection = &fileRejection{r.Rate, r.Weight, r.typical, r.center, r.spread}
			for name, v := range r.arrays() {
				w.Add(name+".npy", npy.Append(nil, v, len(v)))
			}
		}
	}
	js, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return nil, err
	}
	w.Add(metaName, js)
	return w.Bytes()
}

func toInt64(labels []int) []int64 {
	w := make([]int64, len(labels))
	for i, l := range labels {
		w[i] = int64(l)
	}
	return w
}

// clampFinite returns x if x is finite, MaxFloat64 for +Inf, and −MaxFloat64 for −Inf and NaN. JSON
// cannot represent numbers that are not finite.
func clampFinite(x float64) float64 {
	switch {
	case math.IsInf(x, 1):
		return math.MaxFloat64
	case math.IsInf(x, -1), math.IsNaN(x):
		return -math.MaxFloat64
	}
	return x
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The error wraps ErrModel if data is not a
// valid model file. In case of an error, m is unchanged. No other goroutine may use m at the same
// time.
func (m *Model) UnmarshalBinary(data []byte) error {
	loaded, _, err := decodeModelFile(data)
	if err != nil {
		return err
	}
	*m = *loaded
	return nil
}

// LoadOptions configures Load. The zero value and nil mean the defaults.
type LoadOptions struct {
	// MaxBytes is the largest length of a file, in bytes; 0 means 1 GiB. Load uses at most four
	// times as much memory.
	MaxBytes int64
}

// Load reads a file written by MarshalBinary of a Model or a Classifier. It reads r to its end; r
// may be a pipe. Load returns the model and the classifier. The classifier is nil if the file
// contains only a model. o may be nil.
//
// The error wraps ErrModel if the file is damaged, is not a model file, is longer than o.MaxBytes,
// or has an unknown version. It wraps ErrSettings if o.MaxBytes is negative. An error of r is
// returned unchanged. Load stops reading as soon as the data cannot be a model file.
// UnmarshalBinary does not limit the length.
func Load(r io.Reader, o *LoadOptions) (*Model, *Classifier, error) {
	limit := int64(maxFile)
	if o != nil && o.MaxBytes < 0 {
		return nil, nil, fmt.Errorf("%w: LoadOptions.MaxBytes is %d, but must not be negative", ErrSettings, o.MaxBytes)
	}
	if o != nil && o.MaxBytes > 0 {
		limit = o.MaxBytes
	}
	data, err := modelfile.Read(r, limit)
	if err != nil {
		return nil, nil, err
	}
	return decodeModelFile(data)
}

var errNoClassifier = fmt.Errorf("%w: the file contains no classifier", ErrModel)

// knownFiles contains the names of the archived files that this version reads from a model file.
var knownFiles = []string{
	metaName, "projection.npy", "mean.npy", "labels.npy", "lambda.npy", "scales.npy", "ratios.npy",
	"start.npy", "samples.npy", "sample_labels.npy", "sample_codes.npy", "code_offset.npy", "code_scale.npy", "codebook.npy", "rotation.npy",
	"reject_scores.npy", "reject_shifts.npy", "reject_factors.npy",
}

// decodeModelFile decodes a model file. c is nil if the file contains no classifier.
func decodeModelFile(data []byte) (m *Model, c *Classifier, err error) {
	parts, err := modelfile.Open(data, knownFiles)
	if err != nil {
		return nil, nil, err
	}
	if m, c, err = parseModelFile(parts); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, c, nil
}

func parseModelFile(parts map[string][]byte) (*Model, *Classifier, error) {
	if parts[metaName] == nil {
		return nil, nil, fmt.Errorf("the archive does not contain %s", metaName)
	}
	// Decode only the format and the version first, because a newer file may not match fileMeta.
	var kind struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(parts[metaName], &kind); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", metaName, err)
	}
	switch {
	case kind.Format != fileFormat:
		return nil, nil, fmt.Errorf("the format is %.50q, want %q", kind.Format, fileFormat)
	case kind.Version < 1 || kind.Version > fileVersion:
		return nil, nil, fmt.Errorf("the file has version %d, but this library reads versions 1 to %d", kind.Version, fileVersion)
	}
	var meta fileMeta
	if err := json.Unmarshal(parts[metaName], &meta); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", metaName, err)
	}
	if meta.Version == 1 {
		meta.Neighbors = meta.OldK
	}
	if !utf8.Valid(parts[metaName]) {
		return nil, nil, fmt.Errorf("%s is not valid UTF-8", metaName)
	}
	m, err := parseModel(parts, &meta)
	if err != nil || parts["samples.npy"] == nil && meta.Storage == nil {
		return m, nil, err
	}
	c, err := parseClassifier(m, parts, &meta)
	return m, c, err
}

func parseClassifier(m *Model, parts map[string][]byte, meta *fileMeta) (*Classifier, error) {
	labels, err := parseLabels(parts, "sample_labels")
	if err != nil {
		return nil, err
	}
	n := len(labels)
	_, p := m.Dims()
	if meta.Neighbors < 1 || meta.Neighbors > n {
		return nil, fmt.Errorf("inconsistent parts: %d neighbors, but %d samples", meta.Neighbors, n)
	}
	var c *Classifier
	if meta.Storage != nil {
		points, stored, err := meta.Storage.parseSamples(parts, p, labels)
		if err != nil {
			return nil, err
		}
		c = &Classifier{model: m, k: meta.Neighbors, points: points, compact: stored}
	} else {
		y, err := parseMatrix(parts, "samples")
		if err != nil {
			return nil, err
		}
		if r, k := y.Dims(); r != n || k != p {
			return nil, fmt.Errorf("samples: shape [%d %d], want [%d %d]", r, k, n, p)
		}
		c, _ = newClassifier(context.Background(), m, y, labels, meta.Neighbors) // no error, because the context does not end
	}
	if meta.Rejection != nil {
		if c.rejection, err = meta.Rejection.toRejection(c, parts); err != nil {
			return nil, fmt.Errorf("rejection: %w", err)
		}
	}
	return c, nil
}

func parseModel(parts map[string][]byte, meta *fileMeta) (m *Model, err error) {
	m = &Model{names: meta.Names}
	if m.projection, err = parseMatrix(parts, "projection"); err != nil {
		return nil, err
	}
	d, p := m.projection.Dims()
	if m.mean, err = parseVector(parts, "mean", d); err != nil {
		return nil, err
	}
	if m.labels, err = parseLabels(parts, "labels"); err != nil {
		return nil, err
	}
	if p > d || len(m.labels) < 2 {
		return nil, fmt.Errorf("inconsistent parts: a %d × %d projection and %d labels", d, p, len(m.labels))
	}
	for c, l := range m.labels[1:] {
		if l <= m.labels[c] {
			return nil, fmt.Errorf("labels: %d follows %d, but labels must ascend", l, m.labels[c])
		}
	}
	if err := checkNames(m.names, len(m.labels)); err != nil {
		return nil, err
	}
	if m.schema = meta.Schema; m.schema != nil {
		if err := m.schema.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", metaName, err)
		}
		if m.schema.Dim() != d {
			return nil, fmt.Errorf("%s: the schema has %d features, but the projection has %d", metaName, m.schema.Dim(), d)
		}
	}
	for name, v := range map[string]*[]float64{"scales": &m.scales, "ratios": &m.ratios} {
		if parts[name+".npy"] == nil {
			continue
		}
		if *v, err = parseVector(parts, name, p); err != nil {
			return nil, err
		}
	}
	if m.report, err = meta.Fit.toReport(p); err != nil {
		return nil, err
	}
	m.report.Ratios = m.ratios
	if v := meta.Fit.Validation; v != nil {
		m.validated = v.Hash
	}
	if parts["lambda.npy"] != nil {
		if m.report.Lambda, err = parseLambda(parts, len(m.labels)); err != nil {
			return nil, err
		}
		if meta.Fit.Lambda == 0 {
			m.report.Settings.Objective.Lambda = LambdaMatrix(m.report.Lambda)
		}
	}
	if parts["start.npy"] != nil {
		start, err := parseMatrix(parts, "start")
		if err != nil {
			return nil, err
		}
		if r, c := start.Dims(); r != d || c != m.report.Settings.Components {
			return nil, fmt.Errorf("start: shape [%d %d], want [%d %d]", r, c, d, m.report.Settings.Components)
		}
		m.report.Settings.Optimizer.Init = start
	}
	m.setOffset()
	return m, nil
}

// toReport returns f as the Report of a model with p components.
func (f *fileFit) toReport(p int) (Report, error) {
	for name, v := range map[string]float64{
		"steps": float64(f.Steps), "lambda": f.Lambda, "iterations": float64(f.Iterations), "shrinkage": f.Shrinkage, "ridge": f.Ridge,
		"objective_samples": float64(f.ObjectiveSamples), "batch_size": float64(f.BatchSize), "max_steps": float64(f.MaxSteps),
		"tolerance": f.Tolerance, "starts": float64(f.Starts), "samples": float64(f.Samples),
	} {
		if v < 0 {
			return Report{}, fmt.Errorf("%s: %s is %v, but must not be negative", metaName, name, v)
		}
	}
	if f.Components == 0 {
		f.Components = p
	}
	if f.Components < p {
		return Report{}, fmt.Errorf("%s: the model has %d components, but its fit has %d", metaName, p, f.Components)
	}
	r := Report{
		Objective: f.Objective, Between: f.Between, Within: f.Within, Ridge: f.Ridge, GradientNorm: f.GradientNorm,
		ObjectiveSamples: f.ObjectiveSamples, Warnings: fromFileWarnings(f.Warnings), Status: Status(f.Status), Steps: f.Steps,
		Settings: Settings{
			Components: f.Components, Leading: f.Leading, Data: Data{Standardize: f.Standardize}, Seed: f.Seed,
			Objective: Objective{Lambda: f.lambdaSetting(), Iterations: f.Iterations, Shrinkage: FixedShrinkage(f.Shrinkage), Float32: f.Float32, Samples: f.Samples},
			Optimizer: Optimizer{MaxSteps: f.MaxSteps, Tolerance: f.Tolerance, Starts: f.Starts},
		},
	}
	var err error
	if r.Settings.Optimizer.Method, err = parseMethod(f.Solver, f.BatchSize); err != nil {
		return Report{}, err
	}
	if r.Settings.Objective.Proportional = f.Weights == weightNames[true]; f.Weights != weightNames[r.Settings.Objective.Proportional] {
		return Report{}, fmt.Errorf("%s: unknown weights %.50q", metaName, f.Weights)
	}
	if f.Whitening != nil {
		r.Settings.Data.Whitening = *f.Whitening
	}
	if f.Scale != nil {
		r.Settings.Scale = *f.Scale
	}
	if r.Settings.For = UseNeighbors; f.For != nil {
		r.Settings.For = *f.For
	}
	if r.Settings.Mixture = NoMixture(); f.Mixture != nil {
		r.Settings.Mixture = *f.Mixture
	}
	if v := f.Validation; v != nil {
		r.Settings.Validation = &Validation{Fraction: v.Fraction, Neighbors: v.Neighbors, Every: v.Every, Patience: v.Patience, Hash: v.Hash}
	}
	if f.Gradient == "" {
		return r, nil
	}
	return r, r.Settings.Objective.Gradient.UnmarshalText([]byte(f.Gradient))
}

func parseLambda(parts map[string][]byte, classes int) (*mat.SymDense, error) {
	shape, v, err := npy.Parse[float64](parts["lambda.npy"])
	if err == nil && !slices.Equal(shape, []int{classes, classes}) {
		err = fmt.Errorf("shape %v, want [%d %d]", shape, classes, classes)
	}
	if err != nil {
		return nil, fmt.Errorf("lambda: %w", err)
	}
	for i := range classes {
		for j := range classes {
			// λ may be 0 or infinite if the data are close to the limits of float64.
			if x := v[i*classes+j]; !(x >= 0) || x != v[j*classes+i] {
				return nil, fmt.Errorf("lambda: the elements of row %[1]d, column %[2]d and of row %[2]d, column %[1]d are %[3]v and %[4]v; the matrix must be symmetric and not negative", i, j, x, v[j*classes+i])
			}
		}
	}
	return mat.NewSymDense(classes, v), nil
}

// parseMatrix decodes a matrix and checks that all elements are finite.
func parseMatrix(parts map[string][]byte, name string) (*mat.Dense, error) {
	shape, v, err := npy.Parse[float64](parts[name+".npy"])
	if err == nil && (len(shape) != 2 || len(v) == 0) {
		err = fmt.Errorf("shape %v, want a matrix that is not empty", shape)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := mat.NewDense(shape[0], shape[1], v)
	if err := checkFinite(context.Background(), m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// parseVector decodes n numbers and checks that they are finite.
func parseVector(parts map[string][]byte, name string, n int) ([]float64, error) {
	shape, v, err := npy.Parse[float64](parts[name+".npy"])
	if err == nil && !slices.Equal(shape, []int{n}) {
		err = fmt.Errorf("shape %v, want [%d]", shape, n)
	}
	if at := firstNotFinite(v); err == nil && at >= 0 {
		err = &PositionError{Row: at, Column: 0, Value: v[at], Err: ErrNotFinite}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func parseLabels(parts map[string][]byte, name string) ([]int, error) {
	shape, v, err := npy.Parse[int64](parts[name+".npy"])
	if err == nil && len(shape) != 1 {
		err = fmt.Errorf("shape %v, want a vector", shape)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	labels := make([]int, len(v))
	for i, l := range v {
		if labels[i] = int(l); int64(labels[i]) != l {
			return nil, fmt.Errorf("%s: %d does not fit into an int on this machine", name, l)
		}
	}
	return labels, nil
}
