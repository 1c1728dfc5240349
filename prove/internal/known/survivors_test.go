package known

import "testing"

// TestSurvivors: every line of the list has an effect and a reason, and every reason is one of a line.
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
