package enum

import (
	"errors"
	"testing"
)

type color uint8

// TestNames checks that every value converts to its name and back. It also checks the errors for
// unknown values and names, and that Parse leaves its destination unchanged on error.
func TestNames(t *testing.T) {
	bad := errors.New("bad")
	names := New("Color", bad, "red", "green")
	for v, want := range []string{"red", "green"} {
		var c color = 7
		if b, err := names.Text(uint8(v)); err != nil || string(b) != want || names.Name(uint8(v)) != want {
			t.Errorf("%d is %q, %v", v, b, err)
		}
		if err := Parse(&c, []byte(want), names); err != nil || c != color(v) {
			t.Errorf("%q is %d, %v", want, c, err)
		}
	}
	if b, err := names.Text(2); b != nil || !errors.Is(err, bad) || names.Name(2) != "Color(2)" || names.Check(2) == nil || names.Check(1) != nil {
		t.Errorf("2 is %q, %v, %s", b, err, names.Name(2))
	}
	c := color(1)
	if err := Parse(&c, []byte("blue"), names); !errors.Is(err, bad) || c != 1 || err.Error() != `bad: Color "blue" is not one of [red green]` {
		t.Errorf("blue is %d, %v", c, err)
	}
}
