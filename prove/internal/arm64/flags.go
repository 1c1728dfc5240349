package arm64

// flags are the flags of conditions, at their places in the register of flags, shifted by 28.
type flags uint64

const (
	overflow flags = 1 << iota
	carry
	zero
	negative
)

// bits returns the number of bits of a general register.
func (o operand) bits() int {
	if o.narrow {
		return 32
	}
	return 64
}

// result sets the flags of sign and zero, and clears the others.
func (m *machine) result(v uint64, bits int) uint64 {
	m.flags, m.conditions = 0, nil
	v &= ^uint64(0) >> (64 - bits)
	if v == 0 {
		m.flags |= zero
	}
	if v>>(bits-1) != 0 {
		m.flags |= negative
	}
	return v
}

// added sets the flags of x + y.
func (m *machine) added(x, y uint64, bits int) {
	mask := ^uint64(0) >> (64 - bits)
	x, y = x&mask, y&mask
	v := m.result(x+y, bits)
	if v < x {
		m.flags |= carry
	}
	if (x^v)&(y^v)>>(bits-1)&1 != 0 {
		m.flags |= overflow
	}
}

// compared sets the flags of x − y.
func (m *machine) compared(x, y uint64, bits int) {
	mask := ^uint64(0) >> (64 - bits)
	x, y = x&mask, y&mask
	v := m.result(x-y, bits)
	if x >= y {
		m.flags |= carry
	}
	if (x^y)&(x^v)>>(bits-1)&1 != 0 {
		m.flags |= overflow
	}
}
