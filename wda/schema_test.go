package wda

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/gomonge/monge/wda/dataset"
)

// TestModelSchema checks that a model stores the columns of a table. A schema must change the file version and the hash
// of a model.
func TestModelSchema(t *testing.T) {
	t.Parallel()
	d := dataset.Simulation{Seed: 3, NoiseDims: 1}.Generate(60)
	_, cols := d.X.Dims()
	s := &dataset.Schema{Total: cols + 2, LabelNumber: 0, Label: "class", LeftOut: []string{"id"}, Missing: dataset.MissingMean, Rows: dataset.Draw{Holdout: 0.25, Seed: 7}}
	for j := range cols {
		s.Columns = append(s.Columns, dataset.Column{Name: fmt.Sprintf("größe %d", j), Number: j + 2, Fill: []float64{0.1 * float64(j)}})
	}
	m, err := Fit(t.Context(), d.X, d.Labels, &Settings{Components: 1, Optimizer: Optimizer{Method: Fisher{}}})
	if err != nil {
		t.Fatal(err)
	}
	named, err := m.WithSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	file := func(m *Model) []byte {
		t.Helper()
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	again, _, err := Load(bytes.NewReader(file(named)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Schema(), s) || !slices.Equal(again.FeatureNames(), s.Features()) || again.Hash() != named.Hash() {
		t.Errorf("%+v instead of %+v", again.Schema(), s)
	}
	if named.Hash() == m.Hash() || !bytes.Contains(file(named), []byte(`"version": 3`)) || !bytes.Contains(file(m), []byte(`"version": 2`)) {
		t.Error("the names are not in the hash, or the version of the file does not say that they are there")
	}
	if !bytes.Contains(file(named), []byte("'descr': '<U7', 'fortran_order': False, 'shape': ("+strconv.Itoa(cols)+",)")) {
		t.Error("no array of names")
	}
	// Schema.Rows changes neither predictions nor the hash.
	rows := s.Clone()
	rows.Rows = dataset.Draw{}
	if other, err := m.WithSchema(rows); err != nil || other.Hash() != named.Hash() {
		t.Error(err)
	}
	plain := &dataset.Schema{Total: cols, LabelNumber: -1}
	for j := range cols {
		plain.Columns = append(plain.Columns, dataset.Column{Number: j})
	}
	if other, err := m.WithSchema(plain); err != nil || !bytes.Equal(file(other), file(m)) {
		t.Error("a plain schema is stored", err)
	}
	if none, err := named.WithSchema(nil); err != nil || none.Hash() != m.Hash() || none.Schema() != nil || none.FeatureNames() != nil {
		t.Error(err)
	}
	s.Columns[0].Name = "changed"
	if named.FeatureNames()[0] == "changed" {
		t.Error("the schema is shared")
	}
	s.Columns = s.Columns[1:]
	if _, err := m.WithSchema(s); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	s.Columns[0].Number = -1
	if _, err := m.WithSchema(s); !errors.Is(err, ErrSettings) {
		t.Error(err)
	}
}
