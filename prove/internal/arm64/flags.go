package arm64

// flags holds the condition flags at their positions in the flags register, shifted right by 28.
type flags uint64

const (
	overflow flags = 1 << iota
	carry
	zero
	negative
)

// bits returns the number of bits of a general register.
func (o operand) bits() int {
	if o.is32Bit {
		return 32
	}
	return 64
}

// setResultFlags sets the sign and zero flags and clears the other flags.
func (m *machine) setResultFlags(v uint64, bits int) uint64 {
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

// setSumFlags sets the flags of x + y.
func (m *machine) setSumFlags(x, y uint64, bits int) {
	mask := ^uint64(0) >> (64 - bits)
	x, y = x&mask, y&mask
	v := m.setResultFlags(x+y, bits)
	if v < x {
		m.flags |= carry
	}
	if (x^v)&(y^v)>>(bits-1)&1 != 0 {
		m.flags |= overflow
	}
}

// setDifferenceFlags sets the flags of x − y.
func (m *machine) setDifferenceFlags(x, y uint64, bits int) {
	mask := ^uint64(0) >> (64 - bits)
	x, y = x&mask, y&mask
	v := m.setResultFlags(x-y, bits)
	if x >= y {
		m.flags |= carry
	}
	if (x^y)&(x^v)>>(bits-1)&1 != 0 {
		m.flags |= overflow
	}
}
