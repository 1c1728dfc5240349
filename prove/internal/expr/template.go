package expr

import (
	"encoding/binary"
	"math"
	"sync"
)

// template holds two expressions of one variable as a list of instructions. The list does not contain
// nodes, so expressions of different graphs can have the same list. Instruction 0 is the variable.
type template struct {
	g            *Graph
	code         []instruction
	index        map[Node]int32
	key          []byte
	x, y         int32 // the expressions to prove equal
	conditions   []int32
	values       []bool // values of the conditions
	nonpositive  bool   // the variable is at most 0 or NaN
	noMinusZero  bool   // the variable is not −0
	input        bool   // the variable is an input element, so x and y read the same bits even if these bits are NaN
	state        []valueRange
	settledCache []struct { // results of isSettled
		stamp int32
		yes   bool
	}
	scaledGraph *Graph // graph of builder
	stamp       int32
	low, high   int64 // the region of the variable; see orderOf
	regions     int
	singles     int // number of regions that contain only one number
	width       int
	unsupported bool // contains an operation that cannot be evaluated
	hasScaleF   bool
}

type instruction struct {
	op      Op
	width   uint8
	a, b, c int32 // operands; −1 means none
	key     uint64
	list    []uint64 // operands of And, constants of Lookup
	f       func(x, y, z float64) float64
}

func compile(g *Graph, v Node) *template {
	t := &template{g: g, index: map[Node]int32{v: 0}, width: g.Width(v), input: g.nodes[v].op == Input}
	t.code = append(t.code, instruction{op: Input, width: uint8(t.width), a: -1, b: -1, c: -1})
	return t
}

// addNode adds an expression to the template and returns the index of its instruction.
func (t *template) addNode(n Node) int32 {
	if i, ok := t.index[n]; ok {
		return i
	}
	x := t.g.nodes[n]
	in := instruction{op: x.op, width: x.width, a: -1, b: -1, c: -1, key: x.key}
	for _, o := range []struct {
		from Node
		to   *int32
	}{{x.a, &in.a}, {x.b, &in.b}, {x.c, &in.c}} {
		if o.from != 0 {
			*o.to = t.addNode(o.from)
		}
	}
	switch x.op {
	case And:
		in.key = 0
		for _, o := range t.g.lists[x.key] {
			in.list = append(in.list, uint64(t.addNode(Node(o))))
		}
	case Lookup:
		in.key, in.list = 0, t.g.lists[x.key]
	case ScaleF:
		t.hasScaleF = true
	case Sum, Bits, MaxZ, Input, Larger, MaxNum, Byte, Word, Fields, Pick, Total, FromHalf:
		t.unsupported = true
	}
	i := int32(len(t.code))
	t.code, t.index[n] = append(t.code, in), i
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

func (t *template) addCondition(c Node, value bool) {
	t.conditions, t.values = append(t.conditions, t.addNode(c)), append(t.values, value)
}

var cache struct {
	sync.Mutex
	proved map[string]*sync.Once
	yes    map[string]bool
}

// prove reports whether the expressions t.x and t.y are equal for all values of their variable. Results
// are stored in a cache that all graphs share.
func (t *template) prove() bool {
	if t.unsupported || t.width < 4 {
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
		yes := t.proveEverywhere()
		cache.Lock()
		cache.yes[k] = yes
		cache.Unlock()
	})
	cache.Lock()
	defer cache.Unlock()
	return cache.yes[k]
}

// orderOf returns the rank of a floating-point number in the order from −Inf to +Inf, with −0
// before +0. NaN has no rank.
func orderOf(bits uint64, width int) int64 {
	sign := uint64(1) << (8*width - 1)
	if bits&sign != 0 {
		return -int64(bits&^sign) - 1
	}
	return int64(bits)
}

// bitsAt returns the bits of the floating-point number with the given rank (see orderOf).
func bitsAt(order int64, width int) uint64 {
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

// maxRegions bounds the number of regions.
const maxRegions = 200_000

// maxSingles bounds the number of regions that contain only one number. Correct kernels need few such
// regions. A kernel with a mistake may agree with the Go reference implementation at many single
// numbers and differ everywhere else.
const maxSingles = 5000

// proveEverywhere proves equality for NaN, and then for all numbers region by region.
func (t *template) proveEverywhere() bool {
	t.allocateRanges()
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
	return !t.differsSomewhere(first, last) && t.proveRange(first, below) && t.proveRange(0, last)
}

// differsSomewhere reports whether the expressions differ at one of a few test numbers. It proves
// nothing, but it rejects most kernels with a mistake quickly.
func (t *template) differsSomewhere(first, last int64) bool {
	// evenly is the number of test numbers spread evenly over the range. around is the number of
	// test numbers of each sign in each binade from 2^-12 to 2^12.
	const evenly, around = 128, 16
	step := last/evenly - first/evenly
	for n := range int64(evenly) {
		if t.differsAt(first + n*step + n*0x9e3779b97f4a7c1>>8%step) {
			return true
		}
	}
	for n := range 2 * 24 * around {
		x := math.Ldexp(1+float64(n*0x9e3779b1&0xffffff)/(1<<24), n/(2*around)-12)
		if n%2 != 0 {
			x = -x
		}
		if at := orderOf(bitsFrom(uint8(t.width), x), t.width); at <= last && t.differsAt(at) {
			return true
		}
	}
	return false
}

func (t *template) differsAt(at int64) bool {
	t.setRegion(at, at)
	if t.isExcluded() {
		return false
	}
	x, y := t.eval(t.x), t.eval(t.y)
	known := func(v valueRange) bool {
		return v.state == fixed || v.state == isNaN || v.state == yes || v.state == no
	}
	return known(x) && known(y) && (x.state != y.state || x.state == fixed && x.bits != y.bits)
}

func (t *template) allocateRanges() {
	t.state = make([]valueRange, len(t.code))
	t.settledCache = append(t.settledCache, make([]struct {
		stamp int32
		yes   bool
	}, len(t.code))...)
	for i := range t.code {
		t.code[i].f = floatOperation(&t.code[i])
	}
}

// infinity returns the rank of +Inf.
func (t *template) infinity() int64 { return orderOf(bitsFrom(uint8(t.width), math.Inf(1)), t.width) }

// proveRange proves that the two expressions are equal for all numbers whose rank (see orderOf) is
// from low to high. It divides the range into regions.
func (t *template) proveRange(low, high int64) bool {
	last, before := int64(1), int64(1) // widths of the last region and of the region before it; a region of one rank has width 0
	for low <= high {
		if t.regions++; t.regions > maxRegions || !t.resolved(low, low) {
			return false
		}
		width := t.widestRegion(low, high-low, before)
		for !t.equalInRegion(low, low+width) {
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

// widestRegion returns a number w ≤ most for which the region low … low+w is resolved: it needs no
// further split. If w < most, the region low … low+w+1 is not resolved. The search begins at w =
// guess. Regions often have similar widths, but the widths alternate if ties are rounded to even. A
// good guess is therefore the result for the second-to-last region.
func (t *template) widestRegion(low, most, guess int64) int64 {
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
