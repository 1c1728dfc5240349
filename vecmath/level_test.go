package vecmath_test

import (
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/vecmath"
)

// TestInstructionSet checks that the result begins with the instruction set, followed by the kernel
// variants.
func TestInstructionSet(t *testing.T) {
	for _, l := range asm.Available() {
		restore := asm.Switch(l)
		got, want, details := vecmath.InstructionSet(), l.String(), asm.LevelDetails()
		restore()
		if len(details) > 0 {
			want += " (" + strings.Join(details, ", ") + ")"
		}
		if got != want || l == asm.AVX512 && len(details) == 0 {
			t.Errorf("level %v: %q, want %q", l, got, want)
		}
	}
}
