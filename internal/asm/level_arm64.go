//go:build arm64 && !purego

package asm

import "golang.org/x/sys/cpu"

// detect asks Linux (by HWCAP), FreeBSD and NetBSD for Advanced SIMD; macOS, Windows and
// OpenBSD run on no machine without it, and there x/sys/cpu says so without asking.
func detect() []Level {
	if cpu.ARM64.HasASIMD {
		return []Level{NEON}
	}
	return nil
}

// detectMachine: of the sizes, only those without AVX-512 are read.
func detectMachine() *Machine { return &sapphireRapids }

func detectForms() (set Form) {
	if cpu.ARM64.HasASIMDDP {
		set |= DotProd
	}
	return set
}
