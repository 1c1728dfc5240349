package amd64

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
)

// opposites are operations that are easily taken for each other.
var opposites = strings.NewReplacer("vfmadd", "vfnmadd", "vfnmadd", "vfmadd", "vfmsub", "vfmadd", "vadd", "vsub", "vsub", "vadd", "vmul", "vadd",
	"vdiv", "vmul", "vmax", "vmin", "vmin", "vmax", "pckl", "pckh", "pckh", "pckl", "vpadd", "vpsub", "vpsub", "vpadd")

// Mutate returns f with a mistake planted in a vector instruction: another register or mask, an
// address 8 bytes further on, another immediate, or another operation. what says which.
func Mutate(f *code.Function, rng *rand.Rand) (mutant *code.Function, at *code.Inst, what string) {
	return f.Mutate(rng, func(i *code.Inst) bool {
		d, ok := i.Decoded.(*inst)
		return ok && i.Op[0] == 'v' && len(d.args) > 0
	}, func(i *code.Inst) string {
		d := *i.Decoded.(*inst)
		d.Inst, d.args = i, append(d.args[:0:0], d.args...)
		i.Decoded = &d
		other := opposites.Replace(d.op)
		n := rng.IntN(len(d.args) + 1)
		if n == len(d.args) && other != d.op {
			d.op = other
			d.takeApart()
			return "the operation"
		}
		n %= len(d.args)
		switch a := &d.args[n]; {
		case a.mask >= 0 && rng.IntN(2) == 0:
			a.mask = (a.mask + 1) % 8
			return fmt.Sprintf("the mask of operand %d", n+1)
		case a.kind == vector || a.kind == register:
			a.reg = (a.reg + 1) % 16
		case a.kind == mask:
			a.reg = (a.reg + 1) % 8
		case a.kind == location:
			a.value += 8
		case a.kind == immediate:
			a.value ^= 1
		}
		return fmt.Sprintf("operand %d", n+1)
	})
}
