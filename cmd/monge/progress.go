package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar is a progress bar on standard error if that is a terminal and nobody asked
// for JSON or quiet, and nothing otherwise.
type bar struct{ b *progressbar.ProgressBar }

func (a *app) bar(what string, total int) *bar {
	return a.newBar(what, total, progressbar.OptionSetPredictTime(total > 0), progressbar.OptionSetElapsedTime(true))
}

// rowBar counts rows, and those per second; a total of −1 is unknown.
func (a *app) rowBar(what string, total int) *bar {
	return a.newBar(what, total, progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"))
}

func (a *app) newBar(what string, total int, more ...progressbar.Option) *bar {
	f, ok := a.stderr.(*os.File)
	if a.json || a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	b := progressbar.NewOptions(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(50 * time.Millisecond),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetSpinnerChangeInterval(200 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
	}, more...)...)
	_ = b.RenderBlank() // so that what takes long before the first step is seen to work
	a.shown.Store(&bar{b})
	return a.shown.Load()
}

// phase begins a part of the work with so much to do.
func (b *bar) phase(what string, total int) {
	if b.b != nil && b.b.GetMax() != total {
		b.b.Describe(what)
		b.b.ChangeMax(total)
	}
}

// set moves the bar. A bar that cannot be drawn is no reason to stop the work.
func (b *bar) set(done int, what string) {
	if b.b == nil {
		return
	}
	if what != "" {
		b.b.Describe(what)
	}
	_ = b.b.Set(done)
}

// done removes the bar.
func (b *bar) done() {
	if b.b != nil {
		_ = b.b.Finish() // a spinner turns until then
		_ = b.b.Clear()
	}
}
