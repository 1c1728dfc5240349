//go:build arm64 && !purego

package asm

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

func detect() []Level {
	// Apple and Windows machines all have Advanced SIMD, and x/sys/cpu does not
	// ask them.
	if cpu.ARM64.HasASIMD || runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return []Level{NEON}
	}
	return nil
}
