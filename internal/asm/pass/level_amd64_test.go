//go:build !purego

package pass

import (
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/testdata"
)

// TestLevelsOfOtherCPU repeats the tests of the instruction-set levels with the kernels that other CPU models would
// choose.
func TestLevelsOfOtherCPU(t *testing.T) {
	testdata.Long(t)
	asmtest.OtherMachines(t, func(t *testing.T) {
		TestLevels(t)
		TestMixedIsWidened(t)
		TestPieces(t)
		TestDivideLevels(t)
	})
}
