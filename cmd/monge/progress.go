package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// bar is the progress bar of a command: one line on standard error that is drawn again and
// again, from the first phase of the work to the last. There is none, and every method does
// nothing, if standard error is no terminal or if JSON or quiet was asked for.
type bar struct {
	w     io.Writer
	width func() int
	now   func() time.Time

	mu     sync.Mutex
	began  time.Time // the command
	since  time.Time // the phase
	name   string    // of the phase; "" between phases
	note   string    // what follows the name
	unit   string    // of done if there is no total
	done   int64
	total  int64 // −1 if it is not known
	atMost bool  // the phase usually ends before the total
	drawn  bool
	ended  bool
	stop   chan struct{}
}

const (
	// barDelay is how long a command runs before its bar is drawn, and barEvery how often.
	barDelay, barEvery = 300 * time.Millisecond, 100 * time.Millisecond
	// barSteps is the length of a bar in characters.
	barSteps = 20
)

// reading is the file that was opened last, until it is closed: a bar shows how much of it has
// been read when nothing else is known.
var reading atomic.Pointer[openFile]

type openFile struct {
	name string
	r    *dataset.Reader
}

// startBar begins the bar of a command.
func (a *app) startBar(cmd *cobra.Command) {
	f, ok := a.stderr.(*os.File)
	if a.json || a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	if data := cmd.Flags().Lookup("data"); data != nil && data.Value.String() == standard && term.IsTerminal(int(os.Stdin.Fd())) {
		return // somebody types the data
	}
	b := newBar(f, func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 80
		}
		return width
	}, time.Now)
	a.progress.Store(b)
	go b.run()
}

func newBar(w io.Writer, width func() int, now func() time.Time) *bar {
	return &bar{w: w, width: width, now: now, began: now(), since: now(), total: -1, stop: make(chan struct{})}
}

// run draws until the end.
func (b *bar) run() {
	wait := barDelay
	for {
		select {
		case <-b.stop:
			return
		case <-time.After(wait):
		}
		b.draw()
		wait = barEvery
	}
}

// bar begins a phase of the work with so much to do, −1 if that is not known. done ends it.
func (a *app) bar(what string, total int) *bar { return a.rowBar(what, total).counting("") }

// rowBar begins a phase that counts rows.
func (a *app) rowBar(what string, total int) *bar {
	b := a.progress.Load()
	if b == nil {
		return new(bar)
	}
	b.phase(what, total, false)
	return b.counting("rows")
}

func (b *bar) counting(unit string) *bar {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unit = unit
	return b
}

// phase begins a phase, unless it goes on with a better estimate of the total. atMost says
// that the phase usually ends before the total.
func (b *bar) phase(what string, total int, atMost bool) {
	if b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.name != what {
		b.name, b.note, b.unit, b.done, b.since = what, "", "", 0, b.now()
	}
	b.total, b.atMost = int64(total), atMost
}

// set says how much of the phase is done, and what to note behind its name.
func (b *bar) set(done int, note string) {
	if b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.note = int64(done), note
}

// finished ends the phase.
func (b *bar) finished() { b.phase("", -1, false) }

// clear removes the line from the terminal, until it is drawn again.
func (b *bar) clear() {
	if b == nil || b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.erase()
}

func (b *bar) erase() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = false
	}
}

// end removes the bar.
func (b *bar) end() {
	if b == nil || b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.erase()
	if !b.ended {
		b.ended = true
		close(b.stop)
	}
}

// draw draws the line. A line that cannot be drawn is no reason to stop the work.
func (b *bar) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	text := []rune(printable(b.text()))
	if most := b.width() - 1; len(text) > most && most > 0 {
		text = text[:most]
	}
	fmt.Fprintf(b.w, "\r%s\x1b[K", string(text))
	b.drawn = true
}

// text is what the line says: the phase, how much of it is done, and how long it takes.
func (b *bar) text() string {
	name, done, total, now := b.name, b.done, b.total, b.now()
	since := b.since
	if f := reading.Load(); f != nil && total < 0 && b.unit != "" || f != nil && name == "" {
		if name == "" {
			name = "reading " + f.name
		}
		if read, size := f.r.Bytes(); size > 0 {
			done, total = min(read, size), size
		}
	}
	if name == "" {
		name, since = "working", b.began
	}
	if b.note != "" {
		name += ", " + b.note
	}
	took := now.Sub(since)
	if total <= 0 {
		if b.unit != "" {
			return fmt.Sprintf("%s  %d %s  %s", name, b.done, b.unit, inTime(took))
		}
		return fmt.Sprintf("%s  %s", name, inTime(took))
	}
	share := float64(done) / float64(total)
	full := min(barSteps, int(share*barSteps))
	line := fmt.Sprintf("%s  [%s%s] %3.0f %%", name, strings.Repeat("#", full), strings.Repeat(".", barSteps-full), 100*share)
	if took < time.Second || done == 0 {
		return line
	}
	about := "about"
	if b.atMost {
		about = "at most"
	}
	return fmt.Sprintf("%s  %s %s left", line, about, inTime(time.Duration(float64(took)*(1-share)/share)))
}

// inTime writes a duration in one unit.
func inTime(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
