package code

import "testing"

// TestWord checks that Word returns four bytes only if all four bytes lie in a section. It includes
// addresses near the end of the address space.
func TestWord(t *testing.T) {
	p := &Program{sections: []section{{addr: 0x1000, data: []byte{1, 2, 3, 4, 5}}}}
	for addr, want := range map[uint64]bool{0xfff: false, 0x1000: true, 0x1001: true, 0x1002: false, 1<<64 - 4: false, 1<<64 - 1: false} {
		if w, ok := p.Word(addr); ok != want || ok && byte(w) != p.sections[0].data[addr-0x1000] {
			t.Errorf("at %#x: %#x, %v", addr, w, ok)
		}
	}
}
