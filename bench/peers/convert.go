package main

import (
	"math"

	"github.com/gomonge/monge/vecmath"
	tphakala16 "github.com/tphakala/simd/f16"
	"github.com/x448/float16"
)

// conversionJob returns a job that converts the vector x. The key "of" in the case name selects the conversion function.
func conversionJob[T uint16 | int8 | byte](s spec, dir string, functions map[string]func(dst []T, src []float32)) *job {
	f := functions[s.text("of")]
	if f == nil {
		return nil
	}
	src := load[float32](dir, "x")
	n := len(src)
	if s.text("of") == "signs" {
		n = (n + 7) / 8
	}
	dst := make([]T, n)
	return &job{run: func() { f(dst, src) }, result: func() []float64 {
		out := make([]float64, n)
		for i, v := range dst {
			out[i] = float64(v)
		}
		return out
	}}
}

func oursConversion(s spec, dir string) *job {
	switch s.text("of") {
	case "int8":
		return conversionJob(s, dir, map[string]func(dst []int8, src []float32){"int8": func(dst []int8, src []float32) { vecmath.QuantizeInt8(dst, src) }})
	case "signs":
		return conversionJob(s, dir, map[string]func(dst []byte, src []float32){"signs": vecmath.SignBits})
	}
	return conversionJob(s, dir, map[string]func(dst []uint16, src []float32){"float16": vecmath.ToFloat16, "bfloat16": vecmath.ToBFloat16})
}

// naiveConversion returns a job that uses plain Go loops. The loops do not handle NaN.
func naiveConversion(s spec, dir string) *job {
	switch s.text("of") {
	case "int8":
		return conversionJob(s, dir, map[string]func(dst []int8, src []float32){"int8": func(dst []int8, src []float32) {
			top := float32(0)
			for _, v := range src {
				top = max(top, float32(math.Abs(float64(v))))
			}
			scale := 127 / top
			for i, v := range src {
				dst[i] = int8(math.RoundToEven(float64(v * scale)))
			}
		}})
	case "signs":
		return conversionJob(s, dir, map[string]func(dst []byte, src []float32){"signs": func(dst []byte, src []float32) {
			clear(dst)
			for i, v := range src {
				if v < 0 {
					dst[i/8] |= 1 << (i % 8)
				}
			}
		}})
	}
	return conversionJob(s, dir, map[string]func(dst []uint16, src []float32){"bfloat16": func(dst []uint16, src []float32) {
		for i, v := range src {
			b := math.Float32bits(v)
			dst[i] = uint16((b + 0x7fff + b>>16&1) >> 16)
		}
	}})
}

func tphakalaConversion(s spec, dir string) *job {
	return conversionJob(s, dir, map[string]func(dst []uint16, src []float32){"float16": tphakala16.FromFloat32Slice})
}

// x448Peer returns a job that calls the conversion function of x448/float16 for every number.
func x448Peer(s spec, dir string) *job {
	if s.kind != "convert" {
		return nil
	}
	return conversionJob(s, dir, map[string]func(dst []uint16, src []float32){"float16": func(dst []uint16, src []float32) {
		for i, v := range src {
			dst[i] = float16.Fromfloat32(v).Bits()
		}
	}})
}
