// Command tables makes the benchmark pages docs/benchmarks/*.md from the raw results in bench/tools/results.
// It also updates the short tables between markers in README.md.
//
//	go run ./bench/tools/tables          # from the root of the module: writes the files
//	go run ./bench/tools/tables -check   # ends with an error if a file is out of date
//
// To add a machine, save the output of bench/peers/run in bench/tools/results as
// DATE-MACHINE-LEVEL-peers.md, and run the command. Other raw files have names that end in -latency.txt or
// -accuracy.txt (output of go test), -levels.txt (bench/tools/levels), -converge.md (bench/tools/converge)
// or -scaling.csv (bench/tools/scaling).
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "write nothing; end with an error if a file is out of date")
	flag.Parse()
	if err := run(".", *check); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

// run writes all tables of the module in the folder root. If check is true, run only compares the tables with
// the existing files.
func run(root string, check bool) error {
	pages, err := pages(root)
	if err != nil {
		return err
	}
	var stale []string
	for _, name := range slices.Sorted(mapKeys(pages)) {
		path := filepath.Join(root, name)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if bytes.Equal(old, pages[name]) {
			continue
		}
		if check {
			stale = append(stale, name)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, pages[name], 0o644); err != nil {
			return err
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("out of date: %s; run go run ./bench/tools/tables", strings.Join(stale, ", "))
	}
	return nil
}

// pages returns the contents of all generated files. The map key is the path relative to root.
func pages(root string) (map[string][]byte, error) {
	files, err := filepath.Glob(filepath.Join(root, "bench", "tools", "results", "*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	slices.Reverse(files) // the newest first
	var all results
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := all.add(filepath.Base(path), string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	const dir = "docs/benchmarks/"
	out := map[string][]byte{
		dir + "README.md":   page(all.index),
		dir + "speed.md":    page(all.speed),
		dir + "accuracy.md": page(all.accuracy),
		dir + "latency.md":  page(all.latencyPage),
		dir + "converge.md": page(all.convergePage),
		dir + "scaling.md":  page(all.scalingPage),
		dir + "levels.md":   page(all.levelsPage),
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	if readme, err = replaceTable(readme, "speed", all.short()); err != nil {
		return nil, err
	}
	out["README.md"], err = replaceTable(readme, "accuracy", all.shortAccuracy())
	return out, err
}

// replaceTable returns text with a new table between the two markers that contain name.
func replaceTable(text []byte, name, table string) ([]byte, error) {
	begin, end := "<!-- "+name+": made by go run ./bench/tools/tables -->", "<!-- end of "+name+" -->"
	head, rest, ok := strings.Cut(string(text), begin+"\n")
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("README.md has no lines %q and %q", begin, end)
	}
	return []byte(head + begin + "\n" + table + end + tail), nil
}

func page(write func(*strings.Builder)) []byte {
	var b strings.Builder
	write(&b)
	return []byte(b.String())
}
