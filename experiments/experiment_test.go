package experiments

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

// testExperiment runs e at a tiny size, checks the written files, and returns the report. It also
// checks that an interruption and the number of workers do not change the files, and that a run
// with different settings returns an error.
func testExperiment(t *testing.T, e Experiment, s Settings) *Report {
	t.Helper()
	return testFiles(t, e, s, false)
}

// testTimedExperiment is like testExperiment, but ignores the measured times and the pictures. It
// is meant for experiments that measure times.
func testTimedExperiment(t *testing.T, e Experiment, s Settings) *Report {
	t.Helper()
	return testFiles(t, e, s, true)
}

func testFiles(t *testing.T, e Experiment, s Settings, timed bool) *Report {
	t.Helper()
	s.Small, s.Out, s.Workers, s.Build = true, t.TempDir(), 1, "test"
	first, err := Run(t.Context(), e, s)
	if err != nil {
		t.Fatal(err)
	}
	checkFiles(t, e, first)
	want := readFiles(t, first.Folder, timed)

	// Truncate the journal after half of the cells, in the middle of a line.
	path := filepath.Join(first.Folder, e.Name+".journal")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	head := 2 // header and session
	keep := head + (len(lines)-1-head)/2
	torn := append(bytes.Join(lines[:keep], nil), lines[keep][:len(lines[keep])/2]...)
	if err := os.WriteFile(path, torn, 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := Run(t.Context(), e, s)
	if err != nil {
		t.Fatalf("resumed: %v", err)
	}
	if again.Reused != keep-head || again.Cells != first.Cells {
		t.Errorf("resumed: %d of %d cells reused, want %d of %d", again.Reused, again.Cells, keep-head, first.Cells)
	}
	compareFiles(t, "resumed", readFiles(t, first.Folder, timed), want)
	if !testdata.IsLong() {
		return first
	}

	// Interrupt a run with a different number of workers. The next run must continue it.
	s.Out, s.Workers = t.TempDir(), 3
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := s
	interrupted.Progress = func(done, total int, what string) {
		if done >= (total+1)/2 {
			cancel()
		}
	}
	if _, err := Run(ctx, e, interrupted); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	last := 0
	s.Progress = func(done, total int, what string) {
		if done < last || done > total || total != first.Cells {
			t.Errorf("progress %d of %d after %d of %d", done, total, last, first.Cells)
		}
		last = done
	}
	other, err := Run(t.Context(), e, s)
	if err != nil {
		t.Fatalf("after an interrupt: %v", err)
	}
	if other.Reused < (first.Cells+1)/2 {
		t.Errorf("after an interrupt: %d of %d cells reused", other.Reused, first.Cells)
	}
	if last != first.Cells {
		t.Errorf("progress ended at %d of %d", last, first.Cells)
	}
	compareFiles(t, "three workers", readFiles(t, other.Folder, timed), want)

	// A run with all cells in the journal must write the same files. A run with a different seed
	// must return an error.
	third, err := Run(t.Context(), e, s)
	if err != nil || third.Reused != third.Cells {
		t.Errorf("run again: %d of %d cells reused, %v", third.Reused, third.Cells, err)
	}
	s.Seed++
	if _, err = Run(t.Context(), e, s); !errors.Is(err, ErrOtherSettings) {
		t.Errorf("another seed: %v", err)
	}
	compareFiles(t, "after an error", readFiles(t, other.Folder, timed), want)
	return first
}

// readFiles returns the CSV file and the pictures of a run. If the run measures times, readFiles
// returns only the CSV file, without its last column.
func readFiles(t *testing.T, folder string, timed bool) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range entries {
		ext := filepath.Ext(f.Name())
		if ext == ".csv" || !timed && (ext == ".png" || ext == ".svg") {
			b, err := os.ReadFile(filepath.Join(folder, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if timed {
				b = regexp.MustCompile(`(?m),[^,]*$`).ReplaceAll(b, nil)
			}
			files[f.Name()] = string(b)
		}
	}
	return files
}

func compareFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s is another file", what, name)
		}
	}
}

// checkFiles checks the files that a run has written to its folder.
func checkFiles(t *testing.T, e Experiment, r *Report) {
	t.Helper()
	entries, err := os.ReadDir(r.Folder)
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, f := range entries {
		if f.Name() != e.Name+".journal" {
			there = append(there, f.Name())
		}
	}
	listed := slices.Clone(r.Files)
	slices.Sort(listed)
	if !slices.Equal(there, listed) {
		t.Errorf("the folder has %v besides the journal, the report lists %v", there, listed)
	}
	if r.Reused != 0 || r.Cells == 0 || len(r.Failed) > 0 || len(r.Summary) == 0 {
		t.Errorf("%d of %d cells reused, failed %v, summary %q", r.Reused, r.Cells, r.Failed, r.Summary)
	}
	pictures := 0
	for _, name := range r.Files {
		b, err := os.ReadFile(filepath.Join(r.Folder, name))
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(name) {
		case ".csv":
			checkCSV(t, b, r)
		case ".html":
			checkHTML(t, string(b), r)
		case ".png":
			pictures++
			if m, err := png.Decode(bytes.NewReader(b)); err != nil || m.Bounds().Dx() < 100 {
				t.Errorf("%s: %v", name, err)
			}
			if svg := strings.TrimSuffix(name, ".png") + ".svg"; !slices.Contains(r.Files, svg) {
				t.Errorf("%s has no %s", name, svg)
			}
		case ".svg":
			checkXML(t, name, b)
		default:
			t.Errorf("unexpected file %s", name)
		}
	}
	if pictures == 0 || !slices.Contains(r.Files, e.Name+".csv") || !slices.Contains(r.Files, e.Name+".html") {
		t.Errorf("files %v", r.Files)
	}
}

func checkCSV(t *testing.T, b []byte, r *Report) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 1+r.Cells {
		t.Errorf("the CSV file has %d rows for %d cells", len(rows)-1, r.Cells)
	}
	n := len(rows[0])
	if rows[0][n-2] != "measure" || rows[0][n-1] != "value" {
		t.Errorf("the CSV file has the columns %v", rows[0])
	}
	for i, row := range rows[1:] {
		if v, err := strconv.ParseFloat(row[n-1], 64); err != nil || v-v != 0 || row[n-2] == "" {
			t.Errorf("row %d of the CSV file: %v", i+2, row)
		}
	}
}

// checkHTML checks that the report is a single file without references to other files, and that it
// contains the expected texts.
func checkHTML(t *testing.T, page string, r *Report) {
	t.Helper()
	images := 0
	for _, m := range regexp.MustCompile(`(?i)\b(src|href|srcset|data|action)\s*=\s*"([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[2], "data:image/png;base64,") {
			t.Errorf("the report refers to %.80s", m[0])
		}
		images++
	}
	if bad := regexp.MustCompile(`(?i)<(script|link|iframe|object|embed)\b|@import|url\(|https?://`).FindString(page); bad != "" {
		t.Errorf("the report has %s", bad)
	}
	want := 0
	for _, f := range r.Files {
		if strings.HasSuffix(f, ".png") {
			want++
		}
	}
	if images != want {
		t.Errorf("the report shows %d pictures of %d", images, want)
	}
	// The base64 text of a picture may contain any word.
	text := html.UnescapeString(regexp.MustCompile(`base64,[^"]*`).ReplaceAllString(page, ""))
	for _, s := range append([]string{r.Title, "experiment " + r.Name, "arXiv:1608.08063"}, r.Summary...) {
		if !strings.Contains(text, s) {
			t.Errorf("the report does not say %q", s)
		}
	}
	if strings.Contains(text, "<no value>") || strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "NaN") {
		t.Error("the report has a value that the template does not know, or NaN")
	}
}

func checkXML(t *testing.T, name string, b []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = true
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// counting returns an experiment with cells that only count how often they are computed.
func counting(trials int, computed *int) Experiment {
	var mu sync.Mutex // cells run at the same time
	return Experiment{
		Name: "counting", Title: "Counting", Paper: "nowhere", Trials: trials, Revision: 1,
		methods: func() []method { return []method{{name: "a", settings: "x=1"}, {name: "b"}} },
		run: func(ctx context.Context, j *job) error {
			var cells []cell
			for trial := range j.Trials {
				for _, m := range j.methods {
					cells = append(cells, newCell(func(context.Context) (*output, error) {
						mu.Lock()
						*computed++
						mu.Unlock()
						if m.name == "b" && trial == 1 {
							return nil, errors.New("no luck")
						}
						o := new(output)
						o.addValue("number", float64(trial)/3, 7)
						return o, nil
					}, m.settings, m.name, trial))
				}
			}
			_, err := j.compute(ctx, grid{columns: []string{"method", "trial"}, within: []string{"k"}, settings: []setting{newSetting("size", 5)}}, cells)
			j.addFinding("counted")
			return err
		},
	}
}

func TestJournal(t *testing.T) {
	computed := 0
	s := Settings{Out: t.TempDir(), Workers: 1, Build: "one", Methods: []string{"A"}}
	run := func(trials int, set func(*Settings)) (*Report, error) {
		t.Helper()
		s := s
		if set != nil {
			set(&s)
		}
		computed = 0
		return Run(t.Context(), counting(trials, &computed), s)
	}
	check := func(what string, r *Report, err error, cells, reused, now int) {
		t.Helper()
		if err != nil || r.Cells != cells || r.Reused != reused || computed != now {
			t.Fatalf("%s: %+v, %v; %d computed, want %d cells, %d reused, %d computed", what, r, err, computed, cells, reused, now)
		}
	}
	r, err := run(2, nil)
	check("first", r, err, 2, 0, 2)
	r, err = run(3, nil)
	check("more trials", r, err, 3, 2, 1)
	r, err = run(3, func(s *Settings) { s.Methods = nil })
	check("more methods", r, err, 6, 3, 3)
	if len(r.Failed) != 1 || !strings.Contains(r.Failed[0], "method=b trial=1: no luck") {
		t.Errorf("failed: %q", r.Failed)
	}
	b, err := os.ReadFile(filepath.Join(r.Folder, "counting.csv"))
	want := "method,trial,k,measure,value\na,0,7,number,0\nb,0,7,number,0\na,1,7,number,0.3333333333333333\n" +
		"a,2,7,number,0.6666666666666666\nb,2,7,number,0.6666666666666666\n"
	if err != nil || string(b) != want {
		t.Errorf("the CSV file is %q, %v", b, err)
	}
	r, err = run(1, nil)
	check("fewer", r, err, 1, 1, 0)

	// A run with a different build and different methods must return an error.
	other := func(s *Settings) { s.Build = "two"; s.Methods = nil }
	_, err = run(3, other)
	if !errors.Is(err, ErrOtherBuild) || !strings.Contains(err.Error(), "one, now two") {
		t.Errorf("another build: %v", err)
	}
	r, err = run(4, func(s *Settings) { other(s); s.AnyBuild = true })
	check("any build", r, err, 8, 6, 2)
	page, err := os.ReadFile(filepath.Join(r.Folder, "counting.html"))
	if err != nil || !strings.Contains(string(page), "2 cells by two on") || !strings.Contains(string(page), "by one on") {
		t.Errorf("the report does not say which build has computed what: %v", err)
	}
	e := counting(2, &computed)
	e.Revision++
	if _, err := Run(t.Context(), e, s); !errors.Is(err, ErrOtherSettings) || !strings.Contains(err.Error(), "revision of the experiment was 1, now 2") {
		t.Errorf("another revision: %v", err)
	}
	before, err := os.ReadFile(filepath.Join(r.Folder, "counting.journal"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(2, func(s *Settings) { s.Seed = 9 }); !errors.Is(err, ErrOtherSettings) || !strings.Contains(err.Error(), "seed was 0, now 9") {
		t.Errorf("another seed: %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(r.Folder, "counting.journal")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("an error has changed the journal: %v", err)
	}
	r, err = run(2, func(s *Settings) { s.Seed = 9; s.Fresh = true })
	check("fresh", r, err, 2, 0, 2)

	// If the settings of a method have changed, its cells are computed again.
	e = counting(2, &computed)
	e.methods = func() []method { return []method{{name: "a", settings: "x=2"}} }
	computed = 0
	s.Seed = 9
	r, err = Run(t.Context(), e, s)
	check("other settings of a method", r, err, 2, 0, 2)
}

// TestJournalInUse checks that a second run in the same folder is an error and does not disturb the first.
func TestJournalInUse(t *testing.T) {
	s := Settings{Out: t.TempDir(), Workers: 1}
	e := counting(1, new(int))
	inner := e.run
	e.run = func(ctx context.Context, j *job) error {
		if err := inner(ctx, j); err != nil {
			return err
		}
		for _, fresh := range []bool{false, true} {
			s.Fresh = fresh
			var je *JournalError
			if _, err := Run(ctx, counting(1, new(int)), s); runtime.GOOS == "linux" && (!errors.Is(err, ErrInUse) || !errors.As(err, &je)) {
				t.Errorf("a second run (fresh: %v): %v", fresh, err)
			}
		}
		return nil
	}
	if r, err := Run(t.Context(), e, s); err != nil || r.Cells != 2 {
		t.Fatal(r, err)
	}
	s.Fresh = false
	if r, err := Run(t.Context(), counting(1, new(int)), s); err != nil || r.Reused != 2 {
		t.Error(r, err)
	}
}

func TestDamagedJournal(t *testing.T) {
	computed := 0
	s := Settings{Out: t.TempDir(), Workers: 1}
	if _, err := Run(t.Context(), counting(2, &computed), s); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Out, "counting", "counting.journal")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for name, c := range map[string]struct {
		text string
		line int // line number of the expected error, or 0 if Run must accept the journal
	}{
		"empty":                 {"", 0},
		"half a header":         {lines[0][:20], 0},
		"header":                {lines[0], 0},
		"half a session":        {lines[0] + lines[1][:9], 0},
		"half a cell":           {lines[0] + lines[1] + lines[2] + lines[3][:9], 0},
		"a line cut within":     {lines[0] + lines[1] + lines[2][:9] + "\n" + lines[3], 3},
		"a cell of no session":  {lines[0] + lines[2], 2},
		"another file":          {"a,b\n1,2\n", 1},
		"another file, no line": {"a,b", 1},
		"an unknown line":       {lines[0] + lines[1] + "{}\n", 3},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Run(t.Context(), counting(2, &computed), s)
		var je *JournalError
		switch {
		case c.line == 0:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			b, err := os.ReadFile(path)
			if err != nil || len(strings.Split(string(b), "\n")) < len(lines) {
				t.Errorf("%s: the journal is then %q, %v", name, b, err)
			}
		case !errors.As(err, &je) || !errors.Is(err, ErrDamaged) || je.Line != c.line || je.Path != path:
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOldPictures checks that a run removes the pictures of earlier runs and keeps all other files.
func TestOldPictures(t *testing.T) {
	out := t.TempDir()
	s := Settings{Out: out, Workers: 1}
	r, err := Run(t.Context(), counting(1, new(int)), s)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(r.Folder, name) }
	for _, name := range []string{"counting-old.png", "counting-old.svg", "notes.png", "counting.png"} {
		if err := os.WriteFile(at(name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Run(t.Context(), counting(1, new(int)), s); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"counting-old.png": false, "counting-old.svg": false, "notes.png": true, "counting.png": true, "counting.csv": true} {
		if _, err := os.Stat(at(name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettings(t *testing.T) {
	computed := 0
	for name, c := range map[string]struct {
		s    Settings
		want error
	}{
		"trials":  {Settings{Trials: -1}, ErrSettings},
		"workers": {Settings{Workers: -1}, ErrSettings},
		"method":  {Settings{Methods: []string{"c"}}, ErrMethod},
	} {
		c.s.Out = t.TempDir()
		if _, err := Run(t.Context(), counting(1, &computed), c.s); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if entries, _ := os.ReadDir(c.s.Out); len(entries) > 0 {
			t.Errorf("%s: an error has left %v", name, entries)
		}
	}
	if _, err := ByName("nothing"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "toy-lambda") {
		t.Errorf("unknown name: %v", err)
	}
	seen := map[string]bool{}
	for _, e := range All() {
		if f, err := ByName(e.Name); err != nil || f.Title != e.Title {
			t.Errorf("ByName(%q): %v", e.Name, err)
		}
		if e.Title == "" || e.Paper == "" || e.Trials < 1 || e.Revision < 1 || seen[e.Name] {
			t.Errorf("experiment %+v", e)
		}
		seen[e.Name] = true
		for _, file := range e.Data {
			if sources[file] == "" {
				t.Errorf("%s: nobody knows where %s comes from", e.Name, file)
			}
		}
	}
}

func TestMissingData(t *testing.T) {
	computed := 0
	e := counting(1, &computed)
	e.Data = []string{"iris.csv.gz", "wine.csv.gz"}
	out, data := t.TempDir(), t.TempDir()
	for _, folder := range []string{"", data} {
		_, err := Run(t.Context(), e, Settings{Out: out, Data: folder})
		var de *DataError
		if !errors.As(err, &de) || de.File != "iris.csv.gz" || de.Folder != folder || !strings.Contains(err.Error(), "UCI") {
			t.Errorf("no data in %q: %v", folder, err)
		}
	}
	if entries, _ := os.ReadDir(out); len(entries) > 0 {
		t.Errorf("an error has left %v", entries)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(data, "wine.csv.gz"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("1,2,0\n")
	r, err := Run(t.Context(), e, Settings{Out: out, Data: data})
	if err != nil || len(r.Missing) != 1 || r.Missing[0].File != "iris.csv.gz" {
		t.Fatalf("one file of two: %+v, %v", r, err)
	}
	b, err := os.ReadFile(filepath.Join(r.Folder, "counting.html"))
	if err != nil || !strings.Contains(string(b), "<code>iris.csv.gz</code>") {
		t.Errorf("the report does not name the missing file: %v", err)
	}
	// Replace the data file by a different file with the same name. Cells of the old file must not
	// be used.
	write("1,3,0\n")
	if _, err := Run(t.Context(), e, Settings{Out: out, Data: data}); !errors.Is(err, ErrOtherSettings) || !strings.Contains(err.Error(), "wine.csv.gz was another file") {
		t.Errorf("a file that has changed: %v", err)
	}
}

// TestFailures checks that a cell without a finite value counts as a failure, and that a run
// returns an error if all its cells fail.
func TestFailures(t *testing.T) {
	zero := 0.
	e := counting(1, new(int))
	e.run = func(ctx context.Context, j *job) error {
		_, err := j.compute(ctx, grid{columns: []string{"method"}}, []cell{
			newCell(func(context.Context) (*output, error) {
				o := new(output)
				o.addValue("ratio", zero/zero)
				return o, nil
			}, "", "a"),
		})
		return err
	}
	if _, err := Run(t.Context(), e, Settings{Out: t.TempDir()}); !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("only NaN: %v", err)
	}
}

// TestAbandon checks that a run ends even if a method ignores the context.
func TestAbandon(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	e := counting(1, new(int))
	e.run = func(ctx context.Context, j *job) error {
		_, err := j.compute(ctx, grid{columns: []string{"method"}}, []cell{
			newCell(func(context.Context) (*output, error) {
				cancel()
				<-release
				return new(output), nil
			}, "", "a"),
		})
		return err
	}
	out := t.TempDir()
	if _, err := Run(ctx, e, Settings{Out: out}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	b, err := os.ReadFile(filepath.Join(out, "counting", "counting.journal"))
	if err != nil || strings.Count(string(b), "\n") != 1 || !json.Valid(b) {
		t.Errorf("the journal is %q, %v", b, err)
	}
}
