//go:build (!amd64 && !arm64) || purego

package asm

func detect() []Level { return nil }

// detectMachine: of the sizes, only those without AVX-512 are read.
func detectMachine() *Machine { return &sapphireRapids }

func detectForms() Form { return 0 }
