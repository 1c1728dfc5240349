//go:build !purego

package limit

import "github.com/gomonge/monge/internal/asm"

//go:noescape
func fmaNEON(n int)

//go:noescape
func divNEONF64(n int)

//go:noescape
func divNEONF32(n int)

//go:noescape
func sqrtNEONF64(n int)

//go:noescape
func sqrtNEONF32(n int)

//go:noescape
func readNEON(p *byte, turns, stride, step, rounds int)

//go:noescape
func writeNEON(p *byte, turns, stride, step, rounds int)

func loopsOf(level asm.Level) loopSet {
	if level != asm.NEON {
		return loopSet{}
	}
	return loopSet{
		fma: fmaNEON, div: [2]func(int){divNEONF32, divNEONF64}, sqrt: [2]func(int){sqrtNEONF32, sqrtNEONF64},
		fmas: 20, divisions: 8, reads: []mover{{readNEON, 32}}, write: mover{writeNEON, 32},
	}
}
