package known

import "testing"

// TestSurvivors checks that Survivors returns no error, and that no survivor has the effect Loop.
func TestSurvivors(t *testing.T) {
	list, err := Survivors()
	if err != nil {
		t.Fatal(err)
	}
	for s, reason := range list {
		if s.Effect == Loop {
			t.Errorf("%v: %s: loops of a mutant must be shown", s, reason)
		}
	}
}
