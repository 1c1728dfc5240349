//go:build !linux

package dataset

import "os"

// willNeed does nothing here.
func willNeed(*os.File, int64, int64) {}
