package limit

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
)

// TestLoops checks that the loops of every instruction set terminate, write exactly their destination, and do not read
// beyond the end of their buffer.
func TestLoops(t *testing.T) {
	for _, level := range asm.Available() {
		l := loops(level)
		if l.fma == nil {
			continue
		}
		for _, f := range []func(int){l.fma, l.div[0], l.div[1], l.sqrt[0], l.sqrt[1]} {
			f(3)
		}
		const turns = 5
		for k, m := range append(l.reads, l.write) {
			for _, streams := range []struct{ stride, step int }{{m.line, 4 * m.line}, {turns * m.line, m.line}} {
				n := 4 * m.line * turns
				b := make([]byte, n+128)
				for i := range b {
					b[i] = 7
				}
				m.move(unsafe.SliceData(b[64:]), turns, streams.stride, streams.step, 2)
				for i, v := range b {
					want := byte(7)
					if k == len(l.reads) && i >= 64 && i < 64+n {
						want = 0
					}
					if v != want {
						t.Fatalf("%v, way %d, stride %d: byte %d is %d", level, k, streams.stride, i-64, v)
					}
				}
			}
		}
	}
}

// TestRates checks that every rate can be measured, and that measuring a rate again keeps the higher rate.
func TestRates(t *testing.T) {
	m := New()
	if m == nil {
		t.Skip("no loops for this level")
	}
	for _, u := range []unit{{"fma", 0}, {"div", 32}, {"sqrt", 64}, {"read", L1}, {"write", L1}} {
		if r := m.rate(u); !(r > 0) {
			t.Errorf("%v: %g", u, r)
		}
	}
	rates := []float64{3, 5, 4}
	m.best, m.run = map[unit]float64{}, func(unit) float64 {
		r := rates[0]
		rates = rates[1:]
		return r
	}
	for i, want := range []float64{3, 3, 5, 5} {
		if got := m.rate(unit{"fma", 0}); got != want {
			t.Errorf("rate %d is %g, want %g", i, got, want)
		}
		if i > 0 {
			m.Again()
		}
	}
	if len(rates) != 0 {
		t.Error("measured", rates)
	}
}

// TestLeast checks that a phase takes as long as its slowest kind of operation, and that Least adds the times of phases.
func TestLeast(t *testing.T) {
	m := &Machine{level: asm.AVX2, best: map[unit]float64{}, run: func(u unit) float64 {
		switch u.kind {
		case "fma":
			return 2
		case "div":
			return float64(u.size) / 640 // vectors per ns: 0.1 for 64-bit numbers
		case "read":
			return 64
		}
		return 32
	}}
	fma := Phase{Bits: 64, FMAs: 800, Divs: 20}                                         // the FMAs take 100 ns, the divisions 50 ns
	load := Phase{Bits: 32, FMAs: 16, Reads: []Move{{6400, L1}, {64, 1e6}}, Times: 3}   // the reads take 100 ns, and are repeated 3 times
	store := Phase{Bits: 64, Divs: 4, Reads: []Move{{64, L1}}, Writes: []Move{{64, 1}}} // the divisions take 10 ns
	for _, c := range []struct {
		work  []Phase
		ns    float64
		bound string
	}{
		{nil, 0, ""},
		{[]Phase{fma}, 100, "FMA"},
		{[]Phase{load}, 300, "load"},
		{[]Phase{store}, 10, "division"},
		{[]Phase{{Bits: 32, Writes: []Move{{320, L1}}}}, 10, "store"},
		{[]Phase{fma, load, store}, 410, "load"},
	} {
		if ns, bound := m.Least(c.work); ns != c.ns || bound != c.bound {
			t.Errorf("%v: %g ns, %q; want %g, %q", c.work, ns, bound, c.ns, c.bound)
		}
	}
	if s := m.String(); !strings.Contains(s, "8 GFMA/s float64, 16 float32") {
		t.Error(s)
	}
}
