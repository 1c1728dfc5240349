package arm64

import (
	"math/rand/v2"

	"github.com/gomonge/monge/prove/internal/code"
)

// Objdump is the program that prints the instructions.
const Objdump = "aarch64-linux-gnu-objdump"

// Mutate returns f with a mistake planted in an instruction on vectors: another register or
// lane, or an address 8 bytes further on. n is the number of the operand.
func Mutate(f *code.Function, rng *rand.Rand) (mutant *code.Function, at *code.Inst, n int) {
	return f.Mutate(rng, func(i *code.Inst) bool {
		d, ok := i.Decoded.(*instruction)
		if !ok {
			return false
		}
		for _, o := range d.args {
			if o.kind == vector || o.kind == element || o.kind == scalar {
				return true
			}
		}
		return false
	}, func(i *code.Inst) int {
		d := append([]operand(nil), i.Decoded.(*instruction).args...)
		n := rng.IntN(len(d))
		switch o := &d[n]; o.kind {
		case element:
			o.lane ^= 1
		case vector, scalar:
			o.reg = (o.reg + 1) % 32
		case location:
			o.value += 8
		}
		i.Decoded = &instruction{d, i.Decoded.(*instruction).effect}
		return n
	})
}
