package vecmath

import (
	"strings"

	"github.com/gomonge/monge/internal/asm"
)

// InstructionSet returns the name of the instruction set that this module uses in this process: ref
// (plain Go), neon, avx2 or avx512. Names of kernel variants follow in parentheses. For example,
// "avx512 (zen4, vnni)" means AVX-512 with block sizes tuned for Zen 4 and with AVX512-VNNI
// instructions. The name is for logs and bug reports; results do not depend on the instruction set.
// The environment variable MONGE_LEVEL limits the instruction set when the program starts.
// MONGE_LEVEL is ignored if its value is not the name of an instruction set.
func InstructionSet() string {
	name := asm.Current().String()
	if details := asm.LevelDetails(); len(details) > 0 {
		name += " (" + strings.Join(details, ", ") + ")"
	}
	return name
}
