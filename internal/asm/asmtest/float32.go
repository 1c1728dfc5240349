package asmtest

import (
	"math"
	"runtime"
	"sync"
)

// Error32 is the largest error of a function in float32 and its argument.
type Error32 struct {
	ULP float64
	X   float32
}

// Add adds the error of y = f(x), where want is f(x) in float64.
func (e *Error32) Add(x, y float32, want float64) {
	d := math.Abs(float64(y) - want)
	// One ULP is at least 2^-24 of want: most errors need not be measured exactly.
	if d <= e.ULP*0x1p-24*math.Abs(want) || want == 0 {
		return
	}
	if u := math.Ldexp(d, 23-max(math.Ilogb(want), -126)); u > e.ULP {
		*e = Error32{u, x}
	}
}

// Errors32 calls f with every step-th float32 whose bits are in [first, last], in blocks, on all
// cores. worker creates the function of each core, which adds to its errors. Errors32 returns the
// largest.
func Errors32(first, last, step uint64, errors int, worker func() func(x []float32, errors []Error32)) []Error32 {
	const block = 1024
	worst := make([]Error32, errors)
	var mu sync.Mutex
	var wg sync.WaitGroup
	workers := uint64(runtime.GOMAXPROCS(0))
	for w := range workers {
		wg.Go(func() {
			f, x, own := worker(), make([]float32, block), make([]Error32, errors)
			for b := first + w*block*step; b <= last; b += workers * block * step {
				n := 0
				for ; n < block && b+uint64(n)*step <= last; n++ {
					x[n] = math.Float32frombits(uint32(b + uint64(n)*step))
				}
				f(x[:n], own)
			}
			mu.Lock()
			defer mu.Unlock()
			for i, e := range own {
				if e.ULP > worst[i].ULP || e.ULP == worst[i].ULP && e.X < worst[i].X {
					worst[i] = e
				}
			}
		})
	}
	wg.Wait()
	return worst
}
