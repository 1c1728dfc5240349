package experiments

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/picture"
	"gonum.org/v1/plot/vg/draw"
)

// page is the content of the HTML report, in order.
type page struct {
	settings []setting
	times    []groupTime
	parts    []part
}

// part is a heading, a paragraph, a picture or a table of the report.
type part struct {
	Heading string
	Text    string
	Table   *table
	Image   *image
}

type image struct {
	Name, Caption string
	Width, Height int
	PNG           []byte
}

// Source returns the picture inline, so that the report is one file.
func (i *image) Source() template.URL {
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(i.PNG))
}

// addFinding adds a main finding: a sentence for the terminal and the head of the report.
func (j *job) addFinding(format string, args ...any) {
	j.report.Summary = append(j.report.Summary, fmt.Sprintf(format, args...))
}

func (j *job) addHeading(text string) { j.page.parts = append(j.page.parts, part{Heading: text}) }

func (j *job) addParagraph(format string, args ...any) {
	j.page.parts = append(j.page.parts, part{Text: fmt.Sprintf(format, args...)})
}

func (j *job) addTable(t *table) { j.page.parts = append(j.page.parts, part{Table: t}) }

// addFigure draws a picture of the given size in pixels of 1/96 inch, writes it as
// EXPERIMENT-NAME.png and .svg, and adds it to the report.
func (j *job) addFigure(name, caption string, width, height int, paint func(draw.Canvas)) error {
	dpi := 120
	if j.Small {
		dpi = 30
	}
	full := func(c draw.Canvas) { paint(picture.Background(c)) }
	for _, format := range []string{".png", ".svg"} {
		file, err := picture.Encode(format, width, height, dpi, full)
		if err != nil {
			return err
		}
		err = j.write(j.experiment.Name+"-"+name+format, func(w io.Writer) error {
			_, err := w.Write(file)
			return err
		})
		if err != nil {
			return err
		}
		if format == ".png" {
			j.page.parts = append(j.page.parts, part{Image: &image{name, caption, width, height, file}})
		}
	}
	return nil
}

// groupTime is the computing time of a group of cells, for example of all cells of one method.
type groupTime struct {
	Name           string
	Cells          int
	Mean, Max, Sum float64 // seconds
}

// groupTimes groups the cells by method, or by the first column if the cells have no method.
func (r *results) groupTimes() []groupTime {
	column := max(0, slices.Index(r.columns, "method"))
	var all []groupTime
	for _, c := range r.cells {
		i := slices.IndexFunc(all, func(g groupTime) bool { return g.Name == c.At[column] })
		if i < 0 {
			i = len(all)
			all = append(all, groupTime{Name: c.At[column]})
		}
		g := &all[i]
		g.Cells++
		g.Sum += c.Seconds
		g.Max = max(g.Max, c.Seconds)
		g.Mean = g.Sum / float64(g.Cells)
	}
	return all
}

//go:embed report.html.tmpl
var reportText string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"seconds": func(s float64) string { return fmt.Sprintf("%.3g", s) },
}).Parse(reportText))

func (j *job) writeReport() error {
	var sessions []session
	if j.journal != nil {
		for _, s := range j.journal.sessions {
			if s.cells > 0 {
				sessions = append(sessions, s)
			}
		}
	}
	var names, describe []string
	for _, m := range j.methods {
		names = append(names, m.name)
		if m.settings != "" {
			describe = append(describe, m.name+": "+m.settings)
		}
	}
	settings := []setting{newSetting("seed", j.Seed), newSetting("trials", j.Trials)}
	if names != nil {
		settings = append(settings, newSetting("methods", strings.Join(names, ", ")))
	}
	if describe != nil {
		settings = append(settings, newSetting("their settings, where not the defaults", strings.Join(describe, "; ")))
	}
	settings = append(settings, j.page.settings...)
	var runs []string
	for _, s := range sessions {
		runs = append(runs, fmt.Sprintf("%s: %d cells by %s on %s, %d at a time", s.Date, s.cells, s.Build, s.Machine, s.Workers))
	}
	data := struct {
		Experiment Experiment
		Report     *Report
		Parts      []part
		Settings   []setting
		Times      []groupTime
		Runs       []string
		Command    string
		Small      bool
		Date       string
	}{
		j.experiment, &j.report, j.page.parts, settings, j.page.times, runs, j.command(), j.Small,
		time.Now().UTC().Format("2006-01-02 15:04 MST"),
	}
	var out bytes.Buffer
	if err := reportTemplate.Execute(&out, data); err != nil {
		return err
	}
	err := j.write(j.experiment.Name+".html", func(w io.Writer) error {
		_, err := w.Write(out.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	return j.removeOldPictures()
}

// removeOldPictures removes pictures that this run has not drawn. These pictures show the results
// of an earlier run, for example with more methods.
func (j *job) removeOldPictures() error {
	entries, err := os.ReadDir(j.folder)
	if err != nil {
		return err
	}
	for _, f := range entries {
		name, ext := f.Name(), filepath.Ext(f.Name())
		ours := strings.HasPrefix(name, j.experiment.Name+"-") && (ext == ".png" || ext == ".svg")
		if ours && !slices.Contains(j.report.Files, name) {
			if err := os.Remove(filepath.Join(j.folder, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// command returns the command line that makes this report.
func (j *job) command() string {
	c := "experiment " + j.experiment.Name
	switch {
	case j.experiment.find != nil:
		c += " DIR"
	case len(j.experiment.Data) > 0:
		c += " --data DIR"
	}
	if j.Limit > 0 {
		c += fmt.Sprint(" --limit ", j.Limit)
	}
	if j.Tuned {
		c += " --cv"
	}
	if j.Trials != j.experiment.Trials {
		c += fmt.Sprintf(" --trials %d", j.Trials)
	}
	if j.Seed != 1 {
		c += fmt.Sprintf(" --seed %d", j.Seed)
	}
	if len(j.Methods) > 0 {
		c += " --methods " + strings.Join(j.Methods, ",")
	}
	if j.Small {
		c += " --small"
	}
	return c
}

// describeMachine returns the processor name, the number of CPUs, the platform and the
// instruction-set level.
func describeMachine() string {
	return fmt.Sprintf("%s, %d CPUs, %s/%s, level %v", processorName(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, asm.Current())
}

// processorName returns the model name of the processor on Linux, or "unknown processor".
func processorName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
