package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..", "internal", "asm")

// TestCommitted computes all coefficients again and compares them with the committed files:
// coef.go, the constants of num.Log and of the float32 logarithms in package vector, and the DATA
// lines of the assembly.
func TestCommitted(t *testing.T) {
	if os.Getenv("MONGE_LONG") == "" {
		t.Skip("takes 20 s: set MONGE_LONG=1")
	}
	got, err := os.ReadFile(filepath.Join(root, "exp", "coef.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, coefFile()) {
		t.Error("coef.go is not what gencoef writes")
	}
	logGo, err := os.ReadFile(filepath.Join(root, "num", "log.go"))
	if err != nil {
		t.Fatal(err)
	}
	c, e := logPolynomial()
	for i, v := range c {
		if want := fmt.Sprintf("log%d = %x\n", i+1, v); !bytes.Contains(logGo, []byte(want)) {
			t.Errorf("num/log.go lacks %s", want)
		}
	}
	if e > 0x1p-59 {
		t.Errorf("num.Log: the polynomial is off by 2^%.2f", math.Log2(e))
	}
	vectorGo, err := os.ReadFile(filepath.Join(root, "vector", "ref.go"))
	if err != nil {
		t.Fatal(err)
	}
	tables := log32Tables()
	for base := range tables {
		c, e := log32Polynomial(base == 1)
		for _, list := range [][]float64{c, tables[base][0][:], tables[base][1][:]} {
			for _, v := range list {
				if want := fmt.Sprintf("%x", v); v != 0 && !bytes.Contains(vectorGo, []byte(want)) {
					t.Errorf("vector/ref.go lacks %s", want)
				}
			}
		}
		if e > 0x1p-27 {
			t.Errorf("vector.Log of float32: the polynomial is off by 2^%.2f", math.Log2(e))
		}
	}
	for _, s := range coefSets() {
		bound := map[string]float64{"float64": 0x1p-58, "float32": 0x1p-28}[s.typ]
		if s.tableErr > .1 || s.polyErr > bound {
			t.Errorf("%s %s: table %v ulp, polynomial %v", s.kernel, s.typ, s.tableErr, s.polyErr)
		}
		checkData(t, s)
	}
}

// checkData checks that every polynomial and table in the assembly equals the coefficients of s.
// The name of a constant block contains the kernel and the type. If two packages use the block, the
// name also contains the instruction set. The .s file or its exp2core header #defines the offsets
// of the coefficients (C7 … C0) and of the table (TABLE, or TABLELO and TABLEHI). The offsets are
// in bytes or have the form n*size. An offset's name may begin with the kernel's name.
func checkData(t *testing.T, s coefSet) {
	files, err := filepath.Glob(filepath.Join(root, "exp", "*.s"))
	if err != nil {
		t.Fatal(err)
	}
	symbol := `·?` + s.kernel + "f" + s.bits() + `(?:<>|AVX2|AVX512|NEON)`
	prefix := "EXP2_"
	if s.kernel == "exp" {
		prefix = "(?:EXP_)?"
	}
	size := map[string]int{"float64": 8, "float32": 4}[s.typ]
	found := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^GLOBL ` + symbol + `\(SB\)`).Match(src) {
			continue
		}
		found++
		offsets, err := os.ReadFile(filepath.Join(filepath.Dir(file), strings.Replace(strings.TrimSuffix(filepath.Base(file), ".s"), "exp_", "exp2core_", 1)+".h"))
		if err != nil {
			t.Fatal(err)
		}
		offsets = append(offsets, src...)
		data := make([]byte, 4096)
		for _, m := range regexp.MustCompile(`(?m)^DATA `+symbol+`\+(\d+)\(SB\)/([48]), \$(0x[0-9a-f]+)`).FindAllStringSubmatch(string(src), -1) {
			off, _ := strconv.Atoi(m[1])
			v, err := strconv.ParseUint(m[3], 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			if m[2] == "8" {
				binary.LittleEndian.PutUint64(data[off:], v)
			} else {
				binary.LittleEndian.PutUint32(data[off:], uint32(v))
			}
		}
		read := func(off, size int) uint64 {
			if size == 4 {
				return uint64(binary.LittleEndian.Uint32(data[off:]))
			}
			return binary.LittleEndian.Uint64(data[off:])
		}
		check := func(name string, width int, want ...uint64) bool {
			m := regexp.MustCompile(`(?m)^#define ` + prefix + name + ` (\d+)(\*size)?$`).FindStringSubmatch(string(offsets))
			if m == nil {
				return false
			}
			off, _ := strconv.Atoi(m[1])
			if m[2] != "" {
				off *= size
			}
			for i, w := range want {
				if v := read(off+i*width, width); v != w {
					t.Errorf("%s: %s %s[%d] = %#x, want %#x", file, symbol, name, i, v, w)
				}
			}
			return true
		}
		for i, c := range s.coef {
			if !check(fmt.Sprintf("C%d", i), size, s.bitPattern(c)) {
				t.Errorf("%s: %s has no C%d", file, symbol, i)
			}
		}
		var lo, hi []uint64
		for _, v := range s.foldedTable() {
			lo, hi = append(lo, v&math.MaxUint32), append(hi, v>>32)
		}
		halves := size == 8 && check("TABLELO", 4, lo...) && check("TABLEHI", 4, hi...)
		if !halves && !check("TABLE", size, s.foldedTable()...) {
			t.Errorf("%s: %s has no table", file, symbol)
		}
	}
	if found != 3 {
		t.Errorf("%d levels have %s", found, symbol)
	}
}

// TestFactor checks that the constants m64 and m32 are the results of searchFactor.
func TestFactor(t *testing.T) {
	if os.Getenv("MONGE_LONG") == "" {
		t.Skip("takes 20 s: set MONGE_LONG=1")
	}
	for _, c := range []struct {
		digits, entries, shift int
		limit, m               uint64
	}{{53, entries64, shift64, 1 << 32, m64}, {24, entries32, shift32, 1 << 22, m32}} {
		if m, _ := searchFactor(c.digits, c.entries, c.shift, c.limit); m != c.m {
			t.Errorf("%d digits: m = %d, committed %d", c.digits, m, c.m)
		}
	}
}
