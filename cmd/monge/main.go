// Command monge fits, applies, evaluates and draws Wasserstein Discriminant Analysis, and solves
// optimal transport problems. It reads its data from files.
//
//	go run github.com/gomonge/monge/cmd/monge demo
//
// The command "monge help" lists all commands. Every command has a help text with examples.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitUnfinished  = 3   // a result was printed, but it is less exact than required
	exitInterrupted = 130 // 128 + SIGINT, the convention of shells
)

// interruptDelay is how long the program waits for a command to end after a signal. Most commands
// end within a few milliseconds. After the delay, the program exits even during operations that
// cannot be canceled, such as reading from a pipe.
const interruptDelay = 20 * time.Millisecond

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
	case <-signals: // later signals are ignored
	}
	cancel()
	select {
	case code := <-ended:
		os.Exit(code)
	case <-time.After(interruptDelay):
		outfile.AbortAll()
		os.Exit(a.reportInterrupt())
	}
}

// app is the state that the commands share.
type app struct {
	json, quiet bool
	stdout      *output
	stderr      io.Writer
	interrupted atomic.Pointer[string] // text to print if the program is interrupted
	said        sync.Once
	progress    atomic.Pointer[progressBar] // the bar of the running command, or nil
}

// output is standard output. It stores the first error, because some writers, such as printHelp,
// cannot return an error.
type output struct {
	io.Writer
	err     error
	written bool
	before  func() // called before every write, to remove the progress bar
}

func (o *output) Write(p []byte) (int, error) {
	if o.before != nil {
		o.before()
	}
	o.written = true
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("cannot write to standard output: %w", withoutPath(err))
	}
	return n, err
}

func newApp(stdout, stderr io.Writer) *app {
	a := &app{stdout: &output{Writer: stdout}, stderr: stderr}
	a.stdout.before = func() { a.progress.Load().clear() }
	a.setInterruptText("interrupted; nothing was written")
	return a
}

// setInterruptText sets the message for an interrupt.
func (a *app) setInterruptText(text string) { a.interrupted.Store(&text) }

// reportInterrupt prints the message once and returns the exit code.
func (a *app) reportInterrupt() int {
	a.said.Do(func() {
		a.progress.Load().end()
		a.printError(*a.interrupted.Load())
	})
	return exitInterrupted
}

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	if args == nil {
		args = []string{} // cobra replaces nil by os.Args
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	a.progress.Load().end()
	if a.stdout.err != nil {
		err = a.stdout.err
	}
	if f, ok := a.stdout.Writer.(*os.File); ok && a.stdout.written && wasClosed(f) {
		a.warnText("standard output is closed, so the result is lost")
	}
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return a.reportInterrupt()
	}
	a.printError(err.Error())
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if errors.Is(err, errUnfinished) {
		return exitUnfinished
	}
	return exitFailure
}

func (a *app) warnText(text string) {
	if !a.quiet {
		a.printMessage("warning: ", text)
	}
}

// note prints on stderr a decision of the program that the user may not expect.
func (a *app) note(text string) {
	if !a.quiet {
		a.printMessage("note: ", text)
	}
}

func (a *app) printError(text string) { a.printMessage("", text) }

// printMessage prints one line on stderr. kind is a prefix such as "warning: ", or "".
func (a *app) printMessage(kind, text string) {
	a.progress.Load().clear()
	text = strings.Join(strings.Fields(text), " ")
	if rest, ok := strings.CutPrefix(text, stdinArgument+":"); ok { // call the file "-" standard input
		text = standardInput + ":" + rest
	}
	fmt.Fprintln(a.stderr, "monge: "+kind+printable(text))
}

// An error wraps errUnfinished if the printed result of the computation is less exact than required.
var errUnfinished = errors.New("the result is not exact")

// usageError is an error of the command line itself, not of the data.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

const rootLong = `Monge makes data easier to classify and to plot. It learns a
projection from labeled rows to a few dimensions that keep the classes apart
(Wasserstein discriminant analysis, WDA). It applies, evaluates and plots such
projections, and it solves optimal transport problems.`

const rootExample = `  monge demo                                      # needs no data
  monge fit --data wine.csv --k 5 --model wine.wda
  monge predict --model wine.wda --data new.csv`

// commandGroups lists the commands by heading, in the order of "monge help".
var commandGroups = []struct {
	heading  string
	commands []func(*app) *cobra.Command
}{
	{"Learn", []func(*app) *cobra.Command{newFit, newCV}},
	{"Use a model", []func(*app) *cobra.Command{newTransform, newPredict, newPlotCommand}},
	{"Check a model", []func(*app) *cobra.Command{newEval, newScore, newVerify}},
	{"Optimal transport", []func(*app) *cobra.Command{newEMD, newSinkhorn}},
	{"More", []func(*app) *cobra.Command{newDemo, newInfo, newVersion, newCompletion, newMan}},
}

// commandAliases maps our commands to the names that other programs use.
var commandAliases = map[string][]string{
	"fit":       {"train", "learn"},
	"cv":        {"tune", "cross-validate", "crossvalidate"},
	"transform": {"project", "embed"},
	"predict":   {"classify"},
	"plot":      {"draw", "show"},
	"eval":      {"evaluate", "test"},
	"info":      {"describe", "inspect"},
	"sinkhorn":  {"transport", "ot"},
	"emd":       {"exact", "wasserstein"},
}

// topicGroup is the heading of the help topics.
const topicGroup = "Topics (monge help TOPIC)"

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "monge COMMAND [flags]",
		Short:         "Wasserstein discriminant analysis and optimal transport on files",
		Long:          rootLong,
		Example:       rootExample,
		Version:       currentVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "experiment" {
				return usagef("the experiments are a program of their own: cd experiments && go run ./cmd/experiment")
			}
			if len(args) > 0 && args[0] == "serve" {
				return usagef("there is no command serve: folder examples/service of the repository has a service to copy, for HTTP and gRPC")
			}
			if len(args) > 0 {
				return usagef("unknown command %q%s; monge help lists the commands", args[0], suggestion("", cmd.SuggestionsFor(args[0])))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := asm.CapError(); err != nil {
				return usagef("%v", err)
			}
			reads, err := checkStdin(cmd, args)
			if err != nil {
				return err
			}
			a.startProgress(reads)
			return nil
		},
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
		DisableFlagsInUseLine:      true,
		SuggestionsMinimumDistance: 2,
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(a.stdout, cmd) })
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object on standard output, and no progress bar")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "print results and errors only: no progress bar, no warnings")
	setHeading(root.PersistentFlags().Lookup("json"), outputFlags)
	setHeading(root.PersistentFlags().Lookup("quiet"), outputFlags)
	root.Flags().BoolP("version", "v", false, "print the version")
	cobra.EnableCommandSorting = false
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.heading, Title: g.heading})
		for _, add := range g.commands {
			cmd := add(a)
			if cmd.Args == nil {
				cmd.Args = noArguments
			}
			cmd.DisableFlagsInUseLine = true
			cmd.Flags().SortFlags = false
			cmd.GroupID = g.heading
			cmd.SuggestFor = commandAliases[cmd.Name()]
			root.AddCommand(cmd)
		}
	}
	last := commandGroups[len(commandGroups)-1].heading
	root.SetHelpCommand(newHelp(root))
	root.SetHelpCommandGroupID(last)
	root.AddGroup(&cobra.Group{ID: topicGroup, Title: topicGroup})
	for _, t := range topics() {
		t.GroupID = topicGroup
		root.AddCommand(t)
	}
	return root
}

// flagError explains an error of flag parsing and suggests a fix.
func flagError(cmd *cobra.Command, err error) error {
	help := "monge help"
	if cmd.HasParent() {
		help += " " + cmd.Name()
	} else if before := cmd.Flags().Args(); len(before) > 0 { // fitt --data wine.csv
		return cmd.Args(cmd, before)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := e.GetFlag()
		what := map[string]string{
			"float64": "a number", "int": "a whole number", "uint64": "a whole number that is not negative", "bool": "true or false",
			"intSlice": "whole numbers separated by commas", "float64Slice": "numbers separated by commas", "duration": "a duration such as 5m or 30s",
		}[f.Value.Type()]
		return usagef("--%s must be %s, not %q; see %s", f.Name, cmp.Or(what, f.Value.Type()), e.GetValue(), help)
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && e.GetSpecifiedShortnames() != "" {
		if f := cmd.Flags().Lookup(e.GetSpecifiedName()); f != nil { // -k for --k
			return usagef("unknown flag: -%s%s; see %s", f.Name, suggestion("--", []string{f.Name}), help)
		}
	} else if ok {
		var near []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name := e.GetSpecifiedName()
			begins := len(name) > 2 && strings.HasPrefix(f.Name, name) || len(f.Name) > 2 && strings.HasPrefix(name, f.Name)
			if editDistance(name, f.Name) <= 2 && len(name) > 2 || begins {
				near = append(near, f.Name)
			}
		})
		if f := cmd.Flags().Lookup(flagAliases[e.GetSpecifiedName()]); f != nil && !slices.Contains(near, f.Name) {
			near = append(near, f.Name)
		}
		meant := suggestion("--", near)
		if slices.Equal(near, []string{"lambda"}) && slices.Contains([]string{"reg", "eps", "epsilon"}, e.GetSpecifiedName()) {
			meant = " (its inverse is --lambda)"
		}
		return usagef("unknown flag: --%s%s; see %s", e.GetSpecifiedName(), meant, help)
	}
	return usagef("%v; see %s", err, help)
}

// flagAliases maps flag names of other programs to our flag names.
var flagAliases = map[string]string{
	"reg": "lambda", "eps": "lambda", "epsilon": "lambda",
	"n-components": "components", "n_components": "components", "p": "components", "dims": "components", "dimensions": "components",
	"test-size": "holdout", "test_size": "holdout", "split": "holdout",
	"shares": "proba", "probabilities": "proba", "predict-proba": "proba",
	"labels": "train-labels", "neighbors": "k", "n-neighbors": "k", "target": "label-column", "out": "model", "output": "model", "input": "data", "file": "data",
	"threads": "workers", "jobs": "workers", "n-jobs": "workers", "random-state": "seed", "max-iter": "max-steps",
	"separator": "delimiter", "sep": "delimiter", "categorical": "one-hot", "impute": "missing", "scale-features": "standardize",
}

// suggestion returns a question such as "did you mean --seed?" with all names, or "" if there are
// no names. The prefix precedes each name.
func suggestion(prefix string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (did you mean " + prefix + strings.Join(names, " or "+prefix) + "?)"
}

// editDistance returns the smallest number of bytes to insert, delete or replace to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// newHelp returns the help command. Unlike the help command of cobra, it fails for an unknown
// command.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "Explain a command or a topic",

		DisableFlagsInUseLine: true,
		Long:                  "Help explains a command or a topic. Without one it lists all of them.",
		Example: `  monge help
  monge help fit
  monge help terms`,
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range root.Commands() {
				names = append(names, c.Name()+"\t"+c.Short)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || cmd == root && len(args) > 0 || len(rest) > 0 {
				return usagef("there is no command or topic %q%s; monge help lists them", strings.Join(args, " "), suggestion("", root.SuggestionsFor(args[0])))
			}
			return cmd.Help()
		},
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		hint := ""
		names := []string{"data", "x"}
		if strings.HasSuffix(args[0], ".wda") {
			names = []string{"model", "data"}
		}
		for _, name := range names {
			if cmd.Flags().Lookup(name) != nil {
				hint = ": files are named by flags, such as --" + name + " " + args[0]
				break
			}
		}
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" && f.Value.Type() != "bool" && f.Value.String() == f.NoOptDefVal {
				hint = ": write --" + f.Name + "=" + args[0]
			}
		})
		return usagef("unexpected argument %q%s; see monge help %s", args[0], hint, cmd.Name())
	}
	return nil
}
