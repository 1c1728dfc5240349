package inspect

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestSums checks findSums on testdata/sums/sums.go, where comments mark the expected lines.
func TestSums(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, s := range findSums(loadTestdata(t, "sums")) {
		found[strconv.Itoa(s.Position.Line)] = true
	}
	checkMarkedLines(t, "testdata/sums/sums.go", "// bare", found)
}

// TestLibm checks findLibm on testdata/libm/libm.go, where comments mark the expected lines.
func TestLibm(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, s := range findLibm(loadTestdata(t, "libm")) {
		found[strings.Split(s, ":")[1]] = true
	}
	checkMarkedLines(t, "testdata/libm/libm.go", "// libm", found)
}

func loadTestdata(t *testing.T, name string) []*goPackage {
	t.Helper()
	packages, err := loadPackages(".", "./testdata/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// checkMarkedLines checks that the keys of found are exactly the numbers of the lines that
// end in mark.
func checkMarkedLines(t *testing.T, path, mark string, found map[string]bool) {
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
