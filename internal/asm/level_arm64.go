//go:build arm64 && !purego

package asm

import "golang.org/x/sys/cpu"

// detect returns NEON if the CPU supports Advanced SIMD, as Linux (HWCAP), FreeBSD and NetBSD report
// it. macOS, Windows and OpenBSD require Advanced SIMD.
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
