package limit

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
)

// unit identifies a measured rate by the kind and the size of the operation.
type unit struct {
	kind string // fma, div, sqrt, read, write
	size int    // bits of a floating-point number, or bytes of the buffer
}

// Machine measures and stores the rates of one core with one instruction set. Use [New] to create a Machine.
type Machine struct {
	level  asm.Level
	best   map[unit]float64 // vectors per ns; for read and write, bytes per ns
	rerun  map[unit]bool    // rates that must be measured again before their next use
	buffer []byte
	run    func(u unit) float64 // measures once

	fastest map[unit]int // index of the fastest way to run: a loop, with one or four streams
}

// New returns a machine for the instruction set in use, or nil if the package has no loops for this instruction set.
func New() *Machine {
	m := &Machine{level: asm.Current(), best: map[unit]float64{}, rerun: map[unit]bool{}, fastest: map[unit]int{}}
	m.run = m.measure
	if loops(m.level).fma == nil {
		return nil
	}
	return m
}

// Again makes the Machine measure every rate again at its next use. The Machine keeps the higher of the
// old and the new rate.
func (m *Machine) Again() {
	for u := range m.best {
		m.rerun[u] = true
	}
}

// lanes returns the number of elements of a vector register, for elements of the given number of bits.
func (m *Machine) lanes(bits int) float64 {
	width := map[asm.Level]int{asm.AVX512: 512, asm.AVX2: 256, asm.NEON: 128}[m.level]
	return float64(width) / float64(bits)
}

// rate returns the highest measured rate of the operation u.
func (m *Machine) rate(u unit) float64 {
	if m.best[u] == 0 || m.rerun[u] {
		m.best[u] = max(m.best[u], m.run(u))
		delete(m.rerun, u)
	}
	return m.best[u]
}

// A measurement takes the best of several calls. Every call lasts at least duration nanoseconds.
const (
	calls    = 12
	duration = 4e5
)

// measure measures the rate of the operation u, in vectors or bytes per nanosecond.
func (m *Machine) measure(u unit) float64 {
	l := loops(m.level)
	switch u.kind {
	case "fma":
		return bestRate(func(n int) { l.fma(n) }, l.fmas)
	case "div":
		return bestRate(func(n int) { l.div[u.size/64](n) }, l.divisions)
	case "sqrt":
		return bestRate(func(n int) { l.sqrt[u.size/64](n) }, l.divisions)
	}
	movers := l.reads
	if u.kind == "write" {
		movers = []mover{l.write}
	}
	// The first measurement tries every mover with one stream and with four streams. Later measurements use only the
	// fastest of these combinations.
	from, to := 0, 2*len(movers)
	if way, ok := m.fastest[u]; ok {
		from, to = way, way+1
	}
	top := 0.0
	for way := from; way < to; way++ {
		f := movers[way/2]
		turn := 4 * f.line // bytes that one loop iteration loads or stores: four blocks
		turns := max(u.size/turn, 1)
		stride, step := f.line, turn
		if way%2 == 1 {
			stride, step = turns*f.line, f.line
		}
		p := m.memory(turns * turn)
		if rate := bestRate(func(n int) { f.move(p, turns, stride, step, n) }, float64(turns*turn)); rate > top {
			top, m.fastest[u] = rate, way
		}
	}
	return top
}

// memory returns a pointer to n bytes of memory, aligned to a cache line.
func (m *Machine) memory(n int) *byte {
	if len(m.buffer) < n+64 {
		m.buffer = make([]byte, n+64)
		for i := range m.buffer {
			m.buffer[i] = 1
		}
	}
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(m.buffer))) % 64
	return &m.buffer[skip]
}

// bestRate returns the highest measured rate of f, in units of work per nanosecond. A call f(n) does n·each units of work.
func bestRate(f func(n int), each float64) float64 {
	n := 1
	for {
		if ns := nanoseconds(f, n); ns > duration {
			break
		} else if ns < duration/16 {
			n *= 8
		} else {
			n *= 2
		}
	}
	least := nanoseconds(f, n)
	for range calls {
		least = min(least, nanoseconds(f, n))
	}
	return float64(n) * each / least
}

func nanoseconds(f func(n int), n int) float64 {
	began := time.Now()
	f(n)
	return float64(max(time.Since(began), 1))
}

// String describes the measured rates, for the header of a table. It has the load and store rates for 16 KiB,
// 256 KiB, 8 MiB and 256 MiB, which are in different cache levels on most machines.
func (m *Machine) String() string {
	var b strings.Builder
	lanes := m.lanes(64)
	fmt.Fprintf(&b, "one core at level %s: %.3g GFMA/s float64, %.3g float32", m.level, m.rate(unit{"fma", 0})*lanes, m.rate(unit{"fma", 0})*2*lanes)
	for _, kind := range []string{"div", "sqrt"} {
		fmt.Fprintf(&b, "; %s %.3g and %.3g G/s", kind, m.rate(unit{kind, 64})*lanes, m.rate(unit{kind, 32})*2*lanes)
	}
	for _, kind := range []string{"read", "write"} {
		fmt.Fprintf(&b, "; %s", kind)
		for i, size := range []int{16 << 10, 256 << 10, 8 << 20, 256 << 20} {
			fmt.Fprintf(&b, "%s %.3g", strings.Repeat(",", min(i, 1)), m.rate(unit{kind, size}))
		}
	}
	b.WriteString(" GB/s of 16 KiB, 256 KiB, 8 MiB, 256 MiB")
	return b.String()
}
