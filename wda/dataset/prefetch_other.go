//go:build !linux

package dataset

import "os"

// willNeed does nothing on these systems.
func willNeed(*os.File, int64, int64) {}
