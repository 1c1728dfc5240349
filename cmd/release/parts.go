package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// writeExtras writes man pages into dir/man and completions into dir/completions.
func writeExtras(dir string) error {
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, folder := range []string{man, completions} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	monge := filepath.Join(dir, "monge")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", monge, "github.com/gomonge/monge/cmd/monge").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	defer os.Remove(monge)
	if monge, _ = filepath.Abs(monge); monge == "" {
		return fmt.Errorf("%s: no absolute path", dir)
	}
	if out, err := exec.Command(monge, "man", man).CombinedOutput(); err != nil {
		return fmt.Errorf("man pages: %w: %s", err, out)
	}
	for shell, name := range map[string]string{"bash": "monge.bash", "zsh": "_monge", "fish": "monge.fish"} {
		text, err := exec.Command(monge, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion of %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(completions, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
