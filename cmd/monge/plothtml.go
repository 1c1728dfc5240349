package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// page is an interactive plot without its data. It loads no libraries or other files.
//
// If drawing all points takes more than 50 ms, the page draws a subset while the view moves.
// Drawing the subset takes about 40 ms.
//
//go:embed plot.html
var page []byte

const (
	// mostComponents is the maximum number of components in a page.
	mostComponents = 10
	// mostFeatures is the maximum number of features shown for the point under the pointer.
	mostFeatures = 8
	// shapes is the number of markers of the page. It has no common factor with the number of
	// colors.
	shapes = 7
)

// Flags of a row.
const (
	isTest = 1 << iota
	isWrong
)

// pageData are the data of a page; arrays are in base64, little-endian.
type pageData struct {
	Title      string      `json:"title"`
	Ratios     []*float64  `json:"ratios"` // ratios of the components in X
	Classes    []pageClass `json:"classes"`
	Parts      bool        `json:"parts"`      // the page marks training and test rows
	Classified bool        `json:"classified"` // the rows are classified, and isWrong is valid
	X          string      `json:"x"`          // n × p, float32
	Label      string      `json:"label"`      // n int32 indices into Classes
	Predicted  string      `json:"predicted"`  // n int32 indices into Classes, valid where isWrong is set
	Row        string      `json:"row"`        // n int32 row numbers in the file, counted from 1
	Flags      string      `json:"flags"`      // uint8
	Features   []string    `json:"features"`   // names of the features that are in Values
	Values     string      `json:"values"`     // n × features, float32
}

type pageClass struct {
	Name  string `json:"name"`
	Color string `json:"color"`
	Dark  string `json:"dark"` // on a dark page
	Shape int    `json:"shape"`
}

// plotPage writes an HTML page and returns its rows.
func (a *app) plotPage(ctx context.Context, f *plotFlags) (*dataset.Dataset, error) {
	m, c, err := readClassifier(f.model)
	if err != nil {
		return nil, err
	}
	d, test, err := f.markedRows(m, c)
	if err != nil {
		return nil, err
	}
	var y mat.Dense
	if m.Transform(&y, d.X) != nil || !hasFiniteSums(&y) {
		return nil, fmt.Errorf("%s: the projected numbers are too large to be drawn (above 1e300)", f.data)
	}
	n, p := y.Dims()
	p = min(p, mostComponents)
	out := pageData{Title: f.title, Parts: test != nil}
	if out.Title == "" {
		out.Title = f.data
	}
	ratios := m.Report().Ratios
	for l := range p {
		var r *float64
		if l < len(ratios) && !math.IsInf(ratios[l], 0) && !math.IsNaN(ratios[l]) {
			r = &ratios[l]
		}
		out.Ratios = append(out.Ratios, r)
	}
	labels, classes := d.Labels, d.Classes
	if labels == nil {
		labels, classes = make([]int, n), []string{"all"}
	}
	for c, name := range classes {
		out.Classes = append(out.Classes, pageClass{clipMiddle(name, 40), colorHex(picture.Palette, c), colorHex(picture.DarkPalette, c), c % shapes})
	}
	flags := make([]uint8, n)
	predicted := make([]int32, n)
	if d.Labels != nil {
		b := a.startPhase("classifying test rows", n)
		out.Classified, err = f.markMisclassified(ctx, m, c, d, test, flags, predicted, func(done int) { b.setDone(done, "") })
		if b.finished(); err != nil {
			return nil, err
		}
	}
	shown := decisiveFeatures(m, d)
	for _, j := range shown {
		name := fmt.Sprintf("x[%d]", j)
		if j < len(d.Columns) {
			name = clipMiddle(d.Columns[j], 24)
		}
		out.Features = append(out.Features, name)
	}
	var x, values []float32
	var label, row []int32
	for i := range n {
		for l := range p {
			x = append(x, float32(y.At(i, l)))
		}
		for _, j := range shown {
			values = append(values, float32(d.X.At(i, j)))
		}
		label, row = append(label, int32(labels[i])), append(row, int32(d.Split[i]+1))
		if test != nil && test[i] {
			flags[i] |= isTest
		}
	}
	out.Values = encodeBase64(values)
	out.X, out.Label, out.Predicted, out.Row, out.Flags = encodeBase64(x), encodeBase64(label), encodeBase64(predicted), encodeBase64(row), encodeBase64(flags)
	text, err := json.Marshal(out) // escapes < and >, so names cannot end the script
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d, outfile.WriteFile(f.out, writeBytes(bytes.Replace(page, []byte("DATA"), text, 1)))
}

// colorHex returns the color of a class in hexadecimal.
func colorHex(palette []color.NRGBA, class int) string {
	c := palette[class%len(palette)]
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// decisiveFeatures returns the columns of the mostFeatures features with the largest influence on
// any component, the largest first. The influence is the absolute weight of a feature times its
// standard deviation.
func decisiveFeatures(m *wda.Model, d *dataset.Dataset) []int {
	projection := m.Projection()
	features, p := projection.Dims()
	part := make([]float64, features)
	column := make([]float64, d.Len())
	for j := range part {
		deviation := stat.StdDev(mat.Col(column, j, d.X), nil)
		for l := range min(p, mostComponents) {
			part[j] = max(part[j], math.Abs(projection.At(j, l))*deviation)
		}
	}
	order := make([]int, features)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(part[j], part[i]) })
	return order[:min(len(order), mostFeatures)]
}

func encodeBase64[T float32 | int32 | uint8](v []T) string {
	b := make([]byte, 0, 4*len(v))
	b, _ = binary.Append(b, binary.LittleEndian, v) // cannot fail for slices of these types
	return base64.StdEncoding.EncodeToString(b)
}

// markedRows returns the rows to draw in d, and their row numbers, counted from 0, in d.Split. The
// slice test marks the test rows, or is nil if neither the file nor --holdout splits the rows.
// --sample selects among the training rows, as in fit and eval, or among all rows if test is nil.
func (f *plotFlags) markedRows(m *wda.Model, c *wda.Classifier) (d *dataset.Dataset, test []bool, err error) {
	p, err := parsePart(f.part)
	if err == nil {
		err = f.rows.check()
	}
	if err != nil {
		return nil, nil, err
	}
	features, _ := m.Dims()
	f.read.useSchemaOf(f.model, m)
	if d, err = f.read.readFeatures(f.data, f.labels, features); err != nil {
		return nil, nil, err
	}
	f.recallHoldout(m, c, d)
	split := d.Split
	if f.rows.holdout > 0 && split != nil {
		return nil, nil, fmt.Errorf("%s: the file has a split of its own; leave out --holdout", f.data)
	}
	d.Split = make([]int, d.Len())
	for i := range d.Split {
		d.Split[i] = i
	}
	var train, held *dataset.Dataset
	switch {
	case f.rows.holdout > 0:
		train, held, err = d.TrainTest(f.rows.holdout, f.rows.seed)
	case split != nil:
		var of [3][]int
		for i, v := range split {
			k := slices.Index([]int{trainRows.split(), testRows.split()}, v)
			of[k+1] = append(of[k+1], i)
		}
		for k, to := range []**dataset.Dataset{&train, &held} {
			if len(of[k+1]) > 0 {
				*to = d.Subset(of[k+1])
			}
		}
	case p != allRows:
		err = noSplitError(f.data, p)
	}
	if err != nil {
		return nil, nil, withPath(f.data, err)
	}
	if train == nil && held == nil {
		d, err = f.rows.sampleRows(f.data, d)
		return d, nil, err
	}
	if train != nil {
		if train, err = f.rows.sampleRows(f.data, train); err != nil {
			return nil, nil, err
		}
	}
	var rows []int
	if train != nil && p != testRows {
		rows = append(rows, train.Split...)
	}
	n := len(rows)
	if held != nil && p != trainRows {
		rows = append(rows, held.Split...)
	}
	if len(rows) == 0 {
		return nil, nil, noRowsError(f.data, p, split)
	}
	test = make([]bool, len(rows))
	for i := n; i < len(test); i++ {
		test[i] = true
	}
	return d.Subset(rows), test, nil
}

// markMisclassified classifies the test rows with c, or all rows if test is nil. If c is nil, it
// classifies with the nearest training rows. For a misclassified row i, it sets isWrong in flags[i]
// and stores the predicted class in predicted[i]. It returns false if no row can be classified.
func (f *plotFlags) markMisclassified(ctx context.Context, m *wda.Model, c *wda.Classifier, d *dataset.Dataset, test []bool, flags []uint8, predicted []int32, progress func(done int)) (bool, error) {
	var train, judged []int
	for i := range flags {
		if test == nil || test[i] {
			judged = append(judged, i)
		} else {
			train = append(train, i)
		}
	}
	name := m.ClassName
	if c == nil {
		const neighbors = 5
		if len(train) < neighbors {
			return false, nil
		}
		t := d.Subset(train)
		var err error
		if c, err = wda.NewClassifier(ctx, m, t.X, t.Labels, neighbors); err != nil {
			return false, withPath(f.data, err)
		}
		name = func(label int) string { return d.Classes[label] }
	}
	if len(judged) == 0 {
		return false, nil
	}
	done := len(flags) - len(judged)
	for rows := range slices.Chunk(judged, 4096) {
		j := d.Subset(rows)
		found, err := c.PredictLabels(ctx, nil, j.X, 0)
		if err != nil {
			return false, withPath(f.data, err)
		}
		for k, l := range found {
			if at := slices.Index(d.Classes, name(l)); at != j.Labels[k] {
				flags[rows[k]] |= isWrong
				predicted[rows[k]] = int32(max(at, 0))
			}
		}
		done += len(rows)
		progress(done)
	}
	return true, nil
}
