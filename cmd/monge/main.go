// Command monge fits, applies, evaluates and draws Wasserstein Discriminant
// Analysis, and solves optimal transport problems, on files.
//
//	go run github.com/gomonge/monge/cmd/monge demo
//
// monge help lists the commands; every one has a help text with examples.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// grace is how long a command may take to end by itself after a signal. Most take a
// few milliseconds; what cannot be cancelled, such as reading from a pipe, is left.
const grace = 20 * time.Millisecond

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := newApp(os.Stdout, os.Stderr)
	ended := make(chan int, 1)
	go func() { ended <- a.run(ctx, os.Args[1:]) }()
	select {
	case code := <-ended:
		os.Exit(code)
	case <-signals: // those that follow change nothing
	}
	cancel()
	select {
	case code := <-ended:
		os.Exit(code)
	case <-time.After(grace):
		outfile.AbortAll()
		os.Exit(a.interrupt())
	}
}

// app is what the commands share.
type app struct {
	json           bool
	stdout, stderr io.Writer
	interrupted    atomic.Pointer[string] // what to say when it is
	said           sync.Once
}

func newApp(stdout, stderr io.Writer) *app {
	a := &app{stdout: stdout, stderr: stderr}
	a.onInterrupt("interrupted; nothing was written")
	return a
}

// onInterrupt says what an interrupt leaves.
func (a *app) onInterrupt(text string) { a.interrupted.Store(&text) }

// interrupt says it, once, and returns the exit code.
func (a *app) interrupt() int {
	a.said.Do(func() { a.complain(*a.interrupted.Load()) })
	return exitInterrupted
}

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	if args == nil {
		args = []string{} // cobra takes nil for os.Args
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return a.interrupt()
	}
	a.complain(err.Error())
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	return exitFailure
}

// complain prints one line on stderr.
func (a *app) complain(text string) {
	text = strings.Join(strings.Fields(text), " ")
	fmt.Fprintln(a.stderr, "monge: "+text)
}

// usageError is an error of the command line itself, not of the data.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

const rootLong = `monge: Wasserstein Discriminant Analysis and optimal transport on files.

Data files are CSV (.csv, .tsv), NPY, NPZ or IDX, each also with .gz, Parquet or Arrow
IPC; rows are samples. Labels are the last column of a CSV file, the array y of an NPZ file, or
the file with labels beside an IDX file, unless flags say otherwise. The rows of an
NPZ file with an array "split" are training data where it is 0 and test data where
it is 1.

Every command takes --json and then prints one JSON object on standard output and
no progress bar. An error is one line on standard error beginning with "monge: ".
Files are written whole or not at all.

Exit codes: 0 success; 1 an error of data, files or computation; 2 a wrong command
line; 130 interrupted by Ctrl-C or SIGTERM, within a fifth of a second (nothing is
written then, not even a model of the best projection so far).

Environment: MONGE_LEVEL=ref|avx2|avx512|neon caps the instruction set in use. The
answers are the same bits with any.`

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "monge",
		Short:         "Wasserstein Discriminant Analysis and optimal transport on files",
		Long:          rootLong,
		Version:       version().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "experiment" {
				return usagef("the experiments are a program of their own: cd experiments && go run ./cmd/experiment")
			}
			if len(args) > 0 {
				return usagef("unknown command %q; monge help lists the commands", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := asm.CapError(); err != nil {
				return usagef("%v", err)
			}
			return nil
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root {
			return usagef("%v; see monge help", err)
		}
		return usagef("%v; see monge help %s", err, cmd.Name())
	})
	root.SetHelpCommand(newHelp(root))
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object on standard output, and no progress bar")
	cobra.EnableCommandSorting = false
	for _, add := range []func(*app) *cobra.Command{
		newDemo, newFit, newCV, newTransform, newPredict, newEval, newPlotCommand, newScore, newVerify, newSinkhorn, newInfo,
	} {
		cmd := add(a)
		if cmd.Args == nil {
			cmd.Args = noArguments
		}
		cmd.DisableFlagsInUseLine = true
		cmd.Flags().SortFlags = false
		root.AddCommand(cmd)
	}
	return root
}

// newHelp is like cobra's own, which takes an unknown command for success.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || cmd == root && len(args) > 0 || len(rest) > 0 {
				return usagef("no help on %q; monge help lists the commands", strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; see monge help %s", args[0], cmd.Name())
	}
	return nil
}
