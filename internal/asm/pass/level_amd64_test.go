//go:build !purego

package pass

import "testing"

// TestLevelsOfOtherCPU repeats the comparison of levels with the forms of AVX-512 that
// another CPU would choose.
func TestLevelsOfOtherCPU(t *testing.T) {
	doublePumped = !doublePumped
	defer func() { doublePumped = !doublePumped }()
	TestLevels(t)
	TestMixedIsWidened(t)
	TestPieces(t)
	TestDivideLevels(t)
}
