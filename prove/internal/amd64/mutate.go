package amd64

import (
	"fmt"
	"maps"
	"math/rand/v2"
)

// Mutate returns c with one planted mistake in a vector instruction: another register, an
// address 8 bytes further on, or another immediate.
func (c *Code) Mutate(rng *rand.Rand) (mutant *Code, at uint64, what string) {
	var vectors []int
	for n, i := range c.order {
		if i.op[0] == 'v' && i.op != "vzeroupper" && len(i.args) > 0 {
			vectors = append(vectors, n)
		}
	}
	old := c.order[vectors[rng.IntN(len(vectors))]]
	changed := *old
	changed.args = append([]operand(nil), old.args...)
	n := rng.IntN(len(changed.args))
	a := &changed.args[n]
	switch a.kind {
	case vector, register:
		a.reg = (a.reg + 1) % 16
	case location:
		a.value += 8
	case immediate:
		a.value ^= 1
	}
	mutant = &Code{Name: c.Name, entry: c.entry, insts: maps.Clone(c.insts), order: c.order}
	mutant.insts[old.addr] = &changed
	return mutant, old.addr, fmt.Sprintf("%s: operand %d", old.text, n+1)
}

// With returns p with another version of a function.
func (p *Program) With(c *Code) *Program {
	q := &Program{Functions: maps.Clone(p.Functions), sections: p.sections}
	q.Functions[c.Name] = c
	return q
}
