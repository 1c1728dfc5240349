//go:build (!amd64 && !arm64) || purego

package asm

func detect() []Level { return nil }

// detectMachine returns a table whose sizes without AVX-512 are used.
func detectMachine() *Machine { return &sapphireRapids }

func detectForms() Form { return 0 }
