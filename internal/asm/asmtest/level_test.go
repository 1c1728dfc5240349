package asmtest

import (
	"testing"

	"github.com/gomonge/monge/internal/asm"
)

// TestAt checks that At and Each set the level and restore it afterwards, even if a test
// ends while the level is set.
func TestAt(t *testing.T) {
	before := asm.Current()
	for lv := range Each(t) {
		if asm.Current() != lv {
			t.Errorf("level %v in force, want %v", asm.Current(), lv)
		}
	}
	if before != asm.Current() {
		t.Errorf("after Each: level %v, want %v", asm.Current(), before)
	}
	t.Run("ends", func(t *testing.T) {
		for range Each(t) {
			t.SkipNow()
		}
	})
	if before != asm.Current() {
		t.Errorf("after a test that ended: level %v, want %v", asm.Current(), before)
	}
}

// TestAtPanics checks that At panics in a nested call, for an unknown level, and in a parallel
// test.
func TestAtPanics(t *testing.T) {
	panics := func(what string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", what)
			}
		}()
		f()
	}
	nothing := func() {}
	panics("a switch in a switch", func() { At(t, asm.Ref, func() { At(t, asm.Ref, nothing) }) })
	panics("no such level", func() { At(t, 99, nothing) })
	t.Run("parallel", func(t *testing.T) {
		t.Parallel()
		panics("a parallel test", func() { At(t, asm.Ref, nothing) })
	})
}
