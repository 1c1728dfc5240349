// Package columnar lets package dataset read Apache Parquet and Apache Arrow files. It has no names;
// import it for its effect:
//
//	import _ "github.com/gomonge/monge/wda/dataset/columnar"
//
// After that, ReadFile, Open and NewReader of package dataset read these formats in blocks and in bounded
// memory, as they read the others. The import adds the libraries for Parquet and Arrow to the program, some
// 30 MB. Package dataset itself does not depend on them: this package is a module of its own.
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
