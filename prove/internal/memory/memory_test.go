package memory

import "testing"

// TestApart checks that the addresses of the first regions have no 1 bits in common if apart is
// true.
func TestApart(t *testing.T) {
	m := New(true)
	var all uint64
	for range 35 {
		a := m.Region("", 8, nil, nil)
		if all&a != 0 {
			t.Fatalf("%#x has a bit of an address before it", a)
		}
		all |= a
	}
	if a := m.Region("", 8, nil, nil); m.regions[a/regionSpacing] == nil || a%8 != 0 {
		t.Errorf("the region after these is at %#x", a)
	}
}
