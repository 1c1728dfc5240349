// Package load measures a service as independent users see it. Requests are due at random times,
// whether or not earlier requests have been answered. The time of a request counts from the moment
// at which the request was due. If the service stalls for a second, all requests that were due in
// that second are late, not only one request. This avoids the error known as coordinated omission.
package load

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Outcome classifies the end of a request.
type Outcome uint8

const (
	OK     Outcome = iota
	Shed           // rejected because a queue was full
	Failed         // anything else
	// GivenUp requests were never sent, because all connections were in use for longer than the
	// user waits.
	GivenUp
	outcomes
)

// Client sends requests one after the other.
type Client interface{ Do() Outcome }

// Run holds the settings of a measurement run.
type Run struct {
	Rate     float64 // requests per second; 0 sends the next request after each answer
	Duration time.Duration
	Patience time.Duration
	Seed     uint64
}

// Result contains the measurements of a run.
type Result struct {
	Elapsed time.Duration
	Counts  [outcomes]int64
	// Latency is the latency of answered requests in µs.
	Latency *hdrhistogram.Histogram
}

// PerSecond returns the number of requests per second with outcome o.
func (r *Result) PerSecond(o Outcome) float64 { return float64(r.Counts[o]) / r.Elapsed.Seconds() }

// newHistogram returns a histogram from 1 µs to one minute with three significant digits.
func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, 60_000_000, 3) }

// Do sends the requests of the run. Each client has its own goroutine and its own histogram.
func (r Run) Do(ctx context.Context, clients []Client) *Result {
	ctx, cancel := context.WithTimeout(ctx, r.Duration)
	defer cancel()
	start := time.Now()
	due := r.schedule(ctx, start)
	parts := make([]Result, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		p := &parts[i]
		p.Latency = newHistogram()
		wg.Go(func() {
			for at := range due {
				if r.Rate == 0 {
					at = time.Since(start)
				} else if time.Since(start)-at > r.Patience {
					p.Counts[GivenUp]++
					continue
				}
				o := c.Do()
				if p.Counts[o]++; o == OK {
					p.Latency.RecordValue(max(1, (time.Since(start) - at).Microseconds()))
				}
			}
		})
	}
	wg.Wait()
	all := &Result{Elapsed: time.Since(start), Latency: newHistogram()}
	for i := range parts {
		all.Latency.Merge(parts[i].Latency)
		for o, n := range parts[i].Counts {
			all.Counts[o] += n
		}
	}
	return all
}

// schedule sends the times at which requests are due, relative to the time start, until the context
// ends. The channel has room for all times, so a slow client does not delay other clients.
func (r Run) schedule(ctx context.Context, start time.Time) <-chan time.Duration {
	due := make(chan time.Duration, int(2*r.Rate*r.Duration.Seconds())+1)
	go func() {
		defer close(due)
		runtime.LockOSThread() // sleep needs it
		defer runtime.UnlockOSThread()
		rng := rand.New(rand.NewPCG(r.Seed, 0))
		for at := time.Duration(0); ; {
			if r.Rate > 0 {
				at += time.Duration(rng.ExpFloat64() / r.Rate * 1e9) // a Poisson process
				if wait := at - time.Since(start); wait > 0 {
					sleep(wait)
				}
			}
			select {
			case due <- at:
			case <-ctx.Done():
				return
			}
			if ctx.Err() != nil {
				return
			}
		}
	}()
	return due
}
