package amd64

import (
	"math/rand/v2"

	"github.com/gomonge/monge/prove/internal/code"
)

// Mutate returns f with a mistake planted in a vector instruction: another register, an
// address 8 bytes further on, or another immediate. n is the number of the operand.
func Mutate(f *code.Function, rng *rand.Rand) (mutant *code.Function, at *code.Inst, n int) {
	return f.Mutate(rng, func(i *code.Inst) bool {
		d, ok := i.Decoded.(*inst)
		return ok && i.Op[0] == 'v' && len(d.args) > 0
	}, func(i *code.Inst) int {
		d := *i.Decoded.(*inst)
		d.Inst, d.args = i, append(d.args[:0:0], d.args...)
		n := rng.IntN(len(d.args))
		switch a := &d.args[n]; a.kind {
		case vector, register:
			a.reg = (a.reg + 1) % 16
		case location:
			a.value += 8
		case immediate:
			a.value ^= 1
		}
		i.Decoded = &d
		return n
	})
}
