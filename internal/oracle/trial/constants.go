package trial

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// largestSize is the largest integer that Constants returns.
const largestSize = 10000

// Constants returns the integers from 2 to 10000 in the Go files of the given folders, and products
// and shifts of these integers. It skips tests, reference implementations and tables of
// coefficients. Test cases pick sizes close to these integers. If a block size changes, the test
// cases therefore cover the new block size automatically.
func Constants(t testing.TB, folders ...string) []int {
	t.Helper()
	root := Root(t)
	found := map[int]bool{2: true, 8: true, 16: true}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no Go files in %s: %v", folder, err)
		}
		for _, path := range files {
			if name := filepath.Base(path); strings.HasSuffix(name, "_test.go") || name == "ref.go" || name == "coef.go" {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					if v, ok := integer(e); ok && 2 <= v && v <= largestSize {
						found[v] = true
					}
				}
				return true
			})
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// integer returns the value of an integer literal, or of a product or shift of integer literals.
func integer(e ast.Expr) (int, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v, err := strconv.ParseInt(e.Value, 0, 32)
		return int(v), e.Kind == token.INT && err == nil
	case *ast.BinaryExpr:
		x, ok := integer(e.X)
		y, also := integer(e.Y)
		switch {
		case !ok || !also:
		case e.Op == token.MUL:
			return x * y, true
		case e.Op == token.SHL && y < 31:
			return x << y, true
		}
	}
	return 0, false
}

// Root returns the root folder of the module. It skips the test if the sources are missing.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "internal", "oracle", "real.go")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Skip("the sources are not here")
		}
	}
}
