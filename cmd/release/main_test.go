package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

// checkBill checks that a bill of materials lists at least the given number of modules, and that
// docs/LICENSES.md lists all of them. TestLicenses checks that docs/LICENSES.md is complete.
func checkBill(t *testing.T, binary string, least int, unlisted ...string) {
	t.Helper()
	text, err := billOfMaterials(binary, "v0.0.1-test")
	if err != nil {
		t.Fatal(err)
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
	list, err := os.ReadFile("../../docs/LICENSES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range bill.Components[1:] {
		if strings.HasPrefix(c.Name, rootPath) && c.Version == "v0.0.1-test" || slices.Contains(unlisted, c.Name) {
			continue
		}
		if !strings.Contains(string(list), fmt.Sprintf("| %s | %s |", c.Name, c.Version)) {
			t.Errorf("%s %s is not in docs/LICENSES.md", c.Name, c.Version)
		}
	}
}

// TestBill checks the bill of materials of the test's own executable.
func TestBill(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	checkBill(t, own, 1, "golang.org/x/mod")
}

// TestGoReleaser checks that the workflow and the configuration of GoReleaser name existing files
// and agree with each other. The long form of the test also builds the command with the configured
// flags. The command must print its version and have a bill of materials. The configuration must list
// all man pages and completions.
func TestGoReleaser(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	config, workflow := read("../../.goreleaser.yaml"), read("../../.github/workflows/release.yml")
	for _, m := range regexp.MustCompile(`src: ([^\s*]+)\n`).FindAllStringSubmatch(config, -1) {
		read(filepath.Join("../..", m[1]))
	}
	only := func(text, pattern string) string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
		if len(m) != 1 {
			t.Fatalf("%q occurs %d times", pattern, len(m))
		}
		return m[0][1]
	}
	// The output folder must not be the default, dist, because GoReleaser deletes the folder with
	// --clean, and dist is a package of this module.
	output := only(config, `(?m)^dist: (build/\w+)`)
	sums := only(config, `(?m)^checksum:\n  name_template: (\w+)$`)
	for _, name := range []string{output + "/*.tar.gz", output + "/*.zip", output + "/*.cdx.json", output + "/" + sums, output + "/homebrew/Casks/monge.rb", " cmd/release/Dockerfile "} {
		if !strings.Contains(workflow, name) {
			t.Errorf("the workflow does not copy %q", name)
		}
	}
	for _, arch := range []string{"linux_amd64", "linux_arm64"} {
		only(config, `targets: .*\b(`+arch+`)\b`) // the container image contains the binary for each architecture
	}
	version := only(config, `ldflags: \["(.*)"\]`)
	if !testdata.IsLong() {
		return // the remaining checks build the command
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to build with")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "monge.exe") // the extension .exe works on every system
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", strings.ReplaceAll(version, "{{ .Tag }}", "v0.0.1-test"), "-o", binary, "../monge")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(binary, "--version").Output(); err != nil || !strings.Contains(string(out), "v0.0.1-test") {
		t.Errorf("--version prints %q (%v)", out, err)
	}
	checkBill(t, binary, 20)
	if err := writeExtras(dir); err != nil {
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
	for _, args := range [][]string{nil, {"v1.2.3", "dist"}, {"extras"}, {"modules"}, {"modules", "v1.2.3"}, {"modules", "latest", "proxy"}, {"bill", "v1.2.3", "x"}} {
		if err := run(args); err != errUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}
