//go:build (!amd64 && !arm64) || purego

package asm

func detect() []Level { return nil }

// detectMachine returns the default sizes. Kernels without assembly ignore the sizes for AVX-512.
func detectMachine() *Machine { return &sapphireRapids }

func detectExtensions() Extension { return 0 }
