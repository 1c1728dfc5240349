// Package testdata finds the shared data sets and fixtures that tests read and
// the repository does not carry.
package testdata

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of a file or folder below the shared folder, for
// example Shared(t, "data", "mnist.npz"). The shared folder is $MONGE_SHARED,
// or else the folder "shared" beside the module's root.
//
// When the path does not exist the test is skipped, so that a plain checkout
// passes; with MONGE_REQUIRE_SHARED=1 it fails instead, so that a run meant to
// cover the data cannot pass by skipping it.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	dir, err := sharedDir()
	if err == nil {
		path := filepath.Join(append([]string{dir}, elem...)...)
		if _, err = os.Stat(path); err == nil {
			return path
		}
	}
	if os.Getenv("MONGE_REQUIRE_SHARED") == "1" {
		t.Fatalf("shared data are required (MONGE_REQUIRE_SHARED=1): %v", err)
	}
	t.Skipf("shared data are absent (set MONGE_SHARED to their folder): %v", err)
	return ""
}

func sharedDir() (string, error) {
	if dir := os.Getenv("MONGE_SHARED"); dir != "" {
		return dir, nil
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(root), "shared"), nil
}

// moduleRoot walks up from the working folder, which go test sets to the
// tested package's own.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working folder")
		}
		dir = parent
	}
}
