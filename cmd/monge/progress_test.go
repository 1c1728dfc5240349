package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/wda/dataset"
)

// TestBar checks that the progress line contains the phase, the fraction done and the time left.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	b := newProgressBar(&out, func() int { return 60 }, func() time.Time { return clock })
	expect := func(want string) {
		t.Helper()
		if got := b.text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	clock = clock.Add(2 * time.Second)
	expect("working  2 s")
	b.phase("comparing settings", 40, false)
	b.setDone(10, "")
	expect("comparing settings  [#####...............]  25 %")
	clock = clock.Add(3 * time.Second)
	expect("comparing settings  [#####...............]  25 %  about 9 s left")
	b.phase("comparing settings", 20, false) // a better estimate
	expect("comparing settings  [##########..........]  50 %  about 3 s left")
	b.phase("fitting", 100, true)
	clock = clock.Add(10 * time.Second)
	b.setDone(5, "J = 2.5")
	expect("fitting, J = 2.5  [#...................]   5 %  at most 3 min left")
	b.phase("projecting", -1, false)
	b.counting("rows").setDone(7000, "")
	clock = clock.Add(time.Second)
	expect("projecting  7000 rows  1 s")
	b.draw()
	if got := out.String(); got != "\rprojecting  7000 rows  1 s\x1b[K" {
		t.Errorf("drawn: %q", got)
	}
	out.Reset()
	b.phase(strings.Repeat("long\x1b", 30), -1, false)
	b.draw()
	if got := []rune(strings.TrimSuffix(strings.TrimPrefix(out.String(), "\r"), "\x1b[K")); len(got) != 59 || strings.ContainsRune(string(got), '\x1b') {
		t.Errorf("in 60 columns: %q", string(got))
	}
	b.plan(step{"comparing settings", 1}, step{"fitting", 0.5}, step{"drawing", 0.25})
	b.phase("comparing settings", 40, false)
	b.setDone(10, "")
	clock = clock.Add(4 * time.Second)
	expect("comparing settings  [#####...............]  25 %  about 24 s left") // 12 s for the rest of this phase, and 12 s for the later phases
	b.phase("fitting", 10, false)
	b.setDone(5, "")
	clock = clock.Add(4 * time.Second)
	expect("fitting  [##########..........]  50 %  about 8 s left")
	b.phase("drawing", 10, false)
	b.setDone(5, "")
	clock = clock.Add(4 * time.Second)
	expect("drawing  [##########..........]  50 %  about 4 s left")
	b.plan(step{"reading", 0}, step{"the fit", 0})
	b.phase("reading", 10, false)
	b.setDone(5, "")
	clock = clock.Add(4 * time.Second)
	expect("reading  [##########..........]  50 %  about 4 s left, then the fit")
	b.phase("another", 10, false)
	b.setDone(5, "")
	clock = clock.Add(4 * time.Second)
	expect("another  [##########..........]  50 %  about 4 s left")
	b.finished()
	expect("working  36 s")
	out.Reset()
	b.end()
	b.draw()
	b.end()
	if got := out.String(); got != "\r\x1b[K" {
		t.Errorf("the end: %q", got)
	}
	none := new(app).progress.Load()
	none.clear()
	none.end()
	new(progressBar).phase("nothing", 3, false)
	new(progressBar).setDone(1, "")
}

// TestBarOfFile checks that the progress line shows how much of a text file has been read.
func TestBarOfFile(t *testing.T) {
	path := t.TempDir() + "/a.csv"
	write(t, path, strings.Repeat("1.5,2.5,a\n", 200000))
	clock := time.Unix(0, 0)
	b := newProgressBar(nil, nil, func() time.Time { return clock })
	b.w = os.Stderr
	a := new(app)
	a.progress.Store(b)
	r, err := (&columnFlags{app: a}).open(path, &dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if _, err := r.Next(1000); err != nil {
			t.Fatal(err)
		}
	}
	b.plan(fitStep)
	clock = clock.Add(2 * time.Second)
	if got := b.text(); !strings.HasPrefix(got, "reading "+path+"  [") || strings.Contains(got, "  0 %") || strings.Contains(got, "100 %") || !strings.HasSuffix(got, " s left, then the fit") {
		t.Errorf("while reading: %q", got)
	}
	b.phase("projecting", -1, false)
	if got := b.counting("rows").text(); !strings.HasPrefix(got, "projecting  [") {
		t.Errorf("while projecting: %q", got)
	}
	r.Close()
	if got := b.text(); strings.Contains(got, "[") {
		t.Errorf("after the end: %q", got)
	}
}
