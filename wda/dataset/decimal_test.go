package dataset

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/random"
)

// sameNumber compares parseDecimal with strconv.ParseFloat, and reports whether parseDecimal
// accepts the whole text.
func sameNumber(t *testing.T, text string) (taken bool) {
	t.Helper()
	v, n := parseDecimal([]byte(text))
	if n == 0 {
		return false
	}
	want, err := strconv.ParseFloat(text[:n], 64)
	if err != nil || math.Float64bits(v) != math.Float64bits(want) {
		t.Fatalf("%q: %v (%x), strconv %v (%x), %v", text, v, math.Float64bits(v), want, math.Float64bits(want), err)
	}
	return n == len(text)
}

// TestDecimal checks that parseDecimal agrees with strconv on every text that parseDecimal accepts. parseDecimal must
// accept the numbers that files usually contain.
func TestDecimal(t *testing.T) {
	rng := random.New(1, 1)
	for range 20_000 {
		v := math.Float64frombits(rng.Uint64()>>12 | uint64(1023-60+rng.IntN(120))<<52)
		texts := []string{
			strconv.FormatFloat(v, 'g', -1, 64),
			strconv.FormatFloat(v, 'f', rng.IntN(20), 64),
			"-" + strconv.FormatFloat(v, 'e', rng.IntN(19), 64),
			strconv.FormatFloat(float64(float32(v)), 'g', -1, 32),
			strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10) + "." + strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10),
			"0." + strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10),
		}
		// For a number halfway between two float64 values, one more digit decides the rounding.
		half := strconv.FormatFloat(float64(1<<53+2*rng.IntN(1<<40)), 'f', 0, 64)
		texts = append(texts, half[:len(half)-1]+string(half[len(half)-1]+1), half[:3]+"."+half[3:], half+".5", half+"."+strings.Repeat("0", rng.IntN(3))+"1")
		for _, text := range texts {
			sameNumber(t, text)
		}
	}
	for _, text := range []string{
		"0", "-0", "+0", "-0.0", "00", "7", "-7", "+7", "5.", ".5", "-.5", "0.1", "1e3", "1E-3", "1e+22", "9007199254740993", "9007199254740992.5", "9007199254740993.1",
		"0.30000000000000004", "123456789012345.6789", "9999999999999999999", "1.7976931348623157", "0.0000000000000000001", "1234567890123456789e-19", "4e-22",
	} {
		if !sameNumber(t, text) {
			t.Errorf("%q is not taken", text)
		}
	}
	for _, text := range []string{
		"", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e1234", "--1", "1..2", "1.2.3", "1 2", " 1", "1 ", "0x1p3", "1_0", "nan", "inf", "1e999", "12345678901234567890", "1,2", "1e5.5", "٣",
	} {
		if sameNumber(t, text) {
			t.Errorf("all of %q is taken", text)
		}
	}
}

// FuzzPlain checks every record that parsePlain accepts. parsePlain must agree with strconv on each field, and with
// parse on the whole record.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{"-12.75e-3,9007199254740993,a", "1234567890.123456789,0x1p2, x", "1e22,7", "1,2,", "1;2", "5,\"a\""} {
		f.Add(text, uint8(3), uint8(2), uint8(','))
	}
	f.Fuzz(func(t *testing.T, text string, width, label, comma uint8) {
		if comma >= utf8.RuneSelf || strings.IndexByte("\"\r\n", comma) >= 0 {
			return // no delimiter, or a delimiter of several bytes
		}
		c := &csvSamples{width: int(width%8) + 1, t: &tableReader{comma: []byte{comma}}}
		chosen := int(label)%(c.width+1) - 1
		p, err := newPlan(fileColumns{fields: make([]field, c.width), label: chosen, split: -1}, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.applyPlan(p)
		_, cols := c.dims()
		x, y := make([]float64, cols), make([]float64, cols)
		var name, same string
		if strings.Contains(text, "\n") || !c.parsePlain(x, []byte(text), func(text []byte, _ int) { name = string(text) }) {
			return
		}
		fields := strings.Split(text, string(rune(comma)))
		if len(fields) != c.width || strings.Contains(text, `"`) {
			t.Fatalf("%q apart by %q is no plain record of %d fields", text, comma, c.width)
		}
		k := 0
		for j, field := range fields {
			if j == chosen {
				if name != strings.TrimSpace(field) || name == "" {
					t.Fatalf("label %q of %q", name, text)
				}
				continue
			}
			want, err := strconv.ParseFloat(field, 64)
			if err != nil || math.Float64bits(x[k]) != math.Float64bits(want) {
				t.Fatalf("%q: %v, strconv %v, %v", field, x[k], want, err)
			}
			k++
		}
		cut, err := c.t.splitPlain([]byte(text))
		if err == nil {
			err = c.parse(y, cut, func(text []byte, _ int) { same = string(text) })
		}
		if err != nil || !slices.Equal(x, y) || same != name {
			t.Fatalf("%q: %v, %v; parse %v, %q, %v", text, x, name, y, same, err)
		}
	})
}
