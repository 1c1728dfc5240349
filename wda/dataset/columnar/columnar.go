// Package columnar lets package dataset read Apache Parquet and Apache Arrow files. It has no names;
// import it for its effect:
//
//	import _ "github.com/gomonge/monge/wda/dataset/columnar"
//
// After that, ReadFile, Open and NewReader of package dataset read these formats in blocks and in bounded
// memory, as they read the others. The import adds the libraries for Parquet and Arrow to the program, some
// 30 MB. Package dataset itself does not depend on them.
package columnar

import _ "github.com/gomonge/monge/internal/columnar" // registers the readers
