package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestWait checks that a request never waits for longer than the limit.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1, 10, 100*time.Millisecond)
		if err := q.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := q.enter(t.Context()); !errors.Is(err, ErrWaited) || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := q.enter(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if q.leave(); q.Busy() != 0 || q.Waiting() != 0 || q.Late() != 1 || q.Full() != 0 {
			t.Errorf("%d at work, %d wait, %d late, %d found it full", q.Busy(), q.Waiting(), q.Late(), q.Full())
		}
	})
}

// TestOverload sends requests for two seconds, twice as fast as they can be answered. The queue is
// long enough for all of them. From 200 ms on, an answered request must have waited for at most
// 10 ms, a tenth of the time limit. No slot may be idle.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const work = 2 * time.Millisecond
		q := NewQueue(1, 1000, 100*time.Millisecond)
		start := time.Now()
		var answered, late int
		var longest time.Duration // longest wait after the first 200 ms
		for range 2000 {
			go func() {
				came := time.Now()
				if err := q.enter(context.Background()); err != nil {
					if !errors.Is(err, ErrWaited) {
						t.Error(err)
					}
					late++
					return
				}
				if time.Since(start) > 200*time.Millisecond {
					longest = max(longest, time.Since(came))
				}
				answered++
				time.Sleep(work)
				q.leave()
			}()
			time.Sleep(work / 2)
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if longest > 10*time.Millisecond || answered < 999 || answered+late != 2000 || late != q.Late() {
			t.Errorf("%d answered, %d turned away (%d counted), the longest wait is %v", answered, late, q.Late(), longest)
		}
		// If the queue can process a burst within the maximum waiting time, it rejects no request.
		answered = 0
		for range 40 {
			go func() {
				if err := q.enter(context.Background()); err == nil {
					answered++
					time.Sleep(work)
					q.leave()
				}
			}()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if answered != 40 || q.Busy() != 0 {
			t.Errorf("%d of a burst of 40 answered, %d at work", answered, q.Busy())
		}
	})
}

// TestTurnAtTheEnd checks the case in which a request receives a slot just when its context ends.
// The slot must go to the next request.
func TestTurnAtTheEnd(t *testing.T) {
	q := NewQueue(1, 2, time.Hour)
	q.busy = 1
	w := &waiter{time.Now(), make(chan error, 1)}
	q.waiting = append(q.waiting, w)
	q.leave()
	if err := q.giveUp(w, context.Canceled); err != context.Canceled || q.Busy() != 0 {
		t.Errorf("%v, %d at work", err, q.Busy())
	}
}
