package amd64

import "github.com/gomonge/monge/prove/internal/code"

// The flags used by conditions, at their positions in the flags register.
const (
	carryFlag    = 1 << 0
	zeroFlag     = 1 << 6
	signFlag     = 1 << 7
	overflowFlag = 1 << 11
	allFlags     = carryFlag | zeroFlag | signFlag | overflowFlag
)

// flags holds the values of the flags. Undefined flags must not be used.
type flags struct{ value, defined uint64 }

func (f *flags) setFlag(flag uint64, on bool) {
	f.defined |= flag
	f.value &^= flag
	if on {
		f.value |= flag
	}
}

func negative(v uint64, width int) bool { return v>>(8*width-1)&1 != 0 }

// setResult sets the zero and sign flags. The other flags become undefined.
func (f *flags) setResult(v uint64, width int) {
	f.defined = 0
	v &= widthMask(width)
	f.setFlag(zeroFlag, v == 0)
	f.setFlag(signFlag, negative(v, width))
}

// setLogic sets the flags of a logical operation. Carry and overflow are cleared.
func (f *flags) setLogic(v uint64, width int) {
	f.setResult(v, width)
	f.setFlag(carryFlag, false)
	f.setFlag(overflowFlag, false)
}

// setSum sets the flags of v = x + y + carry.
func (f *flags) setSum(x, y, v uint64, carry bool, width int) {
	v &= widthMask(width)
	f.setResult(v, width)
	f.setFlag(carryFlag, v < x || carry && v == x)
	f.setFlag(overflowFlag, negative((x^v)&(y^v), width))
}

// setDifference sets the flags of x − y.
func (f *flags) setDifference(x, y uint64, width int) {
	v := x - y
	f.setResult(v, width)
	f.setFlag(carryFlag, x < y)
	f.setFlag(overflowFlag, negative((x^y)&(x^v), width))
}

// keepCarry restores the carry flag.
func (f *flags) keepCarry(old flags) {
	f.value = f.value&^carryFlag | old.value&carryFlag
	f.defined = f.defined&^carryFlag | old.defined&carryFlag
}

// conditionHolds reports whether the condition of a jump or conditional move holds.
func (m *machine) conditionHolds(c string) bool {
	if m.flags.defined == 0 && m.conditions[c] != 0 {
		m.fail("%w: condition %q depends on the data", code.ErrUnknown, c)
	}
	flag := func(f uint64) bool {
		if m.flags.defined&f == 0 {
			m.fail("%w: condition %q of an undefined flag", code.ErrUnknown, c)
		}
		return m.flags.value&f != 0
	}
	less := func() bool { return flag(signFlag) != flag(overflowFlag) }
	switch c {
	case "e":
		return flag(zeroFlag)
	case "ne":
		return !flag(zeroFlag)
	case "l":
		return less()
	case "ge":
		return !less()
	case "le":
		return flag(zeroFlag) || less()
	case "g":
		return !(flag(zeroFlag) || less())
	case "b":
		return flag(carryFlag)
	case "ae":
		return !flag(carryFlag)
	case "be":
		return flag(carryFlag) || flag(zeroFlag)
	case "a":
		return !(flag(carryFlag) || flag(zeroFlag))
	}
	m.fail("%w: condition %q", code.ErrUnknown, c)
	return false
}
