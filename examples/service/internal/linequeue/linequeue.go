// Package linequeue prevents a slow log reader from stopping the program.
package linequeue

import (
	"io"
	"sync"
	"time"
)

// Writer copies lines to another writer in a separate goroutine. Write never waits: if the other
// writer is blocked and the queue is full, Write drops the line and calls a function to report it.
type Writer struct {
	limit   int // bytes
	dropped func()
	ended   chan struct{}

	mu     sync.Mutex
	queued int // bytes of the waiting lines
	lines  [][]byte
	closed bool
	wake   *sync.Cond
}

// New returns a Writer that copies lines to w. The queue holds at most the given number of bytes
// (limit). The Writer calls the function dropped for every line that is lost because the queue is
// full or w returns an error.
func New(w io.Writer, limit int, dropped func()) *Writer {
	q := &Writer{limit: limit, dropped: dropped, ended: make(chan struct{})}
	q.wake = sync.NewCond(&q.mu)
	go q.writeLines(w)
	return q
}

// Write queues a copy of a line. It always returns len(line) and nil.
func (q *Writer) Write(line []byte) (int, error) {
	q.mu.Lock()
	full := q.closed || q.queued+len(line) > q.limit
	if !full {
		q.queued += len(line)
		q.lines = append(q.lines, append([]byte(nil), line...))
		q.wake.Signal()
	}
	q.mu.Unlock()
	if full {
		q.dropped()
	}
	return len(line), nil
}

// writeLines writes the queued lines to w until the queue is closed and empty.
func (q *Writer) writeLines(w io.Writer) {
	defer close(q.ended)
	for {
		q.mu.Lock()
		for len(q.lines) == 0 && !q.closed {
			q.wake.Wait()
		}
		lines := q.lines
		q.lines = nil
		q.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		for _, line := range lines {
			if _, err := w.Write(line); err != nil {
				q.dropped()
			}
			q.mu.Lock()
			q.queued -= len(line)
			q.mu.Unlock()
		}
	}
}

// Close waits until the queued lines are written or the time limit is reached. Later lines are
// dropped.
func (q *Writer) Close(limit time.Duration) {
	q.mu.Lock()
	q.closed = true
	q.wake.Signal()
	q.mu.Unlock()
	select {
	case <-q.ended:
	case <-time.After(limit):
	}
}
