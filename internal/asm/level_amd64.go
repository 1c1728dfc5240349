//go:build amd64 && !purego

package asm

import (
	"github.com/gomonge/monge/internal/cpuid"
	"golang.org/x/sys/cpu"
)

// detect returns the levels that the CPU supports (CPUID) and whose registers the operating system
// saves at a thread switch. x/sys/cpu reads from XCR0 which registers are saved. On macOS, XCR0
// shows AVX-512 only after the thread has executed an AVX-512 instruction, so x/sys/cpu asks the
// kernel instead. macOS kernels before 21.3 lose mask registers in signal handlers
// (golang.org/issue/49233) and count as kernels without AVX-512.
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

// detectMachine returns the table of Zen 4 if the CPU supports AVX512-BF16 and AVX512-VBMI2 but not
// AMX. No Intel server has this combination unless a hypervisor hides AMX. A Zen 5 also gets the
// table of Zen 4.
func detectMachine() *Machine {
	if cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512VBMI2 && !cpu.X86.HasAMXTile {
		return &zen4
	}
	return &sapphireRapids
}

func detectExtensions() (set Extension) {
	if cpu.X86.HasAVX512VNNI {
		set |= VNNI
	}
	if cpu.X86.HasAVX512VPOPCNTDQ {
		set |= VPOPCNT
	}
	return set
}
