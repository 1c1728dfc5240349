package sinkhorn

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

func checkLevels[T dist.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	p := &Problem[T]{X: cloud[T](rng, 37, 3, 0), Y: cloud[T](rng, 29, 3, 0.5), A: gradientWeights[T](rng, 37, true), B: gradientWeights[T](rng, 29, true)}
	for _, domain := range []Domain{DomainAuto, DomainLog} {
		for _, lambda := range []float64{0.2, 20} {
			p.Lambda = lambda
			set := Settings{Iterations: 6, Domain: domain, Gradient: true}
			var want map[string][]T
			asmtest.At(t, asm.Ref, func() { want = allResults(t, set, p) })
			for lv := range asmtest.Each(t) {
				sameBits(t, fmt.Sprintf("%v, λ = %v, %v", domain, lambda, lv), allResults(t, set, p), want)
			}
		}
	}
}

// TestSameBitsEverywhere compares results with hashes computed on other machines.
func TestSameBitsEverywhere(t *testing.T) {
	for _, c := range []struct {
		domain          Domain
		lambda          float64
		f64, f32, mixed uint64
	}{
		{DomainAuto, 0.2, 0x627c50c081a42bab, 0xe3b3b76259a8e297, 0xd2454cfa417db51b},
		{DomainAuto, 200, 0xfb7ba5a86e01704d, 0x328a92a5b426d404, 0x87fc2e3fce14b8f4},
		{DomainLog, 0.2, 0xda37437b61839e40, 0xe987b4a2a7683f78, 0x6fb12c858ac473a5},
		{DomainLog, 200, 0xa94cb88de300de1a, 0x64d88c9f9747c766, 0x7c811c77d48977d6},
	} {
		if got := fingerprint[float64](t, c.domain, StorageAuto, c.lambda); got != c.f64 {
			t.Errorf("%v, λ = %v: %#x in float64, want %#x", c.domain, c.lambda, got, c.f64)
		}
		if got := fingerprint[float32](t, c.domain, StorageAuto, c.lambda); got != c.f32 {
			t.Errorf("%v, λ = %v: %#x in float32, want %#x", c.domain, c.lambda, got, c.f32)
		}
		if got := fingerprint[float64](t, c.domain, StorageMixed, c.lambda); got != c.mixed {
			t.Errorf("%v, λ = %v: %#x with K in float32, want %#x", c.domain, c.lambda, got, c.mixed)
		}
	}
}

// fingerprint hashes all results of a solve. The points are uniformly distributed, because normally distributed points would
// depend on the machine's logarithm.
func fingerprint[T dist.Float](t *testing.T, domain Domain, storage Storage, lambda float64) uint64 {
	rng := rand.New(rand.NewPCG(61, 3))
	uniform := func(n, p int) dist.Matrix[T] {
		m := dist.NewMatrix[T](n, p, nil)
		for i := range m.Data {
			m.Data[i] = T(rng.Float64())
		}
		return m
	}
	p := &Problem[T]{X: uniform(37, 3), Y: uniform(29, 3), A: gradientWeights[T](rng, 37, true), B: gradientWeights[T](rng, 29, true), Lambda: lambda}
	all := allResults(t, Settings{Iterations: 25, Domain: domain, Storage: storage, Gradient: true}, p)
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, v := range all[name] {
			if v != v {
				v = 0
			}
			binary.Write(h, binary.LittleEndian, math.Float64bits(float64(v)))
		}
	}
	return h.Sum64()
}
