package asmtest

import (
	"math"
	"runtime"
	"sync"
)

// Error32 contains the largest error of a float32 function and the argument that causes this error.
type Error32 struct {
	ULP float64
	X   float32
}

// Add updates e with the error of y = f(x), where want is the value of f(x) in float64.
func (e *Error32) Add(x, y float32, want float64) {
	d := math.Abs(float64(y) - want)
	// One ULP is at least 2^-24·|want|. If the error d is at most e.ULP times this bound, e is unchanged.
	if d <= e.ULP*0x1p-24*math.Abs(want) || want == 0 {
		return
	}
	if u := math.Ldexp(d, 23-max(math.Ilogb(want), -126)); u > e.ULP {
		*e = Error32{u, x}
	}
}

// Errors32 returns the largest error of each tested function. The arguments are every step-th
// float32 whose bits are in [first, last]. Errors32 divides the arguments into blocks and starts
// one goroutine per core. Each goroutine calls worker once, and then calls the returned function
// for each block. The returned function updates its second argument, which has one Error32 for each
// tested function.
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
