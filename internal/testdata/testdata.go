// Package testdata helps tests find and read shared data sets and fixtures, which are not in the
// repository. It also reports whether slow tests are enabled.
package testdata

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// IsLong reports whether MONGE_LONG=1 enables the slow tests. Tests call it to reduce their work.
func IsLong() bool { return os.Getenv("MONGE_LONG") == "1" }

// Long skips the test unless MONGE_LONG=1 enables the slow tests.
func Long(t testing.TB) {
	t.Helper()
	if !IsLong() {
		t.Skip("slow: set MONGE_LONG=1 to run it")
	}
}

// CSV reads a file of numbers without a header. It returns the arguments of mat.NewDense and
// dist.NewMatrix: the number of rows, the number of columns, and the values row by row.
func CSV(t testing.TB, path string) (rows, columns int, values []float64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) == 0 {
		t.Fatalf("%s is empty", path)
	}
	for i, record := range records {
		for j, text := range record {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatalf("%s: row %d, column %d: %v", path, i+1, j+1, err)
			}
			values = append(values, v)
		}
	}
	return len(records), len(records[0]), values
}

// JSON decodes a file written by Python into v. It reads NaN, which is not valid JSON, as null.
func JSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(bytes.ReplaceAll(b, []byte("NaN"), []byte("null")), v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Shared returns the path of a file or folder below the shared folder, for example
// Shared(t, "data", "mnist.npz"). The shared folder is $MONGE_SHARED if this variable is set.
// Otherwise it is the folder "shared" next to the root of the repository.
//
// If the path does not exist, Shared skips the test, so that a fresh clone passes. If
// MONGE_REQUIRE_SHARED=1, Shared fails the test instead.
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
	root, err := outermostModule()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(root), "shared"), nil
}

// outermostModule returns the highest folder with a go.mod at or above the working folder. In a
// test, the working folder is the folder of the tested package. All modules of the repository use
// the same shared folder.
func outermostModule() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root := ""
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	if root == "" {
		return "", errors.New("no go.mod at or above the working folder")
	}
	return root, nil
}
