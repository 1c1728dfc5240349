//go:build (!amd64 && !arm64) || purego

package asm

func detect() []Level { return nil }

// detectMachine returns the default table. Kernels without assembly ignore the AVX-512 sizes in the
// table.
func detectMachine() *Machine { return &sapphireRapids }

func detectExtensions() Extension { return 0 }
