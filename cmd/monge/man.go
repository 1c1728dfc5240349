package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// newMan returns a hidden command that writes man pages.
func newMan(*app) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the help texts as man pages",
		Long:    "Man writes the help texts as man pages to a folder: monge.1, and a page for each command and topic.\nTheir date is SOURCE_DATE_EPOCH, or today.",
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
				toMarkdown(c)
				header := &doc.GenManHeader{Section: "1", Source: "monge", Manual: "monge manual"}
				path := filepath.Join(args[0], strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
				if err := outfile.WriteFile(path, func(w io.Writer) error { return doc.GenMan(c, header, w) }); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// toMarkdown prepares the help text of a command for package cobra/doc. It keeps line breaks and
// columns.
func toMarkdown(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true // the tag contains a date
	text := cmd.Long
	if more := cmd.Annotations[details]; more != "" {
		text += "\n\n" + more
	}
	cmd.Long = "```\n" + strings.TrimSpace(text) + "\n```"
	special := regexp.MustCompile("[\\\\`*_\\[\\]<>#|~]")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		if value != "" && !strings.HasPrefix(usage, value+": ") {
			usage = value + ": " + usage
		}
		f.Usage = special.ReplaceAllString(usage, `\$0`)
	})
}
