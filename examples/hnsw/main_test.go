//go:build !windows

package main

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"
)

// TestRun checks that the index finds as many true neighbors with the distances of package vecmath
// as with the distances of package hnsw.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-n", "400", "-d", "48", "-queries", "50"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^\| \w+ \| ([\w/]+) \| [\d.]+ \| \d+ \| ([\d.]+) \|$`).FindAllStringSubmatch(out.String(), -1)
	if len(lines) != 4 {
		t.Fatalf("%s", &out)
	}
	for i := 0; i < len(lines); i += 2 {
		theirs, _ := strconv.ParseFloat(lines[i][2], 64)
		ours, _ := strconv.ParseFloat(lines[i+1][2], 64)
		if ours < .25 || ours < theirs-.05 {
			t.Errorf("recall %v with our distance, %v with theirs", ours, theirs)
		}
	}
	if err := run([]string{"-k", "0"}, &out); err == nil {
		t.Error("no error")
	}
}
