package baselines

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/discriminant/wdatest"
)

// TestSameBits compares hashes of the projections with hashes computed on amd64. A projection must
// be bit-identical on every machine and at every instruction-set level.
func TestSameBits(t *testing.T) {
	file, err := os.ReadFile("testdata/hashes.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	quick, all := []Method{LFDA{}, LMNN{}, CEML{}, NCA{}}, []Method{LFDA{}, LMNN{}, CEML{}, NCA{}, LSDR{}, LSQMI{}}
	k := 0
	for _, data := range []struct {
		name    string
		seed    uint64
		d       int
		sizes   []int
		methods []Method
	}{
		{"two", 21, 5, []int{17, 21}, all},
		{"wide", 11, 41, []int{9, 8, 10}, quick}, // the other methods take a second with 41 features
	} {
		x, labels := wdatest.Clusters(data.seed, data.d, data.sizes...)
		for _, m := range data.methods {
			hash, name, _ := strings.Cut(lines[k], "\t")
			if k++; name != data.name+" "+m.String() {
				t.Fatalf("the file has a hash of %q, want one of %s %v", name, data.name, m)
			}
			for level := range asmtest.Each(t) {
				v, err := Fit(t.Context(), x, labels, 2, m)
				if err != nil {
					t.Fatal(err)
				}
				text := binary.LittleEndian.AppendUint64([]byte("monge-wda 1"), uint64(len(v.RawMatrix().Data)))
				for _, e := range v.RawMatrix().Data {
					text = binary.LittleEndian.AppendUint64(text, math.Float64bits(e))
				}
				if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != hash {
					t.Errorf("%v, %s: hash %x, want %s", level, name, sum, hash)
				}
			}
		}
	}
	if k != len(lines) {
		t.Errorf("%d of %d hashes were checked", k, len(lines))
	}
}
