package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gomonge/monge/wda/dataset"
	"golang.org/x/term"
)

// progressBar is the progress bar of a command: one line on standard error that is redrawn until
// the command ends. There is no bar with --json, with --quiet, or if standard error is not a
// terminal.
type progressBar struct {
	w     io.Writer
	width func() int
	now   func() time.Time

	mu     sync.Mutex
	began  time.Time // the command
	since  time.Time // the phase
	name   string    // name of the phase; "" between phases
	note   string    // text after the name
	unit   string    // what the field done counts, such as "rows", shown if total is unknown; "" shows no count
	done   int64
	total  int64  // total amount of work, or −1 if unknown
	atMost bool   // the phase usually ends before the total
	steps  []step // the phases of the command, if they are known
	file   string // name of the file being read
	in     *dataset.Reader
	drawn  bool
	ended  bool
	stop   chan struct{}
}

// step is a phase of a command. cost is the relative time that the phase takes, or 0 if unknown.
type step struct {
	name string
	cost float64
}

const (
	// barDelay is the time before the bar is first drawn. barEvery is the time between updates.
	barDelay, barEvery = 300 * time.Millisecond, 100 * time.Millisecond
	// barSteps is the length of a bar in characters.
	barSteps = 20
)

// startProgress starts the progress bar of a command. reads is true if the command reads standard
// input.
func (a *app) startProgress(reads bool) {
	f, ok := a.stderr.(*os.File)
	if a.json || a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	if reads && term.IsTerminal(int(os.Stdin.Fd())) {
		return // no progress bar, because a person may be typing the data
	}
	b := newProgressBar(f, func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 80
		}
		return width
	}, time.Now)
	a.progress.Store(b)
	go b.run()
}

func newProgressBar(w io.Writer, width func() int, now func() time.Time) *progressBar {
	return &progressBar{w: w, width: width, now: now, began: now(), since: now(), total: -1, stop: make(chan struct{})}
}

// run redraws the bar until it ends.
func (b *progressBar) run() {
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

// startPhase starts a phase. total is the amount of work, or −1 if the amount is unknown. Call
// progressBar.finished at the end of the phase.
func (a *app) startPhase(what string, total int) *progressBar {
	return a.startRowPhase(what, total).counting("")
}

// currentBar returns the bar of the command. If there is none, it returns a bar whose methods do
// nothing.
func (a *app) currentBar() *progressBar {
	if a != nil {
		if b := a.progress.Load(); b != nil {
			return b
		}
	}
	return new(progressBar)
}

// startRowPhase starts a phase that counts rows.
func (a *app) startRowPhase(what string, total int) *progressBar {
	b := a.currentBar()
	b.phase(what, total, false)
	return b.counting("rows")
}

func (b *progressBar) counting(unit string) *progressBar {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unit = unit
	return b
}

// phase starts a phase, or updates the total of the current phase. atMost is true if the phase
// usually ends before the total.
func (b *progressBar) phase(what string, total int, atMost bool) {
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

// plan sets the phases of the command, so that the bar can estimate the time until the end.
func (b *progressBar) plan(steps ...step) {
	if b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps = steps
}

// setReader sets the file that is being read. After the file is closed, the reader r is nil. If a
// phase has no total, the bar shows which fraction of the file has been read.
func (b *progressBar) setReader(name string, r *dataset.Reader) {
	if b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.file, b.in = name, r
}

// setDone sets the completed amount of the phase, and the note that the progress bar prints after
// the name of the phase.
func (b *progressBar) setDone(done int, note string) {
	if b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.note = int64(done), note
}

// finished ends the phase.
func (b *progressBar) finished() { b.phase("", -1, false) }

// clear removes the line from the terminal until it is drawn again.
func (b *progressBar) clear() {
	if b == nil || b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.erase()
}

func (b *progressBar) erase() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = false
	}
}

func (b *progressBar) end() {
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

// draw draws the line. It ignores errors.
func (b *progressBar) draw() {
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

// text returns the progress line: the phase, the completed fraction of the phase, and the time.
func (b *progressBar) text() string {
	name, done, total, now := b.name, b.done, b.total, b.now()
	since := b.since
	if f := b.in; f != nil && (name == "" || total < 0 && b.unit != "") {
		if name == "" {
			name = "reading " + b.file
		}
		if read, size := f.Bytes(); size > 0 {
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
			return fmt.Sprintf("%s  %d %s  %s", name, b.done, b.unit, formatDuration(took))
		}
		return fmt.Sprintf("%s  %s", name, formatDuration(took))
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
	later, then := b.estimateLater(float64(took) / share)
	return fmt.Sprintf("%s  %s %s left%s", line, about, formatDuration(time.Duration(float64(took)*(1-share)/share+later)), then)
}

// estimateLater estimates the time of the phases after the current phase. phaseTime is the total time of
// the current phase. If no estimate is possible, nextPhase is a text that names the next phase.
func (b *progressBar) estimateLater(phaseTime float64) (time float64, nextPhase string) {
	at := slices.IndexFunc(b.steps, func(s step) bool { return s.name == b.name })
	if at < 0 && b.name != "" {
		return 0, ""
	}
	cost := 0.0
	for _, s := range b.steps[at+1:] {
		cost += s.cost
	}
	switch {
	case len(b.steps) == at+1:
		return 0, ""
	case at < 0 || cost == 0 || b.steps[at].cost == 0:
		return 0, ", then " + b.steps[at+1].name
	}
	return phaseTime * cost / b.steps[at].cost, ""
}

// formatDuration formats a duration in one unit.
func formatDuration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
