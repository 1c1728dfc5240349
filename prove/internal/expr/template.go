package expr

import (
	"encoding/binary"
	"math"
	"sync"
)

// template is two expressions of one variable, which is instruction 0, apart from the graph
// that they are of.
type template struct {
	g           *Graph
	code        []instruction
	place       map[Node]int32
	key         []byte
	x, y        int32 // what is to be proved equal
	conditions  []int32
	values      []bool // of the conditions
	nonpositive bool   // the variable is at most 0, or NaN
	noMinusZero bool   // the variable is not −0
	input       bool   // the variable is an element that was loaded: both sides have the same bits, of a NaN, too
	state       []value_
	seen        []struct { // by settled
		stamp int32
		yes   bool
	}
	forms     *Graph // of builder
	stamp     int32
	low, high int64 // the region of the variable, see order
	regions   int
	singles   int // regions of one number
	width     int
	bad       bool // it has an operation that is not evaluated
	scales    bool // it has ScaleF
}

type instruction struct {
	op      Op
	width   uint8
	a, b, c int32 // operands, −1 if there is none
	key     uint64
	list    []uint64 // operands of And; constants of Lookup
	f       func(x, y, z float64) float64
}

func compile(g *Graph, v Node) *template {
	t := &template{g: g, place: map[Node]int32{v: 0}, width: g.Width(v), input: g.nodes[v].op == Input}
	t.code = append(t.code, instruction{op: Input, width: uint8(t.width), a: -1, b: -1, c: -1})
	return t
}

// add adds an expression and returns its place.
func (t *template) add(n Node) int32 {
	if i, ok := t.place[n]; ok {
		return i
	}
	x := t.g.nodes[n]
	in := instruction{op: x.op, width: x.width, a: -1, b: -1, c: -1, key: x.key}
	for _, o := range []struct {
		from Node
		to   *int32
	}{{x.a, &in.a}, {x.b, &in.b}, {x.c, &in.c}} {
		if o.from != 0 {
			*o.to = t.add(o.from)
		}
	}
	switch x.op {
	case And:
		in.key = 0
		for _, o := range t.g.lists[x.key] {
			in.list = append(in.list, uint64(t.add(Node(o))))
		}
	case Lookup:
		in.key, in.list = 0, t.g.lists[x.key]
	case ScaleF:
		t.scales = true
	case Sum, Bits, MaxZ, Input, Larger, MaxNum, Byte, Word, Fields, Pick, Total, FromHalf:
		t.bad = true
	}
	i := int32(len(t.code))
	t.code, t.place[n] = append(t.code, in), i
	t.key = append(t.key, byte(in.op), in.width)
	for _, v := range []int32{in.a, in.b, in.c, int32(len(in.list))} {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(v))
	}
	t.key = binary.LittleEndian.AppendUint64(t.key, in.key)
	for _, v := range in.list {
		t.key = binary.LittleEndian.AppendUint64(t.key, v)
	}
	return i
}

// assume adds a condition on the variable.
func (t *template) assume(c Node, value bool) {
	t.conditions, t.values = append(t.conditions, t.add(c)), append(t.values, value)
}

var cache struct {
	sync.Mutex
	proved map[string]*sync.Once
	yes    map[string]bool
}

// prove reports whether x and y are equal for all values of the variable. The result is kept
// for all graphs.
func (t *template) prove() bool {
	if t.bad || t.width < 4 {
		return false
	}
	key := append(t.key, byte(t.width))
	for _, v := range []int32{t.x, t.y} {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	for i, c := range t.conditions {
		key = binary.LittleEndian.AppendUint32(key, uint32(c))
		if t.values[i] {
			key = append(key, 1)
		}
	}
	if t.nonpositive {
		key = append(key, 'n')
	}
	if t.noMinusZero {
		key = append(key, 'z')
	}
	if t.input {
		key = append(key, 'i')
	}
	k := string(key)
	cache.Lock()
	if cache.proved == nil {
		cache.proved, cache.yes = map[string]*sync.Once{}, map[string]bool{}
	}
	once := cache.proved[k]
	if once == nil {
		once = new(sync.Once)
		cache.proved[k] = once
	}
	cache.Unlock()
	once.Do(func() {
		yes := t.everywhere()
		cache.Lock()
		cache.yes[k] = yes
		cache.Unlock()
	})
	cache.Lock()
	defer cache.Unlock()
	return cache.yes[k]
}

// order numbers the floating-point numbers but NaN from −Inf to +Inf, −0 before +0.
func order(bits uint64, width int) int64 {
	sign := uint64(1) << (8*width - 1)
	if bits&sign != 0 {
		return -int64(bits&^sign) - 1
	}
	return int64(bits)
}

// bitsOf is the inverse of order.
func bitsOf(order int64, width int) uint64 {
	if order < 0 {
		return uint64(-order-1) | 1<<(8*width-1)
	}
	return uint64(order)
}

func (t *template) number(bits uint64) float64 {
	if t.width == 4 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// maxRegions bounds the regions that the variable is cut into.
const maxRegions = 200_000

// maxSingles bounds the regions of one number. Kernels that are right have a few; one with a mistake
// may agree with its reference at many single numbers, and nowhere else.
const maxSingles = 5000

// everywhere cuts the numbers into regions, and proves equality in each of them and for NaN.
func (t *template) everywhere() bool {
	t.prepare()
	if !t.nanEqual() {
		return false
	}
	first, last := -t.infinity()-1, t.infinity()
	if t.nonpositive {
		last = 0
	}
	below := int64(-1) // −0
	if t.noMinusZero {
		below--
	}
	return !t.differ(first, last) && t.between(first, below) && t.between(0, last)
}

// differ reports whether the expressions differ at one of a few single numbers: a kernel with a mistake then fails
// soon. It proves nothing.
func (t *template) differ(first, last int64) bool {
	const evenly, around = 128, 16 // numbers of all sizes, and of each size from 2^-12 to 2^12 and each sign
	step := last/evenly - first/evenly
	for n := range int64(evenly) {
		if t.differAt(first + n*step + n*0x9e3779b97f4a7c1>>8%step) {
			return true
		}
	}
	for n := range 2 * 24 * around {
		x := math.Ldexp(1+float64(n*0x9e3779b1&0xffffff)/(1<<24), n/(2*around)-12)
		if n%2 != 0 {
			x = -x
		}
		if at := order(bitsFrom(uint8(t.width), x), t.width); at <= last && t.differAt(at) {
			return true
		}
	}
	return false
}

func (t *template) differAt(at int64) bool {
	t.set(at, at)
	if t.excluded() {
		return false
	}
	x, y := t.eval(t.x), t.eval(t.y)
	known := func(v value_) bool { return v.state == fixed || v.state == isNaN || v.state == yes || v.state == no }
	return known(x) && known(y) && (x.state != y.state || x.state == fixed && x.bits != y.bits)
}

// prepare allocates the known ranges of the expressions.
func (t *template) prepare() {
	t.state = make([]value_, len(t.code))
	t.seen = append(t.seen, make([]struct {
		stamp int32
		yes   bool
	}, len(t.code))...)
	for i := range t.code {
		t.code[i].f = operation(&t.code[i])
	}
}

// infinity returns the place of +Inf in the order of the numbers.
func (t *template) infinity() int64 { return order(bitsFrom(uint8(t.width), math.Inf(1)), t.width) }

// between proves equality from low to high, region by region.
func (t *template) between(low, high int64) bool {
	last, before := int64(1), int64(1) // the widths of the last two regions, less 1
	for low <= high {
		if t.regions++; t.regions > maxRegions || !t.resolved(low, low) {
			return false
		}
		width := t.widest(low, high-low, before)
		for !t.same(low, low+width) {
			if width == 0 {
				return false
			}
			width /= 2
			if t.regions++; t.regions > maxRegions {
				return false
			}
		}
		if width == 0 {
			if t.singles++; t.singles > maxSingles {
				return false
			}
		}
		before, last, low = last, width, low+width+1
	}
	return true
}

// widest returns the width, less 1, of the widest region from low on that is resolved: most, or
// one whose neighbor is not resolved. The search begins at a guess. The widths of regions that
// follow each other often differ by little, and so do those of every second where ties are
// rounded to even.
func (t *template) widest(low, most, guess int64) int64 {
	good, bad := int64(0), most+1
	for step, w := int64(1), min(guess, most); ; step = min(2*step, 1<<60) {
		if t.resolved(low, low+w) {
			if good = w; w == most {
				return most
			}
			if bad <= most {
				break
			}
			w += min(step, most-w)
		} else {
			if bad = w; good > 0 || w == 0 {
				break
			}
			w = max(w-step, 0)
		}
	}
	for bad-good > 1 {
		if w := good + (bad-good)/2; t.resolved(low, low+w) {
			good = w
		} else {
			bad = w
		}
	}
	return good
}
