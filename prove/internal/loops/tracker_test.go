package loops

import (
	"strings"
	"testing"

	"github.com/gomonge/monge/prove/internal/code"
)

// TestJudge runs loops of a few instructions and checks whether the tracker accepts them. It must reject a loop whose
// iterations depend on the iteration number.
func TestJudge(t *testing.T) {
	reg := func(r int, factor int64) Form { return Form{Terms: []Term{{r, factor}}} }
	plus := func(r int, c int64) Form { return Form{Terms: []Term{{r, 1}}, Constant: c} }
	sum := func(r, s int) Form { return Form{Terms: []Term{{r, 1}, {s, 1}}} }
	set := func(r int, f Form) *Effect { return &Effect{Sets: []Set{{Reg: r, Form: f}}} }
	opaque := func(r int, f Form) *Effect { return &Effect{Sets: []Set{{Reg: r, Form: f, Opaque: true}}} }
	load := func(f Form) *Effect { return &Effect{Addresses: []Form{f}} }
	count := &Effect{Sets: []Set{{Reg: 1, Form: plus(1, -1)}}, Flags: &Set{Form: plus(1, -1)}}
	compare := func(r int) *Effect { return &Effect{Flags: &Set{Form: reg(r, 1)}} }
	skip := &Effect{Branch: true, Target: 102}
	last := plus(2, 64)
	clamp := &Effect{Choice: true, Sets: []Set{{Reg: 4, Form: reg(5, 1), Else: &last}}}
	// Every loop runs three iterations. The tracker checks only the first two iterations.
	for _, c := range []struct {
		name string
		body []*Effect
		want string
	}{
		{"a pointer", []*Effect{load(reg(2, 1)), set(2, plus(2, 64)), count}, ""},
		{"a stride", []*Effect{load(reg(2, 1)), set(2, sum(2, 3)), count}, ""},
		{"a stride that grows", []*Effect{load(reg(2, 1)), set(2, sum(2, 3)), set(3, plus(3, 8)), count}, "does not advance"},
		{"a pointer that doubles", []*Effect{load(reg(2, 1)), set(2, reg(2, 2)), count}, "does not advance"},
		{"a copy", []*Effect{set(4, reg(2, 1)), load(plus(4, 8)), set(2, plus(2, 64)), count}, ""},
		{"a mask of the counter", []*Effect{opaque(4, reg(1, 1)), load(reg(4, 1)), count}, "not a linear form"},
		{"a mask of what stays", []*Effect{opaque(4, reg(5, 1)), load(sum(4, 2)), set(2, plus(2, 8)), count}, ""},
		{"a jump on the counter", []*Effect{compare(1), skip, count}, ""},
		{"a jump on what stays", []*Effect{compare(5), skip, count}, ""},
		{"the counter in a vector", []*Effect{{Values: []int{1}}, count}, "copied to a vector"},
		{"a table by data", []*Effect{{Sets: []Set{{Reg: 4, Opaque: true, Data: true}}}, load(sum(4, 5)), count}, ""},
		{"data of the iteration before in a vector", []*Effect{{Values: []int{4}}, {Sets: []Set{{Reg: 4, Form: reg(4, 1), Opaque: true, Data: true}}}, count}, ""},
		{"data of the counter in a vector", []*Effect{{Values: []int{4}}, {Sets: []Set{{Reg: 4, Form: reg(1, 1), Opaque: true, Data: true}}}, count}, "copied to a vector"},
		{"an address by data of the iteration before", []*Effect{load(reg(4, 1)), {Sets: []Set{{Reg: 4, Form: reg(4, 1), Opaque: true, Data: true}}}, count}, "does not advance"},
		{"a product", []*Effect{load(reg(2, 1)), {Sets: []Set{{Reg: 2, Form: sum(3, 5), Opaque: true, Plus: &Form{Terms: []Term{{2, 1}}}}}}, count}, ""},
		{"an unknown constant", []*Effect{opaque(4, Form{}), set(2, sum(2, 4)), {Values: []int{2}}, count}, "copied to a vector"},
		{"what was there before", []*Effect{load(reg(4, 1)), set(4, Form{Constant: 8}), count}, ""},
		{"a pointer one iteration behind", []*Effect{load(reg(4, 1)), set(4, plus(2, 8)), set(2, plus(2, 64)), count}, ""},
		{"two pointers that change places", []*Effect{load(reg(4, 1)), set(5, reg(2, 1)), set(2, reg(4, 1)), set(4, reg(5, 1)), count}, "does not advance"},
		{"a clamped pointer", []*Effect{compare(1), clamp, load(reg(4, 1)), set(2, plus(2, 64)), count}, ""},
		{"a mask that is clamped", []*Effect{compare(1), clamp, opaque(4, reg(4, 1)), {Values: []int{4}}, set(2, plus(2, 64)), count}, "copied to a vector"},
		{"a bit of the counter", []*Effect{{Flags: &Set{Form: reg(1, 1), Opaque: true}}, skip, count}, "the path through"},
	} {
		body := append(c.body, &Effect{Branch: true, Target: 100})
		f := &code.Function{}
		for n := range len(body) + 1 { // plus a return
			f.Order = append(f.Order, &code.Inst{Addr: 100 + uint64(n)})
		}
		cov := code.NewCoverage()
		k := New(f, func(i *code.Inst) *Effect { return append(body, &Effect{})[i.Addr-100] }, cov)
		for iteration := range 3 {
			for n, e := range body {
				k.Before(100 + uint64(n))
				k.Step(100+uint64(n), e, n == len(body)-1 && iteration < 2)
			}
		}
		got := cov.Loops[100]
		if got.Iterations != 3 || (c.want == "") != (got.Reason == "") || !strings.Contains(got.Reason, c.want) {
			t.Errorf("%s: %d iterations, %q, want %q", c.name, got.Iterations, got.Reason, c.want)
		}
	}
}

// TestLoops runs a loop that contains an inner loop of two iterations. Some instructions of the
// outer loop are placed after its last jump.
func TestLoops(t *testing.T) {
	reg := func(r int, factor int64) Form { return Form{Terms: []Term{{r, factor}}} }
	plus := func(r int, c int64) Form { return Form{Terms: []Term{{r, 1}}, Constant: c} }
	count := func(r int) *Effect {
		return &Effect{Sets: []Set{{Reg: r, Form: plus(r, -1)}}, Flags: &Set{Form: plus(r, -1)}}
	}
	body := []*Effect{
		{Flags: &Set{Form: reg(5, 1)}},                   // address 100: the loop begins
		{Branch: true, Target: 109},                      // address 101: jump to the part after the loop
		{Sets: []Set{{Reg: 3, Form: Form{Constant: 2}}}}, // address 102: target of the jump back
		{Addresses: []Form{reg(3, 8)}},                   // address 103: beginning of the inner loop
		count(3),
		{Branch: true, Target: 103},
		count(1),
		{Branch: true, Target: 100},
		{}, // address 108: a return instruction, which the test does not run
		{Sets: []Set{{Reg: 4, Form: reg(1, 1), Opaque: true}}},
		{Addresses: []Form{reg(4, 1)}},
		{Target: 102},
	}
	f := &code.Function{}
	for n := range body {
		f.Order = append(f.Order, &code.Inst{Addr: 100 + uint64(n)})
	}
	f.Order[8].Op = "ret"
	cov := code.NewCoverage()
	k := New(f, func(i *code.Inst) *Effect { return body[i.Addr-100] }, cov)
	step := func(pc uint64, taken bool) {
		k.Before(pc)
		k.Step(pc, body[pc-100], taken)
	}
	for iteration := range 3 {
		step(100, false)
		step(101, true)
		step(109, false)
		step(110, false)
		step(111, true)
		step(102, false)
		for inner := range 2 {
			step(103, false)
			step(104, false)
			step(105, inner < 1)
		}
		step(106, false)
		step(107, iteration < 2)
	}
	step(108, false)
	if l := cov.Loops[100]; l.Iterations != 3 || !strings.Contains(l.Reason, "not a linear form") || l.Fixed {
		t.Errorf("the loop: %+v", l)
	}
	if l := cov.Loops[103]; l.Iterations != 6 || !l.Fixed {
		t.Errorf("the loop of two iterations: %+v", l)
	}
	if len(cov.Loops) != 2 {
		t.Errorf("%d loops", len(cov.Loops))
	}
}
