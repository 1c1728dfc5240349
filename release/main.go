// Command release builds the files of a release: the command for every operating system, with
// its version, the licenses, bills of materials in the format of CycloneDX, and checksums.
//
//	go run ./release v1.2.3 dist
//
// It also makes the parts of a release that GoReleaser asks for, and prepares the modules beside
// the root for a tag:
//
//	go run ./release extras FOLDER            # man pages and completions
//	go run ./release bill v1.2.3 BINARY FILE  # a bill of materials
//	go run ./release modules v1.2.3           # go.mod of beam and examples/service
//
// The bills are made from the information that the toolchain writes into the executables, so
// that they list every module. The same commit and Go release give the same bytes.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var targets = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64", "windows/amd64"}

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

var errUsage = errors.New("usage: go run ./release v1.2.3 FOLDER, or extras FOLDER, or bill v1.2.3 BINARY FILE, or modules v1.2.3")

func run(args []string) error {
	isVersion := regexp.MustCompile(`^v\d+\.\d+\.\d+(-[\w.]+)?$`).MatchString
	switch {
	case len(args) == 2 && args[0] == "extras":
		return extras(args[1])
	case len(args) == 2 && args[0] == "modules" && isVersion(args[1]):
		return modules(args[1], ".")
	case len(args) == 4 && args[0] == "bill" && isVersion(args[1]):
		bill, err := billOf(args[2], args[1])
		if err != nil {
			return err
		}
		return os.WriteFile(args[3], bill, 0o666)
	case len(args) == 2 && isVersion(args[0]):
		return release(args[0], args[1], targets)
	}
	return errUsage
}

// release makes the folder dir, which must not exist, and writes the files into it.
func release(version, dir string, targets []string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	var names []string
	for _, target := range targets {
		system, arch, _ := strings.Cut(target, "/")
		name := fmt.Sprintf("monge_%s_%s_%s", version, system, arch)
		if system == "windows" {
			name += ".exe"
		}
		path := filepath.Join(dir, name)
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.release="+version, "-o", path, "github.com/gomonge/monge/cmd/monge")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		bill, err := billOf(path, version)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if err := os.WriteFile(path+".cdx.json", bill, 0o666); err != nil {
			return err
		}
		names = append(names, name, name+".cdx.json")
	}
	for from, to := range map[string]string{"LICENSE": "LICENSE", "docs/LICENSES.md": "LICENSES.md"} {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o666); err != nil {
			return err
		}
		names = append(names, to)
	}
	slices.Sort(names)
	var sums strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), name)
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// billOf returns the bill of materials of an executable, in CycloneDX 1.5.
func billOf(path, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	of := func(kind, name, version string) component {
		return component{kind, name, version, "pkg:golang/" + name + "@" + version}
	}
	parts := []component{of("library", "std", info.GoVersion)}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, of("library", m.Path, m.Version))
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": of("application", info.Main.Path, version)},
		"components": parts,
	}, "", "  ")
}
