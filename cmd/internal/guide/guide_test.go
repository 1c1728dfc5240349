// Package guide tests the pages for users, which are in the folder docs. It compiles and runs every
// snippet of the README and the guide, checks links, and keeps the README short.
package guide

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

// TestMain makes docs the working directory of the tests.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../../docs"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// pages returns the paths of the README and of the guide's pages, relative to the folder docs.
func pages(t *testing.T) []string {
	guide, err := filepath.Glob("guide/*.md")
	if err != nil || len(guide) == 0 {
		t.Fatalf("no pages in guide: %v", err)
	}
	return append(guide, "../README.md")
}

// TestReadmeIsShort checks that README.md has at most 1100 words, as counted by wc -w, and at most
// 90 numbers. Numbers in HTML comments do not count.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	words := len(bytes.Fields(text))
	text = regexp.MustCompile(`(?s)<!--.*?-->`).ReplaceAll(text, nil)
	numbers := len(regexp.MustCompile(`[0-9]*\.?[0-9]+`).FindAll(text, -1))
	t.Logf("%d words, %d numbers", words, numbers)
	if words > 1100 || numbers > 90 {
		t.Errorf("README.md has %d words and %d numbers; it may have 1100 and 90", words, numbers)
	}
}

// TestLinks checks that every link leads to an existing file and heading.
func TestLinks(t *testing.T) {
	list := pages(t)
	for _, pattern := range []string{"../*.md", "../*/*.md", "../*/*/*.md", "../*/*/*/*.md"} {
		more, _ := filepath.Glob(pattern)
		list = append(list, more...)
	}
	for i := range list {
		list[i] = strings.TrimPrefix(filepath.ToSlash(list[i]), "../docs/")
	}
	slices.Sort(list)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range slices.Compact(list) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(string(text), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			there, err := os.ReadFile(path)
			if info, errStat := os.Stat(path); errStat != nil || err != nil && !info.IsDir() {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			if heading != "" && !slices.Contains(headings(string(there)), heading) {
				t.Errorf("%s links to %s, but there is no such heading", page, m[1])
			}
		}
	}
}

// TestMap checks the map of folders in CONTRIBUTING.md. Every folder with a package must have a row
// or be inside a folder with a row. Every row must name an existing folder.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		if info, err := os.Stat(filepath.Join("..", m[1])); err == nil && info.IsDir() {
			rows = append(rows, m[1])
		} else if strings.Contains(m[1], "internal/") {
			t.Errorf("CONTRIBUTING.md has a row for %s, which is not there", m[1])
		}
	}
	files, err := filepath.Glob("../*/*.go")
	for _, deeper := range []string{"../*/*/*.go", "../*/*/*/*.go"} {
		more, _ := filepath.Glob(deeper)
		files = append(files, more...)
	}
	if err != nil || len(files) == 0 {
		t.Fatalf("no packages: %v", err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(f), "../"))
		if seen[dir] || strings.Contains(dir, "testdata") {
			continue
		}
		seen[dir] = true
		if !slices.ContainsFunc(rows, func(row string) bool {
			return dir == row || strings.HasPrefix(dir, row+"/") && (!strings.HasPrefix(dir, "internal/") || strings.Count(dir, "/") > 2)
		}) {
			t.Errorf("CONTRIBUTING.md has no row for the folder %s", dir)
		}
	}
}

// headings returns the anchors that GitHub makes for the headings of a page.
func headings(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if h := strings.TrimLeft(line, "#"); h != line && strings.HasPrefix(h, " ") {
			h = strings.ToLower(strings.TrimSpace(h))
			h = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(h, "")
			out = append(out, strings.ReplaceAll(h, " ", "-"))
		}
	}
	return out
}

// snippet is a code block of a page. The lines of an HTML comment <!-- setup … --> before the block
// are inserted at its beginning. The lines of <!-- after … --> are inserted at its end.
type snippet struct {
	page                        string
	line                        int
	lang, code, setup, trailing string
	output                      string // expected output: the next block after <!-- output -->
}

func (s *snippet) String() string { return fmt.Sprintf("%s:%d", s.page, s.line) }

func snippets(t *testing.T, page string) []*snippet {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []*snippet
	var block *snippet
	comment, hidden := "", map[string]string{}
	for i, line := range strings.SplitAfter(string(text), "\n") {
		switch {
		case comment != "":
			if strings.Contains(line, "-->") {
				comment = ""
			} else {
				hidden[comment] += line
			}
		case block == nil && strings.HasPrefix(line, "```"):
			block = &snippet{page: page, line: i + 1, lang: strings.TrimSpace(line[3:]), setup: hidden["setup"], trailing: hidden["after"]}
		case block != nil && strings.HasPrefix(line, "```"):
			if _, ok := hidden["output"]; ok && len(out) > 0 {
				out[len(out)-1].output = block.code
			} else {
				out = append(out, block)
			}
			block, hidden = nil, map[string]string{}
		case block != nil:
			block.code += line
		case strings.HasPrefix(line, "<!--"):
			word := strings.Fields(line)[1]
			if strings.Contains(line, "-->") {
				hidden[word] = ""
			} else {
				comment = word
			}
		}
	}
	if block != nil {
		t.Fatalf("%v: the block has no end", block)
	}
	return out
}

// importPaths are the packages that code fragments may use without an import.
var importPaths = map[string]string{
	"bytes": "bytes", "context": "context", "errors": "errors", "fmt": "fmt", "http": "net/http", "io": "io", "json": "encoding/json",
	"log": "log", "math": "math", "os": "os", "strings": "strings", "sync": "sync", "time": "time", "httptest": "net/http/httptest",
	"mat": "gonum.org/v1/gonum/mat", "blas64": "gonum.org/v1/gonum/blas/blas64",
	"dist": "github.com/gomonge/monge/dist", "emd": "github.com/gomonge/monge/emd", "sinkhorn": "github.com/gomonge/monge/sinkhorn", "wda": "github.com/gomonge/monge/wda",
	"dataset": "github.com/gomonge/monge/wda/dataset", "baseline": "github.com/gomonge/monge/wda/baseline", "vecmath": "github.com/gomonge/monge/vecmath", "search": "github.com/gomonge/monge/search",
}

var selector = regexp.MustCompile(`\b([a-z0-9]+)\.[A-Z]`)

// source returns a Go file that contains snippet i as a function.
func (s *snippet) source(i int) string {
	if strings.HasPrefix(s.code, "package main\n") {
		return strings.Replace(s.code, "func main() {", fmt.Sprintf("func snippet%d() {", i), 1)
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	var seen []string
	for _, m := range selector.FindAllStringSubmatch(s.setup+s.code+s.trailing, -1) {
		if path, ok := importPaths[m[1]]; ok && !slices.Contains(seen, m[1]) {
			seen = append(seen, m[1])
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	declarations, body := "", s.code
	if strings.Contains("\n"+s.code, "\nfunc ") {
		declarations, body = s.code, ""
	}
	fmt.Fprintf(&b, ")\n\n%s\nfunc snippet%d() {\n%s%s%s}\n", declarations, i, s.setup, body, s.trailing)
	return b.String()
}

// goTool runs the go command in a folder.
func goTool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestSnippets compiles the command monge, and one program that contains all Go blocks. It runs the
// blocks of each page in order, in a folder with small data. The short form of the test runs only the
// blocks of the README.
func TestSnippets(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	overlay := map[string]string{}
	put := func(name, text string) { // adds a file to the overlay of the module
		path := filepath.Join(bin, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, "docs", "snippets", name)] = path
	}
	var all []*snippet
	program := "package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n"
	for _, page := range pages(t) {
		for _, s := range snippets(t, page) {
			if s.lang == "go" {
				put(fmt.Sprintf("snippet%d.go", len(all)), s.source(len(all)))
				program += fmt.Sprintf("\tcase \"%d\": // %v\n\t\tsnippet%d()\n", len(all), s, len(all))
			}
			if k := len(all) - 1; s.lang == "python" {
				// A Python block runs after the earlier Python blocks of its page, like a cell of a
				// notebook.
				for ; k >= 0 && all[k].page == page; k-- {
					if all[k].lang == "python" {
						s.setup = all[k].setup + all[k].code
						break
					}
				}
			}
			all = append(all, s)
		}
	}
	put("main.go", program+"\t}\n}\n")
	list, _ := json.Marshal(map[string]any{"Replace": overlay})
	if err := os.WriteFile(filepath.Join(bin, "overlay.json"), list, 0o644); err != nil {
		t.Fatal(err)
	}
	// "go run" caches the linked program, and "go build" does not. With -exec cp, "go run" copies
	// the program instead of running it.
	goTool(t, "..", "run", "-overlay", filepath.Join(bin, "overlay.json"), "-exec", "cp", "./docs/snippets", filepath.Join(bin, "snippets"))
	goTool(t, "../cmd", "run", "-exec", "cp", "./monge", filepath.Join(bin, "monge"))
	folders := map[string]string{}
	for _, page := range pages(t) {
		folders[page] = folder(t)
	}
	for _, page := range pages(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			if page != "../README.md" {
				testdata.Long(t)
			}
			t.Parallel() // pages run in parallel; the blocks of one page run in order
			for i, s := range all {
				if s.page == page {
					s.run(t, i, bin, folders[page])
				}
			}
		})
	}
}

// run runs a Go, shell or Python block in the folder dir. It ignores blocks in other languages.
func (s *snippet) run(t *testing.T, i int, bin, dir string) {
	var cmd *exec.Cmd
	switch s.lang {
	case "go":
		cmd = exec.Command(filepath.Join(bin, "snippets"), fmt.Sprint(i))
	case "sh":
		cmd = exec.Command("sh", "-e", "-c", s.setup+s.code+s.trailing)
	case "python":
		python := os.Getenv("MONGE_PYTHON")
		if python == "" {
			t.Logf("%v: MONGE_PYTHON does not name an interpreter", s)
			return
		}
		cmd = exec.Command(python, "-c", s.setup+s.code)
	default:
		return
	}
	examples, err := filepath.Abs("../examples/python")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "PYTHONPATH="+examples, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", s, err, out)
		return
	}
	for line := range strings.Lines(s.output) {
		if !strings.Contains(string(out), strings.TrimSpace(line)) {
			t.Errorf("%v prints\n%swithout the line %q of the page", s, out, strings.TrimSpace(line))
		}
	}
}

// folder returns a folder with the small data files that the commands in the guide read.
func folder(t *testing.T) string {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	write := func(name string, lines ...string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	flowers := func(n int, labels bool) []string {
		lines := []string{"length,width,petal,stem"}
		if labels {
			lines[0] += ",species"
		}
		for i := range n {
			class := i % 3
			line := fmt.Sprintf("%.2f,%.2f,%.2f,%.2f", 5+rng.NormFloat64(), 3+rng.NormFloat64()/2, float64(2*class)+rng.NormFloat64()/2, float64(class)+rng.NormFloat64()/2)
			if labels {
				line += "," + []string{"setosa", "versicolor", "virginica"}[class]
			}
			lines = append(lines, line)
		}
		return lines
	}
	points := func(n int, shift float64) (lines []string) {
		for range n {
			lines = append(lines, fmt.Sprintf("%.3f,%.3f", shift+rng.NormFloat64(), rng.NormFloat64()))
		}
		return lines
	}
	write("iris.csv", flowers(90, true)...)
	write("new.csv", flowers(6, false)...)
	write("X.csv", points(20, 0)...)
	write("Y.csv", points(30, 1)...)
	var pairs []string
	for i := range 3 {
		for j := range 4 {
			pairs = append(pairs, fmt.Sprintf("%d,%d,0.5,%.3f,%.3f", i, j/2, rng.NormFloat64(), rng.NormFloat64()))
		}
	}
	write("pairs.csv", pairs...)
	// NPY, version 1: 150 × 4 numbers in float64, little-endian.
	head := fmt.Sprintf("%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (150, 4), }")
	npy := append([]byte("\x93NUMPY\x01\x00v\x00"), head...)
	var labels []string
	for i := range 150 {
		labels = append(labels, fmt.Sprint(i%3))
		for j := range 4 {
			npy = binary.LittleEndian.AppendUint64(npy, math.Float64bits(float64(i%3*j)+rng.NormFloat64()))
		}
	}
	write("big-labels.csv", labels...)
	if err := os.WriteFile(filepath.Join(dir, "big.npy"), npy, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
