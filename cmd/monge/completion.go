package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func newCompletion(a *app) *cobra.Command {
	shells := map[string]func(root *cobra.Command) error{
		"bash":       func(root *cobra.Command) error { return root.GenBashCompletionV2(a.stdout, true) },
		"zsh":        func(root *cobra.Command) error { return root.GenZshCompletion(a.stdout) },
		"fish":       func(root *cobra.Command) error { return root.GenFishCompletion(a.stdout, true) },
		"powershell": func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(a.stdout) },
	}
	names := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Print a script that completes commands and flags in a shell",
		Long: `Completion prints a script for a shell. When it is loaded, the Tab key completes the
commands of monge, their flags, and the values of flags. Man pages are written by
monge man FOLDER.`,
		Example: `  monge completion bash > /etc/bash_completion.d/monge
  monge completion zsh > "${fpath[1]}/_monge"
  monge completion fish > ~/.config/fish/completions/monge.fish`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return usagef("completion needs the name of a shell: %s", strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return shells[args[0]](cmd.Root()) },
	}
}
