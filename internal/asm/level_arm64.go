//go:build arm64 && !purego

package asm

import "golang.org/x/sys/cpu"

// detect returns NEON if the CPU supports Advanced SIMD. Linux (HWCAP), FreeBSD and NetBSD report
// Advanced SIMD, and macOS, Windows and OpenBSD require it.
func detect() []Level {
	if cpu.ARM64.HasASIMD {
		return []Level{NEON}
	}
	return nil
}

// detectMachine returns the sizes for a Sapphire Rapids CPU. On arm64, the sizes for AVX-512 have no effect.
func detectMachine() *Machine { return &sapphireRapids }

func detectExtensions() (set Extension) {
	if cpu.ARM64.HasASIMDDP {
		set |= DotProd
	}
	return set
}
