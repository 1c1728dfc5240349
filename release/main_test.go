package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

// TestRelease: the sums of a release are right. In the long form it has an executable for
// this machine, which runs and knows its version, and a bill of materials. The short form
// looks at the bill of the test's own executable.
func TestRelease(t *testing.T) {
	var targets []string
	if testdata.IsLong() {
		if _, err := exec.LookPath("go"); err != nil {
			t.Skip("no go command to build with")
		}
		targets = []string{runtime.GOOS + "/" + runtime.GOARCH}
	}
	t.Chdir("..")
	dir := filepath.Join(t.TempDir(), "dist")
	if err := release("v0.0.1-test", dir, targets); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	files, binary := 0, ""
	for line := range strings.Lines(string(sums)) {
		files++
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(b)) {
			t.Errorf("%s: the sum is of another file (%v)", name, err)
		}
		if strings.HasPrefix(name, "monge_") && !strings.HasSuffix(name, ".json") {
			binary = filepath.Join(dir, name)
		}
	}
	if files != 2+2*len(targets) { // the license, the list of licenses, and two for each target
		t.Errorf("SHA256SUMS lists %d files for %d targets", files, len(targets))
	}
	if err := release("v0.0.1-test", dir, nil); err == nil {
		t.Error("a folder that exists was filled again")
	}

	least := 1
	var text []byte
	if binary == "" {
		own, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if text, err = billOf(own, "v0.0.1-test"); err != nil {
			t.Fatal(err)
		}
	} else {
		least = 20
		if out, err := exec.Command(binary, "--version").Output(); err != nil || !strings.Contains(string(out), "v0.0.1-test") {
			t.Errorf("--version prints %q (%v)", out, err)
		}
		if text, err = os.ReadFile(binary + ".cdx.json"); err != nil {
			t.Fatal(err)
		}
	}
	var bill struct {
		BOMFormat  string
		Components []component
	}
	if err := json.Unmarshal(text, &bill); err != nil || bill.BOMFormat != "CycloneDX" {
		t.Fatalf("%v: %.200s", err, text)
	}
	if len(bill.Components) < least || bill.Components[0].Name != "std" {
		t.Fatalf("%d components: %.200s", len(bill.Components), text)
	}
	// What is linked is listed: TestLicenses proves that docs/LICENSES.md is complete.
	list, err := os.ReadFile("docs/LICENSES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range bill.Components[1:] {
		if !strings.Contains(string(list), fmt.Sprintf("| %s | %s |", c.Name, c.Version)) {
			t.Errorf("%s %s is not in docs/LICENSES.md", c.Name, c.Version)
		}
	}
}

// After modules, the modules that users install have no replacement and require the version.
func TestModules(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to edit with")
	}
	root := t.TempDir()
	for _, dir := range installed {
		text, err := os.ReadFile(filepath.Join("..", dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "replace ") {
			t.Errorf("%s has no replacement: it needs no step of its own", dir)
		}
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "go.mod"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := modules("v1.2.3", root); err != nil {
		t.Fatal(err)
	}
	for _, dir := range installed {
		text, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
		if err != nil || strings.Contains(string(text), "replace ") || !strings.Contains(string(text), "github.com/gomonge/monge v1.2.3\n") {
			t.Errorf("%s (%v):\n%s", dir, err, text)
		}
	}
}

// The configuration of GoReleaser names every man page and completion, and the platforms of this
// command.
func TestGoReleaser(t *testing.T) {
	text, err := os.ReadFile("../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := string(text)
	// The default, dist, is a folder of ours, and --clean deletes it.
	if !strings.Contains(config, "\ndist: build/") {
		t.Error("the folder of its output is not below build")
	}
	for _, target := range targets {
		if !strings.Contains(config, strings.ReplaceAll(target, "/", "_")) {
			t.Errorf("no %s", target)
		}
	}
	if !testdata.IsLong() {
		return // the rest builds the command
	}
	t.Chdir("..")
	dir := t.TempDir()
	if err := extras(dir); err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, part := range []string{"man", "completions"} {
		list, err := os.ReadDir(filepath.Join(dir, part))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if files++; !strings.Contains(config, part+"/"+f.Name()+"\n") {
				t.Errorf("%s/%s is not in the configuration", part, f.Name())
			}
		}
	}
	if named := strings.Count(config, "- man/") + 3; files != named {
		t.Errorf("%d files, and the configuration names %d", files, named)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"1.2.3", "dist"}, {"modules"}, {"modules", "latest"}, {"bill", "v1.2.3", "x"}} {
		if err := run(args); err != errUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}
