//go:build !linux || !(amd64 || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x)

package dataset

import "os"

// willNeed does nothing here.
func willNeed(*os.File, int64, int64) {}
