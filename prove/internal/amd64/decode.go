// Package amd64 runs AMD64 machine code with AVX2 and AVX-512 on symbolic data.
//
// It reads instructions as printed by GNU objdump. Addresses, sizes, masks and branches are
// concrete numbers unless they depend on the data. Vector registers and the kernel's operands in
// memory contain expressions.
package amd64

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/loops"
)

// inst is an instruction with its operands.
type inst struct {
	*code.Inst
	op     string
	args   []operand
	effect *loops.Effect
	match  [len(forms)][]string // match[f] contains the submatches of op for the regular expression forms[f]
}

// These constants are indices into forms, an array of regular expressions. Decode matches all of
// them with the name of an instruction, so that running the instruction only looks at the results.
const (
	fused = iota
	arithmetic
	comparison
	extremes
	bitwise
	integers
	shifts
)

var forms = [...]*regexp.Regexp{
	fused:      regexp.MustCompile(`^vf(n?)m(add|sub)(132|213|231)([ps])([sd])$`),
	arithmetic: regexp.MustCompile(`^v(add|sub|mul|div|sqrt)([ps])([sd])$`),
	comparison: regexp.MustCompile(`^vcmp(eq|lt|le|nlt|nlt_uq|lt_oq|le_oq|ge_oq)([ps])([sd])$`),
	extremes:   regexp.MustCompile(`^v(max|min)([ps])([sd])$`),
	bitwise:    regexp.MustCompile(`^vp?(andn|and|or)(p[sd]|[dq]?)$`),
	integers:   regexp.MustCompile(`^vp(add|sub)([dq])$`),
	shifts:     regexp.MustCompile(`^vps(ll|rl|ra)([dq])$`),
}

type kind uint8

const (
	immediate kind = iota
	register       // general purpose
	vector
	mask
	location // memory
	target   // target of a jump
)

type operand struct {
	kind      kind
	value     uint64 // immediate, target or displacement
	reg       int    // number of the register
	width     int    // size of the register in bytes
	high      bool   // whether the operand is bits 8 to 15 of the register, such as AH
	base      int    // number of the base register; −1 means none
	index     int    // number of the index register; −1 means none
	scale     uint64
	relative  bool // relative to the next instruction
	mask      int  // number of the mask register; −1 means none
	zeroing   bool
	broadcast bool
}

var generalNames = func() map[string]operand {
	m := map[string]operand{}
	for i, n := range strings.Fields("ax cx dx bx sp bp si di") {
		m["r"+n] = operand{kind: register, reg: i, width: 8}
		m["e"+n] = operand{kind: register, reg: i, width: 4}
	}
	for i, n := range strings.Fields("al cl dl bl") {
		m[n] = operand{kind: register, reg: i, width: 1}
	}
	for i, n := range strings.Fields("ah ch dh bh") {
		m[n] = operand{kind: register, reg: i, width: 1, high: true}
	}
	for i := 8; i < 16; i++ {
		r := "r" + strconv.Itoa(i)
		m[r] = operand{kind: register, reg: i, width: 8}
		m[r+"d"] = operand{kind: register, reg: i, width: 4}
		m[r+"b"] = operand{kind: register, reg: i, width: 1}
	}
	return m
}()

// Objdump is the name of the disassembler.
const Objdump = "objdump"

// Decode parses the operands of an instruction. If Decode cannot parse an operand, Run fails at the
// instruction.
func Decode(i *code.Inst) any {
	d := &inst{Inst: i, op: i.Op}
	if i.Padding() {
		d.matchForms()
		d.effect = effect(d)
		return d
	}
	for _, a := range splitOperands(i.Operands) {
		o, err := parseOperand(i.Op, strings.TrimSpace(a))
		if err != nil {
			return fmt.Errorf("%s: %w: %w", i.Text, code.ErrUnknown, err)
		}
		d.args = append(d.args, o)
	}
	d.matchForms()
	d.effect = effect(d)
	return d
}

func (d *inst) matchForms() {
	for n, f := range forms {
		d.match[n] = f.FindStringSubmatch(d.op)
	}
}

var (
	decor   = regexp.MustCompile(`\{([^}]*)\}`)
	vecName = regexp.MustCompile(`^%([xyz])mm(\d+)$`)
	memory_ = regexp.MustCompile(`^(-?0x[0-9a-f]+|-?\d+)?\((%\w+)?(?:,(%\w+),(\d))?\)$`)
)

// splitOperands splits operands at commas outside of parentheses.
func splitOperands(s string) (out []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}

func parseOperand(op, s string) (operand, error) {
	o := operand{mask: -1, base: -1, index: -1}
	for _, d := range decor.FindAllStringSubmatch(s, -1) {
		switch {
		case d[1] == "z":
			o.zeroing = true
		case strings.HasPrefix(d[1], "%k"):
			o.mask = int(d[1][2] - '0')
		case strings.HasPrefix(d[1], "1to"):
			o.broadcast = true
		default:
			return o, fmt.Errorf("unknown decoration %q", d[1])
		}
	}
	s = decor.ReplaceAllString(s, "")
	if op[0] == 'j' {
		v, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
		o.kind, o.value = target, v
		return o, err
	}
	switch {
	case strings.HasPrefix(s, "$"):
		v, err := parseNumber(s[1:])
		o.kind, o.value = immediate, v
		return o, err
	case strings.HasPrefix(s, "%k"):
		o.kind, o.reg = mask, int(s[2]-'0')
		return o, nil
	}
	if m := vecName.FindStringSubmatch(s); m != nil {
		o.kind, o.width = vector, map[string]int{"x": 16, "y": 32, "z": 64}[m[1]]
		o.reg, _ = strconv.Atoi(m[2])
		return o, nil
	}
	if strings.HasPrefix(s, "%") {
		r, ok := generalNames[s[1:]]
		if !ok {
			return o, fmt.Errorf("unknown register %q", s)
		}
		o.kind, o.reg, o.width, o.high = r.kind, r.reg, r.width, r.high
		return o, nil
	}
	m := memory_.FindStringSubmatch(s)
	if m == nil {
		return o, fmt.Errorf("unknown operand %q", s)
	}
	o.kind, o.scale = location, 1
	if m[1] != "" {
		v, err := parseNumber(m[1])
		if err != nil {
			return o, err
		}
		o.value = v
	}
	if m[2] == "%rip" {
		o.relative = true
	} else if m[2] != "" {
		o.base = generalNames[m[2][1:]].reg
	}
	if m[3] != "" {
		o.index = generalNames[m[3][1:]].reg
		o.scale = uint64(m[4][0] - '0')
	}
	return o, nil
}

func parseNumber(s string) (uint64, error) {
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		v, err := strconv.ParseUint(rest, 0, 64)
		return -v, err
	}
	return strconv.ParseUint(s, 0, 64)
}
