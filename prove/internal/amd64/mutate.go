package amd64

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
)

// Pairs of instructions that are easily confused. opposites replaces parts of the names of vector
// instructions. generalOpposites contains the full names of general instructions.
var (
	opposites = strings.NewReplacer("vfmadd", "vfnmadd", "vfnmadd", "vfmadd", "vfmsub", "vfmadd", "vadd", "vsub", "vsub", "vadd", "vmul", "vadd",
		"vdiv", "vmul", "vmax", "vmin", "vmin", "vmax", "pckl", "pckh", "pckh", "pckl", "vpadd", "vpsub", "vpsub", "vpadd",
		"vpmovsx", "vpmovzx", "vpmovzx", "vpmovsx", "vpdpbus", "vpdpwss", "vpdpwss", "vpdpbus", "vpmaddwd", "vpmaddubsw", "vpmaddubsw", "vpmaddwd", "vpopcntq", "vpopcntd")
	generalOpposites = map[string]string{"add": "sub", "sub": "add", "inc": "dec", "dec": "inc", "and": "or", "shl": "shr", "shr": "shl",
		"je": "jne", "jne": "je", "jl": "jle", "jle": "jl", "jg": "jge", "jge": "jg", "jb": "jbe", "jbe": "jb", "ja": "jae", "jae": "ja"}
)

// Mutate returns a copy of f with a mistake in one random instruction for which fit returns true. The
// mistake changes a register, a mask, an immediate operand, the operation or the condition, or adds 8
// to an address. Mutate also returns the original instruction and a description of the mistake.
func Mutate(f *code.Function, rng *rand.Rand, fit func(*code.Inst) bool) (mutant *code.Function, at *code.Inst, what string) {
	return f.Mutate(rng, func(i *code.Inst) bool {
		d, ok := i.Decoded.(*inst)
		return ok && len(d.args) > 0 && (i.Op[0] != 'j' || generalOpposites[i.Op] != "") && !strings.HasPrefix(i.Op, "prefetch") && !i.Padding() && fit(i)
	}, func(i *code.Inst) string {
		d := *i.Decoded.(*inst)
		d.Inst, d.args = i, append(d.args[:0:0], d.args...)
		i.Decoded = &d
		other := opposites.Replace(d.op)
		if o := generalOpposites[d.op]; o != "" {
			other = o
		}
		n := rng.IntN(len(d.args) + 1)
		if (n == len(d.args) || d.args[n].kind == target) && other != d.op {
			d.op = other
			d.matchForms()
			return code.ChangedOperation
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
