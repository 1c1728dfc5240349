package baselines

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"gonum.org/v1/gonum/mat"
)

// uniform returns numbers from −1 to 1.
func uniform(seed uint64, r, c int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, float64(int64(rng.Uint64()))/(1<<63))
		}
	}
	return m
}

// clusters returns samples of the given class sizes around random centers, in random order, and
// their labels.
func clusters(seed uint64, d int, sizes ...int) (*mat.Dense, []int) {
	var labels []int
	for c, n := range sizes {
		for range n {
			labels = append(labels, c)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	centers, x := uniform(seed+1, len(sizes), d), uniform(seed+2, len(labels), d)
	for i, l := range labels {
		for j, v := range centers.RawRowView(l) {
			x.Set(i, j, x.At(i, j)+float64(0.8*v)) // not fused: the same bits everywhere
		}
	}
	return x, labels
}

// TestSameBits recomputes hashes that were made on amd64: a projection is the same on every machine
// and at every level.
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
		{"wide", 11, 41, []int{9, 8, 10}, quick}, // the others take a second with 41 features
	} {
		x, labels := clusters(data.seed, data.d, data.sizes...)
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
