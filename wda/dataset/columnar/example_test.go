package columnar_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/gomonge/monge/wda/dataset"
	_ "github.com/gomonge/monge/wda/dataset/columnar"
)

// A Parquet file is read like a CSV file. The column "label" contains the classes, and the other
// columns are features.
func Example() {
	path := exampleFile()
	defer os.RemoveAll(filepath.Dir(path))
	d, err := dataset.ReadFile(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.X.RawRowView(1), "class", d.Classes[d.Labels[1]])
	// Output: [2 20] class b
}

// exampleFile creates a file with two rows.
func exampleFile() string {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "columnar")
	check(err)
	out, err := os.Create(filepath.Join(dir, "rows.parquet"))
	check(err)
	length := arrow.Field{Name: "length", Type: arrow.PrimitiveTypes.Float64}
	width := arrow.Field{Name: "width", Type: arrow.PrimitiveTypes.Float64}
	label := arrow.Field{Name: "label", Type: arrow.BinaryTypes.String}
	rows := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{length, width, label}, nil))
	rows.Field(0).(*array.Float64Builder).AppendValues([]float64{1, 2}, nil)
	rows.Field(1).(*array.Float64Builder).AppendValues([]float64{10, 20}, nil)
	rows.Field(2).(*array.StringBuilder).AppendValues([]string{"a", "b"}, nil)
	batch := rows.NewRecordBatch()
	w, err := pqarrow.NewFileWriter(batch.Schema(), out, nil, pqarrow.DefaultWriterProps())
	check(err)
	check(w.Write(batch))
	check(w.Close()) // closes the file, too
	return out.Name()
}
