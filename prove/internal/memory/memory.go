// Package memory implements the memory of a symbolic run. The memory consists of separate regions
// of 4-byte cells, and each cell holds an expression. An access outside of the regions is a fault.
// A store to a cell that is not an output is also a fault. The address of a region need not be a
// multiple of 4.
package memory

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gomonge/monge/prove/internal/expr"
)

// Fault is the error of an access that is not allowed.
type Fault struct {
	What   string
	Addr   uint64
	Region string // the nearest region
}

func (f *Fault) Error() string { return fmt.Sprintf("%s at %#x, near %s", f.What, f.Addr, f.Region) }

// regionSpacing is the distance between two regions. It is much larger than the strides of kernels.
const regionSpacing = 1 << 28

type region struct {
	name     string
	base     uint64
	cells    []expr.Node // 0 marks a cell that must not be accessed
	writable []bool
}

// Memory is a set of regions.
type Memory struct {
	regions map[uint64]*region
	next    uint64
	apart   bool
	saved   []map[uint64]expr.Node // old contents of the changed cells, for each active call of Try
}

// New returns an empty memory. If apart is false, regions have as little alignment as possible. If
// apart is true, the addresses of the first 35 regions are different powers of two.
func New(apart bool) *Memory {
	return &Memory{regions: make(map[uint64]*region), next: 1, apart: apart}
}

// maxApartRegion bounds the region numbers that are powers of two. In a memory created with New(true),
// the region numbers are 1, 2, 4, …, maxApartRegion, and then consecutive.
const maxApartRegion = 1 << 34

// Region adds a region of cells and returns its address. If m was created with New(false), the
// address is an odd multiple of align. writable marks the cells that a run may write. If writable is
// nil, no cell may be written.
func (m *Memory) Region(name string, align int, cells []expr.Node, writable []bool) uint64 {
	base := m.next * regionSpacing
	if !m.apart {
		base += regionSpacing/2 + uint64(align)
	}
	m.regions[m.next] = &region{name, base, cells, writable}
	if m.apart && m.next < maxApartRegion {
		m.next *= 2
	} else {
		m.next++
	}
	return base
}

func (m *Memory) find(addr uint64) (*region, int, error) {
	r := m.regions[addr/regionSpacing]
	if r == nil {
		return nil, 0, &Fault{"access outside of all regions", addr, "no region"}
	}
	i := (int64(addr) - int64(r.base)) / 4
	if (addr-r.base)%4 != 0 || int64(addr) < int64(r.base) || i >= int64(len(r.cells)) || r.cells[i] == 0 {
		return nil, 0, &Fault{"access outside", addr, fmt.Sprintf("%s, %d cells from %#x", r.name, len(r.cells), r.base)}
	}
	return r, int(i), nil
}

// Cell returns the address of the cell that contains the byte at addr, and the index of the byte in
// the cell.
func (m *Memory) Cell(addr uint64) (cell, at uint64) {
	var base uint64
	if r := m.regions[addr/regionSpacing]; r != nil {
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
	if len(m.saved) > 0 {
		if before := m.saved[len(m.saved)-1]; before[addr] == 0 {
			before[addr] = r.cells[i]
		}
	}
	r.cells[i] = n
	return nil
}

// Try calls the function run for one direction of a branch and undoes the stores of the call. It
// returns the stored cells by address.
func (m *Memory) Try(run func() error) (stored map[uint64]expr.Node, err error) {
	before := map[uint64]expr.Node{}
	m.saved = append(m.saved, before)
	err = run()
	m.saved = m.saved[:len(m.saved)-1]
	stored = map[uint64]expr.Node{}
	for addr, n := range before {
		r, i, _ := m.find(addr)
		stored[addr], r.cells[i] = r.cells[i], n
	}
	return stored, err
}

// Join merges the stores of the two directions of a branch with condition c. x contains the cells
// stored if c holds, and y contains the cells stored otherwise, as returned by Try. Join sets each of
// these cells to choose(c, p, q), where p and q are the values of the cell after the two directions.
// A direction that has not stored the cell leaves the old value.
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
func (m *Memory) Cells(base uint64) []expr.Node { return m.regions[base/regionSpacing].cells }

// Accessible reports whether the byte at addr lies in a region and may be read.
func (m *Memory) Accessible(addr uint64) bool {
	cell, _ := m.Cell(addr)
	_, _, err := m.find(cell)
	return err == nil
}
