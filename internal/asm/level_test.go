package asm

import "testing"

// TestVariantOf checks that every level has its own variants. A kernel whose switch lacks a variant
// runs the reference implementation, which gives the same bits but is slow.
func TestVariantOf(t *testing.T) {
	defer func(before Level) { current = before }(current)
	for _, c := range []struct {
		level           Level
		f64, f32, mixed Variant
	}{
		{NEON, NEONF64, NEONF32, NEONMixed},
		{AVX2, AVX2F64, AVX2F32, AVX2Mixed},
		{AVX512, AVX512F64, AVX512F32, AVX512Mixed},
	} {
		current = c.level
		got := [...]Variant{VariantOf[float64, float64](), VariantOf[float32, float32](), VariantOf[float32, float64]()}
		if want := [...]Variant{c.f64, c.f32, c.mixed}; got != want {
			t.Errorf("%v: variants %d, want %d", c.level, got, want)
		}
		if got := VariantOf[float64, float32](); got != Variant(Ref) {
			t.Errorf("%v: a float64 matrix with float32 vectors has the variant %d, want that of the reference", c.level, got)
		}
	}
}

func TestFormString(t *testing.T) {
	for f, want := range map[Extension]string{0: "none", DotProd: "dotprod", VNNI | VPOPCNT: "vnni+vpopcnt"} {
		if got := f.String(); got != want {
			t.Errorf("Extension(%d).String() = %q, want %q", f, got, want)
		}
	}
}
