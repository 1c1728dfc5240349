package inspect

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestSums looks at testdata/sums/sums.go, where the lines to find say so.
func TestSums(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, s := range findSums(load(t, "sums")) {
		found[strconv.Itoa(s.Position.Line)] = true
	}
	compare(t, "testdata/sums/sums.go", "// bare", found)
}

// TestLibm does the same for testdata/libm/libm.go.
func TestLibm(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, s := range findLibm(load(t, "libm")) {
		found[strings.Split(s, ":")[1]] = true
	}
	compare(t, "testdata/libm/libm.go", "// libm", found)
}

func load(t *testing.T, name string) []*goPackage {
	t.Helper()
	packages, err := loadPackages(".", "./testdata/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// compare checks that the lines with a mark, and no others, were found.
func compare(t *testing.T, path, mark string, found map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if want, is := strings.HasSuffix(line, mark), found[strconv.Itoa(i+1)]; want != is {
			t.Errorf("%s:%d: found %v, want %v: %s", path, i+1, is, want, line)
		}
	}
}
