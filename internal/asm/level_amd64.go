//go:build amd64 && !purego

package asm

import (
	"github.com/gomonge/monge/internal/cpuid"
	"golang.org/x/sys/cpu"
)

// detect takes of what the CPU has (CPUID) what the operating system saves at a thread
// switch, which x/sys/cpu reads from XCR0; not so AVX-512 on macOS, which sets those bits
// of a thread after its first such instruction: there the kernel is asked, and kernels
// before 21.3, which lose mask registers in signal handlers (golang.org/issue/49233),
// count as without.
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

// detectMachine takes a CPU for a Zen 4 if it has the instructions that a Zen 4 has and no
// Intel server has without AMX. This is a guess for a Zen 5, and wrong for a Sapphire Rapids
// whose hypervisor hides AMX.
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
