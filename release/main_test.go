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

// A release for this machine runs, knows its version, and its bill and sums are right.
func TestRelease(t *testing.T) {
	testdata.Long(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to build with")
	}
	t.Chdir("..")
	dir := filepath.Join(t.TempDir(), "dist")
	if err := release("v0.0.1-test", dir, []string{runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var binary string
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(b)) {
			t.Errorf("%s: another sum (%v)", name, err)
		}
		if strings.HasPrefix(name, "monge_") && !strings.HasSuffix(name, ".json") {
			binary = filepath.Join(dir, name)
		}
	}
	if out, err := exec.Command(binary, "--version").Output(); err != nil || !strings.Contains(string(out), "v0.0.1-test") {
		t.Errorf("--version prints %q (%v)", out, err)
	}
	var bill struct {
		BOMFormat  string
		Components []component
	}
	text, err := os.ReadFile(binary + ".cdx.json")
	if err == nil {
		err = json.Unmarshal(text, &bill)
	}
	if err != nil || bill.BOMFormat != "CycloneDX" {
		t.Fatalf("%v: %.200s", err, text)
	}
	// What is linked is listed: docs/LICENSES.md is proved to be all of it.
	list, err := os.ReadFile("docs/LICENSES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range bill.Components[1:] {
		if !strings.Contains(string(list), fmt.Sprintf("| %s | %s |", c.Name, c.Version)) {
			t.Errorf("%s %s is not in docs/LICENSES.md", c.Name, c.Version)
		}
	}
	if len(bill.Components) < 20 {
		t.Errorf("%d components", len(bill.Components))
	}
	if err := release("v0.0.1-test", dir, nil); err == nil {
		t.Error("an old folder was filled again")
	}
}
