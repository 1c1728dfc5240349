package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/spf13/cobra"
)

// newMan is hidden: packagers use it.
func newMan(*app) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the help texts as man pages",
		Long:    "Man writes the help texts as man pages to a folder: monge.1, and a page for each command and topic.",
		Example: "  monge man .",
		Hidden:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("man needs the name of a folder to write to")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, c := range append(cmd.Root().Commands(), cmd.Root()) {
				if c.Hidden {
					continue
				}
				name := strings.ReplaceAll(c.CommandPath(), " ", "-")
				if err := outfile.WriteFile(filepath.Join(args[0], name+".1"), func(w io.Writer) error { return printMan(w, name, c) }); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// printMan writes the help text of a command as a man page.
func printMan(w io.Writer, name string, cmd *cobra.Command) error {
	var text, page bytes.Buffer
	printHelp(&text, cmd)
	fmt.Fprintf(&page, ".TH %s 1\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n", strings.ToUpper(name), name, roff(cmd.Short))
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if heading, ok := strings.CutSuffix(line, ":"); ok && line != "" && line[0] != ' ' && isHeading(heading, cmd) {
			fmt.Fprintf(&page, ".SH %s\n.nf\n", strings.ToUpper(roff(heading)))
			continue
		}
		fmt.Fprintln(&page, roff(line))
	}
	_, err := w.Write(page.Bytes())
	return err
}

// isHeading reports whether printHelp writes this as a heading.
func isHeading(text string, cmd *cobra.Command) bool {
	for _, g := range cmd.Groups() {
		if text == g.Title {
			return true
		}
	}
	for _, h := range append([]string{"Usage", "Examples", "Details"}, headings...) {
		if text == h {
			return true
		}
	}
	return false
}

// roff escapes what has a meaning in a man page.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
