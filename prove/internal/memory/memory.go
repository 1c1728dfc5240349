// Package memory is the memory of a symbolic run: separate regions of cells of 4 bytes,
// each an expression. A read or a write outside of the regions is a fault, and so is a
// write to a region, or a cell of it, that is not an output. Cells are counted from the
// beginning of their region, which need not be a multiple of 4.
package memory

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gomonge/monge/prove/internal/expr"
)

// A Fault is an access that is not allowed.
type Fault struct {
	What string
	Addr uint64
	In   string // the region nearest to it
}

func (f *Fault) Error() string { return fmt.Sprintf("%s at %#x, near %s", f.What, f.Addr, f.In) }

// spacing is the distance of two regions. It is far more than a kernel's strides.
const spacing = 1 << 28

type region struct {
	name     string
	base     uint64
	cells    []expr.Node // 0 is a cell that nobody may touch
	writable []bool
}

// Memory is a set of regions.
type Memory struct {
	regions map[uint64]*region
	next    uint64
	apart   bool
	trials  []map[uint64]expr.Node // of each trial the cells that it has changed, as they were
}

// New returns an empty memory. The addresses of regions are as odd as can be. If apart holds, they are not: no
// two of the first regions have a bit in common, so that a test of two addresses finds none.
func New(apart bool) *Memory {
	return &Memory{regions: make(map[uint64]*region), next: 1, apart: apart}
}

// mostApart is the last region that has a bit of its own.
const mostApart = 1 << 34

// Region adds a region of cells and returns its address, a multiple of align. writable says which cells may
// be written; nil is none.
func (m *Memory) Region(name string, align int, cells []expr.Node, writable []bool) uint64 {
	base := m.next * spacing
	if !m.apart {
		base += spacing/2 + uint64(align)
	}
	m.regions[m.next] = &region{name, base, cells, writable}
	if m.apart && m.next < mostApart {
		m.next *= 2
	} else {
		m.next++
	}
	return base
}

func (m *Memory) find(addr uint64) (*region, int, error) {
	r := m.regions[addr/spacing]
	if r == nil {
		return nil, 0, &Fault{"access of nothing", addr, "no region"}
	}
	i := (int64(addr) - int64(r.base)) / 4
	if (addr-r.base)%4 != 0 || int64(addr) < int64(r.base) || i >= int64(len(r.cells)) || r.cells[i] == 0 {
		return nil, 0, &Fault{"access outside", addr, fmt.Sprintf("%s, %d cells from %#x", r.name, len(r.cells), r.base)}
	}
	return r, int(i), nil
}

// Cell returns the address of the cell that has the byte at addr, and the place of the byte in it.
func (m *Memory) Cell(addr uint64) (cell, at uint64) {
	var base uint64
	if r := m.regions[addr/spacing]; r != nil {
		base = r.base
	}
	at = (addr - base) % 4
	return addr - at, at
}

// Load returns the cell at addr.
func (m *Memory) Load(addr uint64) (expr.Node, error) {
	r, i, err := m.find(addr)
	if err != nil {
		return 0, err
	}
	return r.cells[i], nil
}

// Store sets the cell at addr.
func (m *Memory) Store(addr uint64, n expr.Node) error {
	r, i, err := m.find(addr)
	if err != nil {
		return err
	}
	if r.writable != nil && !r.writable[i] || r.writable == nil {
		return &Fault{"write to an input", addr, r.name}
	}
	if len(m.trials) > 0 {
		if before := m.trials[len(m.trials)-1]; before[addr] == 0 {
			before[addr] = r.cells[i]
		}
	}
	r.cells[i] = n
	return nil
}

// Try runs one way of a branch and undoes its stores. It returns the stored cells by address.
func (m *Memory) Try(run func() error) (stored map[uint64]expr.Node, err error) {
	before := map[uint64]expr.Node{}
	m.trials = append(m.trials, before)
	err = run()
	m.trials = m.trials[:len(m.trials)-1]
	stored = map[uint64]expr.Node{}
	for addr, n := range before {
		r, i, _ := m.find(addr)
		stored[addr], r.cells[i] = r.cells[i], n
	}
	return stored, err
}

// Join stores what either way of a branch has stored: x where c holds, and y elsewhere, as choose
// writes it.
func (m *Memory) Join(choose func(c, x, y expr.Node) expr.Node, c expr.Node, x, y map[uint64]expr.Node) error {
	both := maps.Clone(x)
	maps.Copy(both, y)
	for _, addr := range slices.Sorted(maps.Keys(both)) {
		old, err := m.Load(addr)
		if err != nil {
			return err
		}
		p, q := old, old
		if n := x[addr]; n != 0 {
			p = n
		}
		if n := y[addr]; n != 0 {
			q = n
		}
		if err := m.Store(addr, choose(c, p, q)); err != nil {
			return err
		}
	}
	return nil
}

// Cells returns the cells of the region that begins at base.
func (m *Memory) Cells(base uint64) []expr.Node { return m.regions[base/spacing].cells }

// Bounded reports whether the bytes from addr on lie within one region that may be touched.
func (m *Memory) Bounded(addr uint64) bool {
	cell, _ := m.Cell(addr)
	_, _, err := m.find(cell)
	return err == nil
}
