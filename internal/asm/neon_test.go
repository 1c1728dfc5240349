package asm_test

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// wordMacro is a macro in a neon_arm64.h header. The macro encodes an instruction that Go's
// assembler does not know.
type wordMacro struct {
	name   string
	params []string
	base   uint32 // constant bits of the encoding
	fields ast.Expr
}

var (
	define   = regexp.MustCompile(`^#define (\w+)(?:\(([\w, ]+)\))?\s*(.*)$`)
	wordForm = regexp.MustCompile(`^WORD \$\((0x[0-9a-f]{8})\|(.+)\)$`)
	raw      = regexp.MustCompile(`\b(WORD|DWORD|BYTE|LONG|QUAD)\b`)
)

// wordHeader is the name of the header files with word macros, which encode instructions as WORD
// directives.
const wordHeader = "neon_arm64.h"

// wordMacros returns the macros of all header files named wordHeader. If several files define the
// same macro, the result contains it once.
func wordMacros(t *testing.T) []wordMacro {
	t.Helper()
	macros := map[string]wordMacro{}
	for _, file := range headers(t, wordHeader) {
		for i, line := range readLines(t, file) {
			if code, _, _ := strings.Cut(line, "//"); !raw.MatchString(code) {
				continue
			}
			d := define.FindStringSubmatch(line)
			if d == nil {
				t.Fatalf("%s:%d: a raw word: %s", file, i+1, line)
			}
			w := wordForm.FindStringSubmatch(d[3])
			if w == nil {
				t.Fatalf("%s:%d: not a macro for one word: %s", file, i+1, line)
			}
			base, err := strconv.ParseUint(w[1], 0, 32)
			if err != nil {
				t.Fatal(err)
			}
			fields, err := parser.ParseExpr(w[2])
			if err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			macros[d[1]] = wordMacro{d[1], strings.Split(d[2], ", "), uint32(base), fields}
		}
	}
	return slices.SortedFunc(maps.Values(macros), func(a, b wordMacro) int { return strings.Compare(a.name, b.name) })
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// word returns the value of the macro for the given arguments. Expressions in assembly macros have
// the syntax of Go expressions.
func (m wordMacro) word(t *testing.T, args map[string]uint32) uint32 {
	var eval func(e ast.Expr) uint32
	eval = func(e ast.Expr) uint32 {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return eval(e.X)
		case *ast.Ident:
			v, ok := args[e.Name]
			if !ok {
				t.Fatalf("%s: unknown parameter %s", m.name, e.Name)
			}
			return v
		case *ast.BasicLit:
			v, err := strconv.ParseUint(e.Value, 0, 32)
			if err != nil {
				t.Fatal(err)
			}
			return uint32(v)
		case *ast.BinaryExpr:
			x, y := eval(e.X), eval(e.Y)
			switch e.Op {
			case token.OR:
				return x | y
			case token.AND:
				return x & y
			case token.SHL:
				return x << y
			case token.SHR:
				return x >> y
			case token.ADD:
				return x + y
			case token.SUB:
				return x - y
			case token.MUL:
				return x * y
			}
		}
		t.Fatalf("%s: an expression this test does not know", m.name)
		return 0
	}
	return m.base | eval(m.fields)
}

// macroName matches the name of a word macro. The name begins with a mnemonic, followed by _V if
// Go's assembler has an instruction with this mnemonic. The vector arrangement follows unless the
// element type determines it. The suffix _E means that an operand is a vector element.
var macroName = regexp.MustCompile(`^([A-Z0-9]+)(?:_V)?(?:_(2D|2S|4S|4H|8H|16B|D))?(_E)?$`)

// converted lists the conversions, and the instructions whose results and operands have different
// vector arrangements. A key is the mnemonic and the arrangement of the result. The value is the
// arrangement of the operands.
var converted = map[string]string{
	"fcvtl 2d": "2s", "fcvtl2 2d": "4s", "fcvtl 4s": "4h", "fcvtl2 4s": "8h", "fcvtn 2s": "2d", "fcvtn2 4s": "2d", "fcvtn 4h": "4s", "fcvtn2 8h": "4s",
	"scvtf 4s": "4s", "smull 8h": "8b", "smull2 8h": "16b", "sadalp 4s": "8h", "sdot 4s": "16b",
	"udot 4s": "16b", "ssubl 8h": "8b", "ssubl2 8h": "16b", "smlal 4s": "4h", "smlal2 4s": "8h", "uadalp 8h": "16b", "uaddlp 4s": "8h", "saddlv d": "4s",
}

// newer contains the macros of instructions that the GNU assembler supports and the disassembler
// does not.
var newer = map[string]bool{"SDOT_4S_E": true, "SDOT_4S": true, "UDOT_4S": true}

// draw returns random arguments for the macro and the disassembly that the test expects for these
// arguments. The element type is also random: float32 or float64.
func (m wordMacro) draw(t *testing.T, rng *rand.Rand) (args map[string]uint32, text string) {
	f := macroName.FindStringSubmatch(m.name)
	if f == nil {
		t.Fatalf("%s is not named MNEMONIC, MNEMONIC_2D, _2S, _4S, _4H, _8H, _16B or _D", m.name)
	}
	double := rng.Uint32N(2)
	op, arr, element := strings.ToLower(f[1]), strings.ToLower(f[2]), f[3] != ""
	if arr == "" {
		arr = []string{"4s", "2d"}[double]
	}
	lanes, bits := uint32(2), uint32(64)
	if arr == "4s" {
		lanes, bits = 4, 32
	}
	args = map[string]uint32{"DOUBLE": double, "d": rng.Uint32N(32), "n": rng.Uint32N(32), "m": rng.Uint32N(32), "i": rng.Uint32N(lanes)}
	v := func(p string) string { return fmt.Sprintf("v%d.%s", args[p], arr) }
	source := converted[op+" "+arr]
	from := func(p string) string { return fmt.Sprintf("v%d.%s", args[p], source) }
	e := func(p string) string { return fmt.Sprintf("v%d.%s[%d]", args[p], arr[len(arr)-1:], args["i"]) }
	switch params := strings.Join(m.params, ","); {
	case params == "d,n,m" && source != "":
		return args, fmt.Sprintf("%s %s, %s, %s", op, v("d"), from("n"), from("m"))
	case params == "d,n,m,i" && op == "sdot":
		return args, fmt.Sprintf("%s %s, %s, v%d.4b[%d]", op, v("d"), from("n"), args["m"], args["i"])
	case params == "d,n,m" && !element:
		return args, fmt.Sprintf("%s %s, %s, %s", op, v("d"), v("n"), v("m"))
	case params == "d,n,m,i" && element:
		return args, fmt.Sprintf("%s %s, %s, %s", op, v("d"), v("n"), e("m"))
	case params == "d,n,i" && element:
		return args, fmt.Sprintf("%s %s, %s", op, v("d"), e("n"))
	case params == "d,n" && arr == "d":
		return args, fmt.Sprintf("%s d%d, %s", op, args["d"], from("n"))
	case params == "d,n" && source != "":
		return args, fmt.Sprintf("%s %s, %s", op, v("d"), from("n"))
	case params == "d,n,i":
		args["i"] = 1 + rng.Uint32N(bits)
		return args, fmt.Sprintf("%s %s, %s, #%d", op, v("d"), v("n"), args["i"])
	}
	t.Fatalf("%s: parameters %v", m.name, m.params)
	return nil, ""
}

func disassemble(word uint32) string {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], word)
	inst, err := arm64asm.Decode(b[:])
	if err != nil {
		return err.Error()
	}
	return arm64asm.GNUSyntax(inst)
}

// check compares the macro with the disassembler for n random sets of arguments. It returns a
// description of the first difference, or "" if there is no difference.
func (m wordMacro) check(t *testing.T, rng *rand.Rand, n int) string {
	for range n {
		args, want := m.draw(t, rng)
		word := m.word(t, args)
		if got := disassemble(word); got != want {
			return fmt.Sprintf("%s%v is %#08x: %s, want %s", m.name, args, word, got, want)
		}
	}
	return ""
}

// TestWords compares every word macro with a disassembler for random registers, elements and
// shifts, and for both element types. It also checks that the comparison fails if any bit of the
// macro's constant is inverted.
func TestWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range wordMacros(t) {
		if newer[m.name] {
			continue
		}
		if diff := m.check(t, rng, 200); diff != "" {
			t.Error(diff)
		}
		for bit := range 32 {
			mutant := m
			mutant.base ^= 1 << bit
			if mutant.check(t, rng, 200) == "" {
				t.Errorf("%s: bit %d of the constant does not matter", m.name, bit)
			}
		}
	}
}

// TestWordsAssembled checks that the macros encode instructions like the GNU assembler, if it is installed.
func TestWordsAssembled(t *testing.T) {
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		t.Skip("no aarch64-linux-gnu-as")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var source strings.Builder
	var words []uint32
	var texts []string
	for _, m := range wordMacros(t) {
		for range 50 {
			args, text := m.draw(t, rng)
			words, texts = append(words, m.word(t, args)), append(texts, text)
			fmt.Fprintln(&source, text)
		}
	}
	dir := t.TempDir()
	obj, bin := filepath.Join(dir, "words.o"), filepath.Join(dir, "words.bin")
	cmd := exec.Command(as, "-march=armv8.2-a+dotprod", "-o", obj, "-")
	cmd.Stdin = strings.NewReader(source.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	objcopy := strings.TrimSuffix(as, "as") + "objcopy"
	if out, err := exec.Command(objcopy, "-O", "binary", "-j", ".text", obj, bin).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	if len(code) != 4*len(words) {
		t.Fatalf("%d bytes for %d instructions", len(code), len(words))
	}
	for i, w := range words {
		if got := binary.LittleEndian.Uint32(code[4*i:]); got != w {
			t.Errorf("%s: %#08x, assembled %#08x", texts[i], w, got)
		}
	}
}

// TestWordsOnlyInHeader checks that WORD directives are written only in the headers that
// TestWords reads.
func TestWordsOnlyInHeader(t *testing.T) {
	for _, file := range append(headers(t, "*_arm64.h"), headers(t, "*_arm64.s")...) {
		if filepath.Base(file) == wordHeader {
			continue
		}
		for i, line := range readLines(t, file) {
			code, _, _ := strings.Cut(line, "//")
			if raw.MatchString(code) {
				t.Errorf("%s:%d: a raw word", file, i+1)
			}
		}
	}
}

// TestHeaders compares headers with the same name in different folders: a macro that several
// headers define must have the same definition in all of them. TestHeaders also checks that each
// folder uses every macro that it defines.
func TestHeaders(t *testing.T) {
	type key struct {
		header, macro string
		nth           int // number of the definition: a header may define the macro once for each type
	}
	first := map[key]string{}
	for _, file := range append(headers(t, "*_arm64.h"), headers(t, "*_arm64.s")...) {
		folder := folderText(t, filepath.Dir(file))
		defined := map[string]int{}
		for line := range strings.SplitSeq(code(t, file), "\n") {
			d := define.FindStringSubmatch(line)
			if d == nil {
				continue
			}
			uses := regexp.MustCompile(`\b`+d[1]+`\b`).FindAllString(folder, -1)
			// Occurrences in #define and #undef are not uses of the macro. The test of gencoef uses
			// macros whose names end in _TABLE.
			own := len(regexp.MustCompile(`#(define|undef) `+d[1]+`\b`).FindAllString(folder, -1))
			if len(uses) <= own && !strings.HasSuffix(d[1], "_TABLE") {
				t.Errorf("%s: nothing uses %s", file, d[1])
			}
			defined[d[1]]++
			k, v := key{filepath.Base(file), d[1], defined[d[1]]}, strings.Join(strings.Fields(d[2]+": "+d[3]), " ")
			if other, ok := first[k]; ok && other != v && strings.HasSuffix(file, ".h") {
				t.Errorf("%s: %s is %q, elsewhere %q", file, d[1], v, other)
			}
			first[k] = v
		}
	}
}

// code returns the contents of a file without comments and with continued lines joined.
func code(t *testing.T, file string) string {
	t.Helper()
	text := strings.ReplaceAll(strings.Join(readLines(t, file), "\n"), "\\\n", "")
	return regexp.MustCompile(`//.*`).ReplaceAllString(text, "")
}

// folderText returns the code of all arm64 files in a folder and the code that these files include
// from other folders.
func folderText(t *testing.T, dir string) (text string) {
	t.Helper()
	for _, name := range []string{"*_arm64.h", "*_arm64.s"} {
		files, err := filepath.Glob(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			own := code(t, file)
			text += own
			for _, m := range regexp.MustCompile(`#include "(\.\./.*)"`).FindAllStringSubmatch(own, -1) {
				text += code(t, filepath.Join(dir, filepath.FromSlash(m[1])))
			}
		}
	}
	return text
}

// headers returns the files with the given name in the kernels' folders.
func headers(t *testing.T, name string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("*", name))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", name, files, err)
	}
	return files
}
