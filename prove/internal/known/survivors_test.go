package known

import "testing"

// TestSurvivors checks that every line of the list has an effect and a reason, and that every
// reason is used.
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
