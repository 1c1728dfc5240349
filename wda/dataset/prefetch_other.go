//go:build !linux

package dataset

import "os"

// willNeed does nothing on systems other than Linux.
func willNeed(*os.File, int64, int64) {}
