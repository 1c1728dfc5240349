//go:build (!amd64 && !arm64) || purego

package asm

func detect() []Level { return nil }

// detectMachine returns the sizes for a Sapphire Rapids CPU. Without assembly, the sizes for AVX-512 have no effect.
func detectMachine() *Machine { return &sapphireRapids }

func detectExtensions() Extension { return 0 }
