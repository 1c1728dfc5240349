//go:build amd64 && !purego

package asm

import (
	"github.com/gomonge/monge/internal/cpuid"
	"golang.org/x/sys/cpu"
)

// detect returns the levels that the CPU supports (CPUID) and whose registers the operating system
// saves at a thread switch, which x/sys/cpu reads from XCR0. On macOS, XCR0 shows AVX-512 only
// after the first such instruction of a thread, so detect asks the kernel. Kernels before 21.3 lose
// mask registers in signal handlers (golang.org/issue/49233) and count as without AVX-512.
func detect() []Level {
	var ls []Level
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpuid.F16C() {
		return ls
	}
	ls = append(ls, AVX2)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2 {
		ls = append(ls, AVX512)
	}
	return ls
}

// detectMachine returns the table of Zen 4 if the CPU supports AVX512-BF16 and VBMI2 but not AMX.
// No Intel server supports this combination. The table is a guess for a Zen 5, and wrong for a Sapphire Rapids whose
// hypervisor hides AMX.
func detectMachine() *Machine {
	if cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512VBMI2 && !cpu.X86.HasAMXTile {
		return &zen4
	}
	return &sapphireRapids
}

func detectForms() (set Form) {
	if cpu.X86.HasAVX512VNNI {
		set |= VNNI
	}
	if cpu.X86.HasAVX512VPOPCNTDQ {
		set |= VPOPCNT
	}
	return set
}
