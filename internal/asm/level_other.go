//go:build (!amd64 && !arm64) || purego

package asm

func detect() []Level { return nil }

// detectMachine returns the table of Sapphire Rapids. Without assembly, its sizes for AVX-512 have no effect.
func detectMachine() *Machine { return &sapphireRapids }

func detectExtensions() Extension { return 0 }
