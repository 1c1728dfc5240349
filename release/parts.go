package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// extras writes man pages and completions into folders man and completions of dir.
func extras(dir string) error {
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

// installed are the modules with commands that users install, and that a go.mod of this repository
// replaces by its neighbors.
var installed = []string{"beam", "examples/service"}

// modules lets go.mod of the modules in root require a published version of the root module in the
// place of the folder: go install refuses a module with a replacement.
func modules(version, root string) error {
	for _, dir := range installed {
		const name = "github.com/gomonge/monge"
		cmd := exec.Command("go", "mod", "edit", "-dropreplace="+name, "-require="+name+"@"+version)
		cmd.Dir = filepath.Join(root, dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", dir, err, out)
		}
	}
	return nil
}
