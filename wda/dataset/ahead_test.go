package dataset

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/iotest"
	"time"
)

// TestAhead checks that the prefetching reader returns the same bytes and then the same error as the reader that it wraps.
func TestAhead(t *testing.T) {
	text := make([]byte, 3<<20+77)
	for i := range text {
		text[i] = byte(i * i >> 9)
	}
	broken := errors.New("broken")
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"plain": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader, "data and error": iotest.DataErrReader,
		"broken": func(r io.Reader) io.Reader { return io.MultiReader(r, iotest.ErrReader(broken)) },
	} {
		a := newAheadReader(wrap(bytes.NewReader(text)))
		got, err := io.ReadAll(a)
		if want := name == "broken"; !bytes.Equal(got, text) || errors.Is(err, broken) != want || (err != nil) != want {
			t.Errorf("%s: %d of %d bytes, %v", name, len(got), len(text), err)
		}
		if _, again := a.Read(make([]byte, 1)); again == nil {
			t.Errorf("%s: no error after the end", name)
		}
		if a.full == nil {
			t.Errorf("%s: nothing was read ahead", name)
		}
		for range 2 {
			if err := a.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestAheadEnds checks that Close ends the goroutine after any number of rows.
func TestAheadEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, bytes.Repeat([]byte("1,2,3\n"), 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for _, rows := range []int{1, 1 << 18, 1 << 19} {
		r, err := Open(path, &Options{Labels: NoLabels()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(rows); err != nil {
			t.Fatal(err)
		}
		if began := r.src.ahead[0].full != nil; began != (rows > 1) {
			t.Errorf("%d rows: reading ahead %v", rows, began)
		}
		r.Close()
		for wait := 0; runtime.NumGoroutine() > before; wait++ {
			if wait == 1000 {
				t.Fatalf("%d rows: %d goroutines, %d before", rows, runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	}
}
