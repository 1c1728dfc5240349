package limit

// L1 is the size of a buffer that fits in the first-level cache of every machine.
const L1 = 16 << 10

// Move describes memory that a phase loads or stores.
type Move struct {
	Bytes float64
	Set   float64 // size of the working set in bytes; it determines the cache level
}

// Phase is a part of a computation. All its operations can run at the same time.
type Phase struct {
	Bits   int     // size of a floating-point number: 64 or 32 bits
	FMAs   float64 // number of FMAs and products; some machines have separate units for sums
	Divs   float64 // number of divisions
	Reads  []Move
	Writes []Move
	Times  float64 // number of repetitions; 0 means 1
}

// Least returns a lower bound for the time of the work on one thread, in nanoseconds. It also returns the resource
// that determines most of this time: "FMA", "division", "load" or "store".
func (m *Machine) Least(work []Phase) (ns float64, bound string) {
	by := map[string]float64{}
	for _, p := range work {
		t, what := m.phase(p)
		by[what] += t * max(p.Times, 1)
		ns += t * max(p.Times, 1)
	}
	for _, what := range []string{"FMA", "division", "load", "store"} {
		if by[what] > by[bound] {
			bound = what
		}
	}
	return ns, bound
}

func (m *Machine) phase(p Phase) (ns float64, bound string) {
	longer := func(t float64, what string) {
		if t > ns {
			ns, bound = t, what
		}
	}
	if p.FMAs > 0 {
		longer(p.FMAs/m.lanes(p.Bits)/m.rate(unit{"fma", 0}), "FMA")
	}
	if p.Divs > 0 {
		longer(p.Divs/m.lanes(p.Bits)/m.rate(unit{"div", p.Bits}), "division")
	}
	for _, r := range p.Reads {
		longer(r.Bytes/m.rate(unit{"read", int(max(r.Set, L1))}), "load")
	}
	for _, w := range p.Writes {
		longer(w.Bytes/m.rate(unit{"write", int(max(w.Set, L1))}), "store")
	}
	return ns, bound
}
