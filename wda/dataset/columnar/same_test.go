package columnar

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda/dataset"
)

// TestSameTable checks that a table gives the same samples, labels and class names in every format and from every
// program that wrote it. The script testdata/same/make.py made the files.
func TestSameTable(t *testing.T) {
	f := []float64{0.5, 1.5, 2.5, -0.25, 1e-05, 12.0, 7.125, 3.5, -8.75}
	g := []float64{3.25, -1.5, 0.75, 1e21, 2.5, 0.1, 4.5, 6.5, 9.25}
	tables := map[string]struct {
		labels  []string // labels of the first rows
		classes string
	}{
		"versions": {[]string{"3.1", "3.10", "3.9"}, "[3.1 3.10 3.9]"},
		"codes":    {[]string{"01", "1", "+1"}, "[+1 01 1]"},
		"spelled":  {[]string{"1", "2", "1"}, "[1 2]"},
		"towns":    {[]string{"Köln", "Ås", `a, "b"`}, `[Köln a, "b" Ås]`},
		"words":    {[]string{"-", "+", "true"}, "[+ - true]"},
		"integers": {[]string{"1", "2", "10"}, "[1 2 10]"},
		"floats":   {[]string{"1", "2.5", "1000000"}, "[1 2.5 1000000]"},
		"missing":  {[]string{"a", "", "b"}, "[a b]"},
	}
	files, err := filepath.Glob("testdata/same/*.*.*")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		table, words, _ := strings.Cut(filepath.Base(path), ".")
		want := tables[table]
		opt := &dataset.Options{}
		if strings.Contains(words, "semicolon") {
			opt.Delimiter = ';'
		}
		if table == "missing" {
			var fe *dataset.FileError
			if _, err := dataset.ReadFile(path, opt); !errors.As(err, &fe) || fe.Option != "MissingLabels" || fe.Row == 0 {
				t.Errorf("%s: %v", path, err)
			}
			opt.MissingLabels = dataset.MissingLabelsDrop
		}
		r, err := dataset.Open(path, opt)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		d, err := r.ReadAll()
		r.Close()
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		columns := "[f g]"
		switch {
		case strings.Contains(words, "numbered"):
			columns = "[0 1]"
		case strings.Contains(words, "noheader"), strings.Contains(words, "npz"):
			columns = "[]"
		}
		if fmt.Sprint(d.Classes) != want.classes || fmt.Sprint(d.Columns) != columns {
			t.Errorf("%s: classes %q, columns %q", path, d.Classes, d.Columns)
			continue
		}
		i := 0
		for k := range f {
			label := want.labels[k%3]
			if label == "" {
				continue
			}
			if i >= d.Len() || !slices.Equal(d.X.RawRowView(i), []float64{f[k], g[k]}) || d.Classes[d.Labels[i]] != label {
				t.Errorf("%s: row %d differs", path, k+1)
				break
			}
			i++
		}
		if i != d.Len() {
			t.Errorf("%s: %d rows", path, d.Len())
		}
		if numbered := strings.Contains(words, "numbered"); numbered != slices.ContainsFunc(r.Notes(), func(n dataset.Note) bool { return n.Option == "Header" }) {
			t.Errorf("%s: notes %v", path, r.Notes())
		}
	}
}
