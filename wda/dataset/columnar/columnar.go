// Package columnar lets package dataset read Apache Parquet and Apache Arrow files. It exports nothing;
// import it for its side effect:
//
//	import _ "github.com/gomonge/monge/wda/dataset/columnar"
//
// ReadFile, Open and NewReader of package dataset then read these formats in blocks and in bounded memory, like the
// other formats. The import adds about 30 MB to the program, for the Parquet and Arrow libraries. Package dataset
// does not depend on them: this package is a separate module.
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

// rowError adds a row number to an error. The first row of a row group or batch has row = 0.
func rowError(part string, number, row int, cause error, what string) error {
	return &dataset.FileError{Row: row + 1, Err: fmt.Errorf("%s %d: %s: %w", part, number, what, cause)}
}
