package vecmath_test

import (
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/vecmath"
)

// TestInstructionSet: the level comes first, then the forms of its kernels.
func TestInstructionSet(t *testing.T) {
	for _, l := range asm.Available() {
		restore := asm.Switch(l)
		got, want := vecmath.InstructionSet(), l.String()
		if l == asm.AVX512 {
			want += " (" + asm.CurrentMachine().Name
		}
		restore()
		if !strings.HasPrefix(got, want) || (got == want) != (l != asm.AVX512) {
			t.Errorf("level %v: %q, want %q", l, got, want)
		}
	}
}
