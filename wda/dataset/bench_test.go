package dataset

import (
	"bytes"
	"github.com/gomonge/monge/internal/outfile"
	"testing"

	"github.com/gomonge/monge/internal/random"
	"gonum.org/v1/gonum/mat"
)

// pixels returns 1000 random images of 28 × 28 pixels.
func pixels() *mat.Dense {
	m := mat.NewDense(1000, 784, nil)
	rng := random.New(1, 1)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = float64(rng.IntN(256))
	}
	return m
}

func BenchmarkReadCSV(b *testing.B) {
	for name, m := range map[string]*mat.Dense{"values=pixels": pixels(), "values=normal": Simulation{NoiseDims: 782}.Generate(1000).X} {
		b.Run(name, func(b *testing.B) {
			var text bytes.Buffer
			if err := outfile.CSV(&text, m, nil, nil); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readCSV(bytes.NewReader(text.Bytes()), Options{Labels: NoLabels()}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadNPY(b *testing.B) {
	var file bytes.Buffer
	if err := outfile.NPY(&file, pixels()); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readNPY(bytes.NewReader(file.Bytes()), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
