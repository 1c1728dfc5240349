package vecmath

import (
	"strings"

	"github.com/gomonge/monge/internal/asm"
)

// InstructionSet returns the name of the instruction set that all kernels of this module use in
// this process: ref, which is plain Go, neon, avx2 or avx512. If kernels have several forms on that
// level, the names of those in use follow in parentheses, as in "avx512 (zen4, vnni)" where the sizes at
// which kernels change their form are those measured on a Zen 4, and the machine has AVX512-VNNI. It is for logs and bug reports:
// results do not depend on it. The environment variable MONGE_LEVEL caps it when the program starts.
func InstructionSet() string {
	name := asm.Current().String()
	if forms := asm.Forms(); len(forms) > 0 {
		name += " (" + strings.Join(forms, ", ") + ")"
	}
	return name
}
