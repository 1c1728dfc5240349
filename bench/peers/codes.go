package main

import (
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/nearest"
	"github.com/gomonge/monge/internal/quantize"
)

// quantized returns a job that searches product-quantized rows, like a wda.Classifier. All programs use the same given
// codebook, so they have the same codes. The job calls internal packages, because package wda cannot use a given codebook.
func quantized(s spec, dir string) *job {
	if s.text("type") != "f32" {
		return nil
	}
	n, d, size := s.int("n"), s.int("d"), 1<<s.int("bits")
	rows, given := load[float32](dir, "x"), load[float32](dir, "y")
	query, book := given[:d], matrix.New(d, size, given[d:])
	q := quantize.New(s.int("m"), s.int("bits"), matrix.Matrix[float64]{}, book)
	codes, err := q.Encode(background, matrix.New(n, d, widen(rows)))
	if err != nil {
		panic(err)
	}
	stored := q.Pack(codes)
	var scratch quantize.Scratch
	var set nearest.Set[float32]
	return &job{
		run: func() {
			set.Reset(s.int("k"))
			if err := quantize.Nearest(background, &set, stored, query, &scratch); err != nil {
				panic(err)
			}
			set.Sort()
		},
		result: func() []float64 { return widen(set.Distances()) },
	}
}
