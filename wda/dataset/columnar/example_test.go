package columnar_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gomonge/monge/internal/columnar"
	"github.com/gomonge/monge/wda/dataset"
	_ "github.com/gomonge/monge/wda/dataset/columnar"
)

// A Parquet file is read like any other. The column label has the classes, the other columns are the
// features.
func Example() {
	path := file()
	defer os.RemoveAll(filepath.Dir(path))
	d, err := dataset.ReadFile(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.X.RawRowView(1), "class", d.Classes[d.Labels[1]])
	// Output: [2 20] class b
}

// file makes a file of two rows.
func file() string {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "columnar")
	check(err)
	out, err := os.Create(filepath.Join(dir, "rows.parquet"))
	check(err)
	w, err := columnar.NewWriter(out, columnar.Format{Format: dataset.FormatParquet, Rows: 2, Cols: 2, Labelled: true})
	check(err)
	check(w.WriteLabelled([]float64{1, 10}, "a"))
	check(w.WriteLabelled([]float64{2, 20}, "b"))
	check(w.Close()) // closes the file, too
	return out.Name()
}
