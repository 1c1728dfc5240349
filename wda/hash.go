package wda

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/gomonge/monge/internal/modelfile"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// Hash returns a SHA-256 as 64 hexadecimal digits. Two models with the same hash project each
// sample to the same bits and have the same class names. The report and the version of a file do
// not change the hash.
//
// The input of SHA-256 is the text "monge-wda 1", the projection (d × p, by rows), the mean, the
// labels and the class names. An array is written as the number of its elements and then the
// elements. Numbers are 8 bytes, little-endian: float64 as IEEE 754 bits, integers in two's
// complement. A name is written as the number of its bytes and then the bytes.
//
// If the model stores a Schema, the text is "monge-wda 2". The number of columns follows the class
// names. Each column is written as its name (or its number in decimal digits if it has no name), its
// width, its categories and the array of its fills. Categories are written like class names. The last
// item is the name of Schema.Missing. Other fields of the Schema do not change the hash. A Schema that
// is Plain apart from Schema.Rows is ignored.
func (m *Model) Hash() string {
	m.mustDims()
	h := m.newHash()
	m.addToHash(h)
	return h.String()
}

// Hash returns the hash of the classifier. Its input is the input of Model.Hash followed by the
// projected samples (n × p, by rows), their labels, and K as an array of one integer.
//
// If the Storage of the classifier is not float64, the input contains the text of the Storage and
// arrays of the model file instead of the projected samples. These arrays are
//
//   - for float32, the samples;
//   - for int8, the codes as integers, the offsets and the scales;
//   - for product quantization, the codes as integers, the codebook as float64, and the rotation.
//
// If the classifier is calibrated, the name "rejection" and four arrays follow. The first array
// contains the rate, the weight, the typical distance, the centers and the spreads, which a model file
// stores in model.json. The other arrays are the scores, the shifts and the factors of the features. A
// model file stores these as the arrays reject_scores, reject_shifts and reject_factors.
func (c *Classifier) Hash() string {
	c.mustBeMade()
	h := c.model.newHash()
	c.model.addToHash(h)
	c.hashSamples(h)
	modelfile.HashArray(h, toInt64(c.rowLabels()))
	modelfile.HashArray(h, []int64{int64(c.k)})
	if r := c.rejection; r != nil {
		h.Name("rejection")
		modelfile.HashArray(h, slices.Concat([]float64{r.Rate, r.Weight, r.typical}, r.center[:], r.spread[:]))
		modelfile.HashArray(h, r.scores)
		modelfile.HashArray(h, r.shifts)
		modelfile.HashArray(h, r.featureScale)
	}
	return h.String()
}

// checkedHash returns the hash of v.X and v.Labels, or "" if v.X is nil. It returns an error if v.Hash
// is set and differs from this hash.
func (v *Validation) checkedHash(ctx context.Context) (string, error) {
	if v.X == nil {
		if v.Hash != "" {
			return "", fmt.Errorf("%w: Validation.Hash is set, but Validation.X is missing: it must be the samples that the fit was validated with", ErrSettings)
		}
		return "", nil
	}
	h := modelfile.NewHash(hashText)
	n, d := v.X.Dims()
	h.Number(uint64(n * d))
	row := make([]float64, d)
	for i := range n {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		modelfile.HashElements(h, mat.Row(row, i, v.X))
	}
	modelfile.HashArray(h, toInt64(v.Labels))
	is := h.String()
	if v.Hash != "" && v.Hash != is {
		return "", fmt.Errorf("%w: the validation samples do not have the hash %s that Validation.Hash expects", ErrSettings, v.Hash)
	}
	return is, nil
}

func (m *Model) addToHash(h modelfile.Hash) {
	modelfile.HashArray(h, m.projection.RawMatrix().Data)
	modelfile.HashArray(h, m.mean)
	modelfile.HashArray(h, toInt64(m.labels))
	h.Names(m.names)
	s := m.hashedSchema()
	if s == nil {
		return
	}
	h.Number(uint64(len(s.Columns)))
	for i := range s.Columns {
		c := &s.Columns[i]
		name := c.Name
		if name == "" {
			name = strconv.Itoa(c.Number)
		}
		h.Name(name)
		h.Number(uint64(c.Width))
		h.Names(c.Categories)
		modelfile.HashArray(h, c.Fill)
	}
	h.Name(s.Missing.String())
}

// hashedSchema returns the part of the Schema that predictions depend on, or nil.
func (m *Model) hashedSchema() *dataset.Schema {
	if m.schema == nil {
		return nil
	}
	s := *m.schema
	if s.Rows = (dataset.Draw{}); s.Plain() {
		return nil
	}
	return &s
}

// The input of the hash begins with hashText, or with schemaHashText if the model stores a Schema.
const hashText, schemaHashText = "monge-wda 1", "monge-wda 2"

// newHash returns a hash that begins with hashText or schemaHashText.
func (m *Model) newHash() modelfile.Hash {
	if m.hashedSchema() == nil {
		return modelfile.NewHash(hashText)
	}
	return modelfile.NewHash(schemaHashText)
}
