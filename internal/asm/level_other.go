//go:build (!amd64 && !arm64) || purego

package asm

func detect() []Level { return nil }

// detectMachine returns the default table. Without assembly, kernels do not use the sizes that
// concern AVX-512.
func detectMachine() *Machine { return &sapphireRapids }

func detectForms() Form { return 0 }
