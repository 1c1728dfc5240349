package linequeue

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestWriter checks that all lines arrive in order, and that Close waits for them.
func TestWriter(t *testing.T) {
	var out bytes.Buffer
	q := New(&out, 1<<20, func() { t.Error("a line was dropped") })
	want := ""
	for i := range 100 {
		line := strings.Repeat("x", i) + "\n"
		want += line
		io.WriteString(q, line)
	}
	q.Close(time.Minute)
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}

// TestBlocked checks that neither Write nor Close waits for a reader that never reads, and that
// lost lines are counted.
func TestBlocked(t *testing.T) {
	r, w := io.Pipe()
	var dropped atomic.Int64
	q := New(w, 100, func() { dropped.Add(1) })
	for range 50 { // a line that the goroutine is writing still counts toward the limit
		io.WriteString(q, "0123456789")
	}
	if n := dropped.Load(); n != 40 {
		t.Errorf("%d of 50 lines were dropped, want 40", n)
	}
	q.Close(time.Millisecond)
	r.CloseWithError(errors.New("gone"))
	<-q.ended
	if n := dropped.Load(); n != 50 {
		t.Errorf("%d of 50 lines were dropped after the reader has gone, want all", n)
	}
	io.WriteString(q, "late")
	if n := dropped.Load(); n != 51 {
		t.Errorf("%d lines were dropped, want 51", n)
	}
}
