//go:build amd64 && !purego

package asm

import "golang.org/x/sys/cpu"

// detect takes of what the CPU has (CPUID) what the operating system saves at a thread
// switch, which x/sys/cpu reads from XCR0; not so AVX-512 on macOS, which sets those bits
// of a thread after its first such instruction: there the kernel is asked, and kernels
// before 21.3, which lose mask registers in signal handlers (golang.org/issue/49233),
// count as without.
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

// DoublePumped reports whether the CPU is taken for a Zen 4, which has AVX-512 in halves of
// 256 bits: what it has of instructions no Intel server has without AMX. Zen 5 counts as
// one, a guess, and so does a Sapphire Rapids whose hypervisor hides AMX. Kernels that
// have two forms for AVX-512 choose by it; results do not depend on it.
func DoublePumped() bool {
	return cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512VBMI2 && !cpu.X86.HasAMXTile
}
