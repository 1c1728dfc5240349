package load

import (
	"sync/atomic"
	"testing"
	"time"
)

// stalling is a client that waits for 200 ms in its first request and answers all other requests
// immediately.
type stalling struct{ once *atomic.Bool }

func (c stalling) Do() Outcome {
	if c.once.CompareAndSwap(false, true) {
		time.Sleep(200 * time.Millisecond)
	}
	return OK
}

// TestOmission checks that a pause of 200 ms counts for all requests that were due during the
// pause, not only for the request that waited.
func TestOmission(t *testing.T) {
	r := Run{Rate: 1000, Duration: time.Second, Patience: time.Second, Seed: 1}.Do(t.Context(), []Client{stalling{new(atomic.Bool)}})
	n := r.Latency.TotalCount()
	if n < 850 || n > 1150 || r.Counts[OK] != n {
		t.Errorf("%d requests in a second at 1000 a second, %v", n, r.Counts)
	}
	var slow int64 // a fifth of the requests is due during the pause; half of these requests wait for 100 ms or more
	for _, b := range r.Latency.Distribution() {
		if b.From >= 100_000 {
			slow += b.Count
		}
	}
	if slow < 50 || slow > 400 {
		t.Errorf("%d of %d requests waited for 100 ms or more", slow, n)
	}
}

// TestPatience checks that requests that cannot be sent in time are given up and counted.
func TestPatience(t *testing.T) {
	r := Run{Rate: 1000, Duration: 300 * time.Millisecond, Patience: 20 * time.Millisecond, Seed: 1}.Do(t.Context(), []Client{stalling{new(atomic.Bool)}})
	if g := r.Counts[GivenUp]; g < 50 || g > 400 || r.PerSecond(GivenUp) == 0 {
		t.Errorf("%v", r.Counts)
	}
	closed := Run{Duration: 50 * time.Millisecond}.Do(t.Context(), []Client{stalling{new(atomic.Bool)}, stalling{new(atomic.Bool)}})
	if closed.Counts[OK] < 2 || closed.Latency.Max() < 200_000 {
		t.Errorf("%v, the longest %v µs", closed.Counts, closed.Latency.Max())
	}
}
