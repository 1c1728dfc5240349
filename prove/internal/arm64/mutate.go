package arm64

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
)

// Objdump is the name of the disassembler.
const Objdump = "aarch64-linux-gnu-objdump"

// opposites are operations that are easily confused.
var opposites = map[string]string{"fmla": "fmls", "fmls": "fmla", "fadd": "fsub", "fsub": "fadd", "fmul": "fadd", "fdiv": "fmul",
	"fmax": "fmin", "fmin": "fmax", "zip1": "zip2", "zip2": "zip1", "trn1": "trn2", "trn2": "trn1", "add": "sub", "sub": "add", "adds": "subs", "subs": "adds", "ushr": "sshr",
	"sdot": "udot", "udot": "sdot", "smull": "umull", "smull2": "umull2", "smlal": "umlal", "smlal2": "umlal2", "ssubl": "usubl", "ssubl2": "usubl2",
	"sabd": "uabd", "sadalp": "uadalp", "uadalp": "sadalp", "saddlv": "uaddlv", "uaddlv": "saddlv", "lsl": "lsr", "lsr": "lsl", "cbz": "cbnz", "cbnz": "cbz", "tbz": "tbnz", "tbnz": "tbz",
	"b.eq": "b.ne", "b.ne": "b.eq", "b.lt": "b.le", "b.le": "b.lt", "b.gt": "b.ge", "b.ge": "b.gt", "b.hi": "b.cs", "b.cs": "b.hi",
	"b.ls": "b.cc", "b.cc": "b.ls", "b.mi": "b.pl", "b.pl": "b.mi"}

// Mutate returns a copy of f with a mistake in one random instruction for which fit returns true. The
// mistake changes a register, a lane, an immediate operand, the operation or the condition, or adds 8
// to an address. Mutate also returns the original instruction and a description of the mistake.
func Mutate(f *code.Function, rng *rand.Rand, fit func(*code.Inst) bool) (mutant *code.Function, at *code.Inst, what string) {
	return f.Mutate(rng, func(i *code.Inst) bool {
		d, ok := i.Decoded.(*instruction)
		return ok && len(d.args) > 0 && i.Op != "b" && i.Op != "adrp" && (!strings.HasPrefix(i.Op, "b.") || opposites[i.Op] != "") && !strings.HasPrefix(i.Op, "prfm") && !i.Padding() && fit(i)
	}, func(i *code.Inst) string {
		old := i.Decoded.(*instruction)
		d := append([]operand(nil), old.args...)
		i.Decoded = &instruction{d, old.effect}
		n := rng.IntN(len(d) + 1)
		if other := opposites[i.Op]; (n == len(d) || d[n].kind == target) && other != "" {
			i.Op = other
			return code.ChangedOperation
		}
		n %= len(d)
		for d[n].kind == target || d[n].kind == word {
			n = (n + 1) % len(d)
		}
		switch o := &d[n]; o.kind {
		case element:
			o.lane ^= 1
		case vector, scalar:
			o.reg = (o.reg + 1) % 32
		case general:
			o.reg = (o.reg + 1) % 31
		case location:
			o.value += 8
		case immediate:
			o.value ^= 1
		}
		return fmt.Sprintf("operand %d", n+1)
	})
}
