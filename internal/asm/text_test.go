package asm_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// source contains the lines of an assembly file or of an assembly header.
type source struct {
	folder, name string
	lines        []string
}

func (s source) path() string { return path.Join(s.folder, s.name) }

// code returns line i without its comment and surrounding spaces.
func (s source) code(i int) string {
	code, _, _ := strings.Cut(s.lines[i], "//")
	return strings.Join(strings.Fields(code), " ")
}

// sources returns the kernels' assembly files and headers, sorted by path.
func sources(t *testing.T) (all []source) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".s") && !strings.HasSuffix(p, ".h") {
			return err
		}
		text, err := os.ReadFile(p)
		p = filepath.ToSlash(p)
		all = append(all, source{path.Dir(p), path.Base(p), strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")})
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	return all
}

// TestTexts checks that the header comment of every assembly file has the same fields in the same
// order, and that every header file has a description.
func TestTexts(t *testing.T) {
	title := regexp.MustCompile(`^// [\w, ]+ for (integers|float64|float32|float64 and float32|float64, float32 and mixed|float32 and float64) with (AVX2 \+ FMA|AVX-512 [\w, ]+|NEON)\.$`)
	for _, s := range sources(t) {
		if path.Ext(s.name) == ".h" {
			if !strings.HasPrefix(s.lines[0], "// ") {
				t.Errorf("%s does not begin with what it is", s.path())
			}
			continue
		}
		if !title.MatchString(s.lines[0]) {
			t.Errorf("%s: no title line such as %q", s.path(), "// sqEuclidean for float64 and float32 with AVX2 + FMA.")
		}
		fields := []string{"Same bits as", "Layout", "Tile", "Tail", "Special values", "Registers", "Source"}
		for _, line := range s.lines {
			if strings.HasPrefix(line, "#include") {
				break
			}
			if len(fields) > 0 && strings.HasPrefix(line, "// "+fields[0]+" ") {
				fields = fields[1:]
			}
		}
		if len(fields) > 0 {
			t.Errorf("%s: the header lacks the field %q, or has it out of order", s.path(), fields[0])
		}
	}
}

// TestConventions checks that assembly functions are leaf functions without a frame. On amd64,
// functions must execute VZEROUPPER before every return and must not use BP, R14 and R15. On arm64,
// functions must not use R18 and R27 to R29.
func TestConventions(t *testing.T) {
	function := regexp.MustCompile(`^TEXT (\S+), (\S+), \$(\S+)`)
	leaf := regexp.MustCompile(`^TEXT \S+, \S*NOSPLIT\S*, \$0-`)
	amd64 := regexp.MustCompile(`\b(BP|R14|R15)\b`)
	arm64 := regexp.MustCompile(`\b(R18|R27|R28|R29|R18_PLATFORM)\b`)
	for _, s := range sources(t) {
		forbidden, last := arm64, ""
		if strings.Contains(s.name, "_amd64.") {
			forbidden = amd64
		}
		for i := range s.lines {
			code := s.code(i)
			if code == "" {
				continue
			}
			if function.MatchString(code) && !leaf.MatchString(code) {
				t.Errorf("%s:%d: not a NOSPLIT leaf with frame $0", s.path(), i+1)
			}
			if r := forbidden.FindString(code); r != "" {
				t.Errorf("%s:%d: uses %s", s.path(), i+1, r)
			}
			if code == "RET" && forbidden == amd64 && last != "VZEROUPPER" {
				t.Errorf("%s:%d: RET without VZEROUPPER before it", s.path(), i+1)
			}
			last = code
		}
	}
}

// TestMacros checks that every macro of several lines has a comment, or follows a macro that has a
// comment, and contains at most eight instructions. Longer code belongs in an included file,
// because profiles show the lines of included files.
func TestMacros(t *testing.T) {
	macro := regexp.MustCompile(`^#define (\w+)`)
	for _, s := range sources(t) {
		said := false
		for i := 0; i < len(s.lines); i++ {
			if strings.HasPrefix(s.lines[i], "//") {
				said = true
			}
			m := macro.FindStringSubmatch(s.lines[i])
			if m == nil {
				if s.lines[i] != "" && !strings.HasPrefix(s.lines[i], "#") && !strings.HasPrefix(s.lines[i], "//") {
					said = false // an instruction separates the comment from the macro
				}
				continue
			}
			first, body := i, s.code(i)
			for strings.HasSuffix(s.lines[i], `\`) {
				i++
				body += s.code(i)
			}
			if n := 1 + strings.Count(body, ";"); first != i && n > 8 {
				t.Errorf("%s:%d: %s has %d instructions", s.path(), first+1, m[1], n)
			}
			if first != i && !said {
				t.Errorf("%s:%d: %s has no comment", s.path(), first+1, m[1])
			}
		}
	}
}

// TestIncludes checks that every header is included and that every included file is a header of a
// kernel. Package distance includes headers of package exp. The go command does not track this
// dependency. It rebuilds distance only because distance imports exp, whose code uses the same
// macros.
func TestIncludes(t *testing.T) {
	include := regexp.MustCompile(`^#include "(.*)"$`)
	included := map[string]bool{}
	all := sources(t)
	for _, s := range all {
		for i := range s.lines {
			if m := include.FindStringSubmatch(s.lines[i]); m != nil {
				included[path.Join(s.folder, m[1])] = true
			}
		}
	}
	for _, s := range all {
		if path.Ext(s.name) == ".h" && !included[s.path()] {
			t.Errorf("nobody includes %s", s.path())
		}
		delete(included, s.path())
	}
	for p := range included {
		if path.Base(p) != "textflag.h" {
			t.Errorf("%s is included and not of its folder", p)
		}
	}
}

// mostFiles is the maximum number of files in a kernel's folder. Do not increase it.
const mostFiles = 30

// TestFolders counts the files of the kernels' folders.
func TestFolders(t *testing.T) {
	folders := map[string]bool{}
	for _, s := range sources(t) {
		folders[s.folder] = true
	}
	for folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		files := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() || e.Name() == "NOTES.md" })
		if len(files) > mostFiles {
			t.Errorf("%s has %d files, more than %d", folder, len(files), mostFiles)
		}
	}
}

// mostCopies is the maximum fraction of the code that also occurs in another folder. Do not
// increase it.
const mostCopies = 0.03

// TestCopies counts repeated lines. A run of ten lines of code is a copy if the same run occurs in
// an earlier folder.
func TestCopies(t *testing.T) {
	const run = 10
	all := sources(t)
	first := map[string]string{} // first folder that contains each run of lines
	total, copied := 0, map[string]int{}
	for _, s := range all {
		var at []int // indices of the lines with code
		for i := range s.lines {
			if s.code(i) != "" {
				at = append(at, i)
			}
		}
		total += len(at)
		end := 0 // copies among the lines at[:end] are already counted
		for k := 0; k+run <= len(at); k++ {
			var text strings.Builder
			for _, i := range at[k : k+run] {
				text.WriteString(s.code(i) + "\n")
			}
			where, seen := first[text.String()]
			if !seen {
				first[text.String()] = s.folder
			} else if where != s.folder {
				copied[s.path()] += k + run - max(end, k)
				end = k + run
			}
		}
	}
	sum := 0
	for _, n := range copied {
		sum += n
	}
	t.Logf("%d of %d lines of code are copies: %v", sum, total, copied)
	if float64(sum) > mostCopies*float64(total) {
		t.Errorf("%d of %d lines of code are copies, more than %v of them: %v", sum, total, mostCopies, copied)
	}
}
