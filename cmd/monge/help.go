package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// These are the headings of flags in a help text. A flag without a heading is a main flag.
const (
	mainFlags       = "Main flags"
	rowChoice       = "Choosing rows"
	dataFlags       = "Reading files"
	methodFlags     = "Method"
	objectiveGroup  = "Objective"
	optimizerFlags  = "Optimizer"
	validationFlags = "Validation while fitting"
	outputFlags     = "Output and machine"
)

var headings = []string{mainFlags, rowChoice, dataFlags, methodFlags, objectiveGroup, optimizerFlags, validationFlags, outputFlags}

const (
	// headingKey is the annotation key for the heading of a flag. The annotation of a main flag
	// also contains the position of the flag.
	headingKey = "monge_heading"
	// details is the annotation key for the part of a command's help text that follows the flags.
	details = "monge_details"
	// helpWidth is the width of a help text in characters.
	helpWidth = 80
)

// groupFlags returns a function that assigns a heading to all flags added since the call of
// groupFlags. Callers defer the function: defer groupFlags(cmd, dataFlags)().
func groupFlags(cmd *cobra.Command, heading string) func() {
	before := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	return func() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !before[f.Name] && f.Annotations[headingKey] == nil {
				setHeading(f, heading)
			}
		})
	}
}

// setMainFlags sets the main flags of a command, in the given order.
func setMainFlags(cmd *cobra.Command, names ...string) {
	for i, name := range names {
		setHeading(cmd.Flags().Lookup(name), mainFlags, strconv.Itoa(i))
	}
}

func setHeading(f *pflag.Flag, heading ...string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[headingKey] = heading
}

// completeValues registers the values of a flag for shell completion.
func completeValues(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag does not exist, or already has values
	}
}

// flagGroup contains the flags under a heading.
type flagGroup struct {
	heading string
	flags   []*pflag.Flag
}

// flagGroups returns the flags of a command by heading.
func flagGroups(cmd *cobra.Command) []flagGroup {
	by := map[string][]*pflag.Flag{}
	add := func(f *pflag.Flag) {
		heading := mainFlags
		if h := f.Annotations[headingKey]; h != nil {
			heading = h[0]
		}
		if !f.Hidden {
			by[heading] = append(by[heading], f)
		}
	}
	cmd.InitDefaultHelpFlag()
	if help := cmd.Flags().Lookup("help"); help != nil {
		help.Usage = "show this text"
		setHeading(help, outputFlags)
	}
	cmd.NonInheritedFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	place := func(f *pflag.Flag) int {
		if h := f.Annotations[headingKey]; len(h) > 1 {
			n, _ := strconv.Atoi(h[1])
			return n
		}
		return len(by[mainFlags]) // a flag without a position comes last
	}
	slices.SortStableFunc(by[mainFlags], func(a, b *pflag.Flag) int { return place(a) - place(b) })
	var out []flagGroup
	for _, heading := range headings {
		if len(by[heading]) > 0 {
			out = append(out, flagGroup{heading, by[heading]})
		}
	}
	return out
}

// flagUsage returns a flag in command-line syntax, and its description with the default.
func flagUsage(f *pflag.Flag) (name, usage string) {
	value, usage := pflag.UnquoteUsage(f)
	usage = strings.TrimPrefix(usage, value+": ") // removes FILE from "`FILE`: file with rows"
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
	default:
		usage += " (default " + strings.Trim(f.DefValue, "[]") + ")"
	}
	return name, usage
}

// printHelp writes the help text of a command: purpose, usage, examples, main flags, other flags in
// groups, and details.
func printHelp(w io.Writer, cmd *cobra.Command) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintln(w, strings.TrimSpace(text))
	if cmd.Runnable() {
		fmt.Fprintf(w, "\nUsage:\n  %s\n", cmd.UseLine())
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	printCommands(w, cmd)
	if cmd.Runnable() {
		for _, g := range flagGroups(cmd) {
			fmt.Fprintf(w, "\n%s:\n", g.heading)
			printFlags(w, g.flags)
		}
	}
	if text := cmd.Annotations[details]; text != "" {
		fmt.Fprintf(w, "\nDetails:\n%s\n", strings.TrimSpace(text))
	}
	if cmd.HasParent() && cmd.Runnable() {
		fmt.Fprintln(w, "\nmonge help terms explains p, K, λ, ρ, J, whitening and other terms.")
	}
}

// printCommands lists the subcommands of cmd in groups.
func printCommands(w io.Writer, cmd *cobra.Command) {
	for _, g := range cmd.Groups() {
		fmt.Fprintf(w, "\n%s:\n", g.Title)
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				fmt.Fprintf(w, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
}

// printFlags lists flags in two columns.
func printFlags(w io.Writer, flags []*pflag.Flag) {
	widest := 0
	for _, f := range flags {
		name, _ := flagUsage(f)
		widest = max(widest, utf8.RuneCountInString(name))
	}
	for _, f := range flags {
		name, usage := flagUsage(f)
		name += strings.Repeat(" ", widest-utf8.RuneCountInString(name))
		for _, line := range wrapLines(usage, helpWidth-widest-4) {
			fmt.Fprintf(w, "  %s  %s\n", name, line)
			name = strings.Repeat(" ", widest)
		}
	}
}

// wrapLines breaks text into lines of at most width characters. Longer words have their own lines.
func wrapLines(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
