// Package columnar reads and writes Apache Parquet and Apache Arrow files. A program that imports
// it can read them with package dataset, in blocks and with bounded memory. Package dataset does
// not import it, because the libraries below are large. NOTES.md has measurements.
package columnar

import (
	"fmt"

	"github.com/gomonge/monge/internal/tabular"
	"github.com/gomonge/monge/wda/dataset"
)

func init() {
	tabular.Register(dataset.FormatParquet.String(), openParquet)
	tabular.Register(dataset.FormatArrow.String(), openArrow)
}

// in returns the error of an element of a row group or batch, whose rows count from 0.
func in(part string, number, row int, cause error, what string) error {
	return &dataset.FileError{Row: row + 1, Err: fmt.Errorf("%s %d: %s: %w", part, number, what, cause)}
}
