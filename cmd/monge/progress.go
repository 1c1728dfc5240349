package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar is a progress bar on standard error if that is a terminal and nobody asked
// for JSON, and nothing otherwise.
type bar struct{ b *progressbar.ProgressBar }

func (a *app) bar(what string, total int) *bar { return a.newBar(what, total) }

// rowBar counts rows, and those per second; a total of −1 is unknown.
func (a *app) rowBar(what string, total int) *bar {
	return a.newBar(what, total, progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"))
}

func (a *app) newBar(what string, total int, more ...progressbar.Option) *bar {
	f, ok := a.stderr.(*os.File)
	if a.json || !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(50 * time.Millisecond),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(),
	}, more...)...)}
}

// total says how much there is to do.
func (b *bar) total(n int) {
	if b.b != nil && b.b.GetMax() != n {
		b.b.ChangeMax(n)
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
		_ = b.b.Clear()
	}
}
