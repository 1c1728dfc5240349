// Package amd64 runs machine code of AMD64 with AVX2 and AVX-512 on symbolic data.
//
// The instructions are those that GNU objdump prints. Addresses, sizes, masks and branches
// are concrete numbers. What the vector registers hold, and the memory of the kernel's
// operands, are expressions.
package amd64

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// Code is one function.
type Code struct {
	Name  string
	entry uint64
	insts map[uint64]*inst
	order []*inst
}

// Program is what a binary holds: its assembly functions by symbol, and its data.
type Program struct {
	Functions map[string]*Code
	sections  []section
}

type section struct {
	addr uint64
	data []byte
}

type inst struct {
	addr, next uint64
	op         string
	args       []operand
	text       string
}

type kind uint8

const (
	immediate kind = iota
	register       // general purpose
	vector
	mask
	location // memory
	target   // of a jump
)

type operand struct {
	kind      kind
	value     uint64 // immediate, target, displacement
	reg       int    // number of the register
	width     int    // bytes of the register
	base      int    // −1: none
	index     int    // −1: none
	scale     uint64
	relative  bool // to the next instruction
	mask      int  // −1: none
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
	for i := 8; i < 16; i++ {
		r := "r" + strconv.Itoa(i)
		m[r] = operand{kind: register, reg: i, width: 8}
		m[r+"d"] = operand{kind: register, reg: i, width: 4}
		m[r+"b"] = operand{kind: register, reg: i, width: 1}
	}
	return m
}()

// Read disassembles the functions of a binary whose symbols have the prefix.
func Read(path, prefix string) (*Program, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p := &Program{Functions: map[string]*Code{}}
	for _, s := range file.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 && s.Flags&elf.SHF_EXECINSTR == 0 {
			data, err := s.Data()
			if err != nil {
				return nil, err
			}
			p.sections = append(p.sections, section{s.Addr, data})
		}
	}
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		name, ok := strings.CutSuffix(s.Name, ".abi0")
		if !ok || !strings.HasPrefix(name, prefix) || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		code, err := disassemble(path, s.Value, s.Value+s.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		code.Name = strings.TrimPrefix(name, prefix)
		p.Functions[code.Name] = code
	}
	return p, nil
}

// word returns 4 bytes of the binary's data.
func (p *Program) word(addr uint64) (uint32, bool) {
	for _, s := range p.sections {
		if addr >= s.addr && addr+4 <= s.addr+uint64(len(s.data)) {
			return binary.LittleEndian.Uint32(s.data[addr-s.addr:]), true
		}
	}
	return 0, false
}

var line = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$`)

func disassemble(path string, from, to uint64) (*Code, error) {
	out, err := exec.Command("objdump", "-d", "--no-show-raw-insn", "-w",
		fmt.Sprintf("--start-address=%#x", from), fmt.Sprintf("--stop-address=%#x", to), path).Output()
	if err != nil {
		return nil, fmt.Errorf("objdump: %w", err)
	}
	c := &Code{entry: from, insts: map[uint64]*inst{}}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		m := line.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		addr, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil || addr < from || addr >= to {
			continue
		}
		i := &inst{addr: addr, op: m[2], text: strings.TrimSpace(s.Text())}
		text, _, _ := strings.Cut(m[3], "#")
		text = symbol.ReplaceAllString(text, "")
		for _, a := range split(strings.TrimSpace(text)) {
			o, err := parse(i.op, strings.TrimSpace(a))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", i.text, err)
			}
			i.args = append(i.args, o)
		}
		if n := len(c.order); n > 0 {
			c.order[n-1].next = addr
		}
		c.insts[addr] = i
		c.order = append(c.order, i)
	}
	// Padding after the last return is no part of the function.
	for n := len(c.order); n > 0 && c.order[n-1].op == "int3"; n-- {
		delete(c.insts, c.order[n-1].addr)
		c.order = c.order[:n-1]
	}
	return c, nil
}

var (
	symbol  = regexp.MustCompile(`<[^>]*>`)
	decor   = regexp.MustCompile(`\{([^}]*)\}`)
	vecName = regexp.MustCompile(`^%([xyz])mm(\d+)$`)
	memory_ = regexp.MustCompile(`^(-?0x[0-9a-f]+|-?\d+)?\((%\w+)?(?:,(%\w+),(\d))?\)$`)
)

// split cuts operands at commas outside of parentheses.
func split(s string) (out []string) {
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

func parse(op, s string) (operand, error) {
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
		v, err := number(s[1:])
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
		o.kind, o.reg, o.width = r.kind, r.reg, r.width
		return o, nil
	}
	m := memory_.FindStringSubmatch(s)
	if m == nil {
		return o, fmt.Errorf("unknown operand %q", s)
	}
	o.kind, o.scale = location, 1
	if m[1] != "" {
		v, err := number(m[1])
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

func number(s string) (uint64, error) {
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		v, err := strconv.ParseUint(rest, 0, 64)
		return -v, err
	}
	return strconv.ParseUint(s, 0, 64)
}
