//go:build !purego

package limit

import "github.com/gomonge/monge/internal/asm"

//go:noescape
func fmaAVX2(n int)

//go:noescape
func divAVX2F64(n int)

//go:noescape
func divAVX2F32(n int)

//go:noescape
func sqrtAVX2F64(n int)

//go:noescape
func sqrtAVX2F32(n int)

//go:noescape
func readAVX2(p *byte, turns, stride, step, rounds int)

//go:noescape
func readFarAVX2(p *byte, turns, stride, step, rounds int)

//go:noescape
func readOnceAVX2(p *byte, turns, stride, step, rounds int)

//go:noescape
func writeAVX2(p *byte, turns, stride, step, rounds int)

//go:noescape
func fmaAVX512(n int)

//go:noescape
func divAVX512F64(n int)

//go:noescape
func divAVX512F32(n int)

//go:noescape
func sqrtAVX512F64(n int)

//go:noescape
func sqrtAVX512F32(n int)

//go:noescape
func readAVX512(p *byte, turns, stride, step, rounds int)

//go:noescape
func readFarAVX512(p *byte, turns, stride, step, rounds int)

//go:noescape
func readOnceAVX512(p *byte, turns, stride, step, rounds int)

//go:noescape
func writeAVX512(p *byte, turns, stride, step, rounds int)

var readsAVX2 = []mover{{readAVX2, 64}, {readFarAVX2, 64}, {readOnceAVX2, 64}}

func loopsOf(level asm.Level) loopSet {
	switch level {
	case asm.AVX2:
		return loopSet{
			fma: fmaAVX2, div: [2]func(int){divAVX2F32, divAVX2F64}, sqrt: [2]func(int){sqrtAVX2F32, sqrtAVX2F64},
			fmas: 12, divisions: 8, reads: readsAVX2, write: mover{writeAVX2, 64},
		}
	case asm.AVX512:
		return loopSet{
			fma: fmaAVX512, div: [2]func(int){divAVX512F32, divAVX512F64}, sqrt: [2]func(int){sqrtAVX512F32, sqrtAVX512F64},
			fmas: 12, divisions: 8, reads: append(readsAVX2, mover{readAVX512, 128}, mover{readFarAVX512, 128}, mover{readOnceAVX512, 128}), write: mover{writeAVX512, 128},
		}
	}
	return loopSet{}
}
