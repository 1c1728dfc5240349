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
func writeAVX512(p *byte, turns, stride, step, rounds int)

func loopsOf(level asm.Level) set {
	switch level {
	case asm.AVX2:
		return set{
			fma: fmaAVX2, div: [2]func(int){divAVX2F32, divAVX2F64}, sqrt: [2]func(int){sqrtAVX2F32, sqrtAVX2F64},
			fmas: 12, divisions: 8, read: readAVX2, write: writeAVX2, line: 64,
		}
	case asm.AVX512:
		return set{
			fma: fmaAVX512, div: [2]func(int){divAVX512F32, divAVX512F64}, sqrt: [2]func(int){sqrtAVX512F32, sqrtAVX512F64},
			fmas: 12, divisions: 8, read: readAVX512, write: writeAVX512, line: 128,
		}
	}
	return set{}
}
