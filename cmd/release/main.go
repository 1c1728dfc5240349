// Command release makes the parts of a release that GoReleaser asks for, and prepares the published
// modules for their tags:
//
//	go run ./cmd/release extras FOLDER            # man pages and completions
//	go run ./cmd/release bill v1.2.3 BINARY FILE  # a bill of materials, in the format of CycloneDX
//	go run ./cmd/release modules v1.2.3 PROXY     # go.mod and go.sum files, and a module proxy
//
// A bill of materials lists every module in an executable. It uses the information that the
// toolchain stores in the executable.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"log"
	"os"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

var errUsage = errors.New("usage: go run ./cmd/release extras FOLDER, or bill v1.2.3 BINARY FILE, or modules v1.2.3 PROXY")

func run(args []string) error {
	isVersion := regexp.MustCompile(`^v\d+\.\d+\.\d+(-[\w.]+)?$`).MatchString
	switch {
	case len(args) == 2 && args[0] == "extras":
		return writeExtras(args[1])
	case len(args) == 3 && args[0] == "modules" && isVersion(args[1]):
		return publish(args[1], ".", args[2])
	case len(args) == 4 && args[0] == "bill" && isVersion(args[1]):
		bill, err := billOfMaterials(args[2], args[1])
		if err != nil {
			return err
		}
		return os.WriteFile(args[3], bill, 0o666)
	}
	return errUsage
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// billOfMaterials returns the bill of materials of an executable, in CycloneDX 1.5.
func billOfMaterials(path, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	of := func(kind, name, version string) component {
		return component{kind, name, version, "pkg:golang/" + name + "@" + version}
	}
	parts := []component{of("library", "std", info.GoVersion)}
	for _, m := range info.Deps {
		at := m.Version
		if strings.HasPrefix(m.Path, rootPath) {
			at = version // all modules of this repository have the version of the release
		}
		parts = append(parts, of("library", m.Path, at))
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": of("application", info.Main.Path, version)},
		"components": parts,
	}, "", "  ")
}
