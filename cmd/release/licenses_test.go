package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

const licensesFile = "../../docs/LICENSES.md"

var update = flag.Bool("update", false, "write "+licensesFile+" anew")

// licenses lists the compatible licenses. The first entry whose words occur in a license text
// identifies the license.
var licenses = []struct{ name, words string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"FTL", "Use of the Freetype-Go software is subject to your choice of exactly one of the following two licenses: * The FreeType License"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0 International Public License"},
	{"BSD-3-Clause", "Neither the name of"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
}

// TestLicenses checks that every module in the command or the library has a known license, and is
// in docs/LICENSES.md. The following command updates docs/LICENSES.md:
//
//	go test -run Licenses -update ./cmd/release
func TestLicenses(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to list modules with")
	}
	used := map[string][]string{} // users of each module and version
	systems := []string{"linux", "darwin", "windows"}
	short := !testdata.IsLong() && !*update
	if short {
		systems = systems[:1]
	}
	for _, system := range systems {
		for _, user := range []struct{ name, module, packages string }{
			{"library", "../..", "./..."}, {"columnar", "../../wda/dataset/columnar", "."}, {"command", "..", "./monge"},
		} {
			cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{if not .Replace}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}{{end}}", user.packages)
			cmd.Dir = user.module
			// GOWORK=off selects the versions in the go.mod file of the module, as outside the workspace.
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOOS="+system, "GOARCH=amd64")
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(out)) {
				if line = strings.TrimSpace(line); line != "" && !slices.Contains(used[line], user.name) {
					used[line] = append(used[line], user.name)
				}
			}
		}
	}
	var doc bytes.Buffer
	doc.WriteString("# Licenses\n\nThese modules are linked into programs that use the library or import package columnar, or into\nthe command. The table is written by `go test -run Licenses -update ./cmd/release`, which fails if it does not know a license.\n\n| module | version | license | linked into |\n|---|---|---|---|\n")
	for _, m := range slices.Sorted(maps.Keys(used)) {
		part := strings.Split(m, "\t")
		name, err := licenseOf(part[2])
		if err != nil {
			t.Errorf("%s: %v", part[0], err)
		}
		fmt.Fprintf(&doc, "| %s | %s | %s | %s |\n", part[0], part[1], name, strings.Join(used[m], ", "))
	}
	if *update {
		if err := os.WriteFile(licensesFile, doc.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(licensesFile)
	old = bytes.ReplaceAll(old, []byte("\r"), nil)
	same := err == nil && (bytes.Equal(old, doc.Bytes()) || short)
	for line := range bytes.Lines(doc.Bytes()) {
		same = same && bytes.Contains(old, line)
	}
	if !same {
		t.Errorf("%s is not what is linked: go test -run Licenses -update ./cmd/release (%v)", licensesFile, err)
	}
}

// licenseOf returns the name of a module's license, recognized by its text.
func licenseOf(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no license in %s (%v)", dir, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return "", err
	}
	plain := strings.Join(strings.Fields(strings.ReplaceAll(string(text), ">", "")), " ") // some quote it
	for _, copyleft := range []string{"GNU GENERAL PUBLIC", "GNU LESSER", "GNU AFFERO", "Mozilla Public License"} {
		if strings.HasPrefix(plain, copyleft) {
			return "", fmt.Errorf("%s", copyleft)
		}
	}
	for _, l := range licenses {
		if strings.Contains(plain, l.words) {
			return l.name, nil
		}
	}
	return "", fmt.Errorf("unknown license: %.80s", plain)
}
