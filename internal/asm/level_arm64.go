//go:build arm64 && !purego

package asm

import "golang.org/x/sys/cpu"

// detect asks Linux (HWCAP), FreeBSD and NetBSD for Advanced SIMD. macOS, Windows and OpenBSD
// require it.
func detect() []Level {
	if cpu.ARM64.HasASIMD {
		return []Level{NEON}
	}
	return nil
}

// detectMachine returns a table whose sizes without AVX-512 are used.
func detectMachine() *Machine { return &sapphireRapids }

func detectForms() (set Form) {
	if cpu.ARM64.HasASIMDDP {
		set |= DotProd
	}
	return set
}
