//go:build amd64 && !purego

package asm

import "golang.org/x/sys/cpu"

func detect() []Level {
	var ls []Level
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return ls
	}
	ls = append(ls, AVX2)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW {
		ls = append(ls, AVX512)
	}
	return ls
}
