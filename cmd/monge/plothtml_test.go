package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

func decoded[T float32 | int32 | uint8](t *testing.T, text string, n int) []T {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	v := make([]T, n)
	if err == nil {
		var used int
		if used, err = binary.Decode(b, binary.LittleEndian, v); used != len(b) {
			t.Errorf("%d bytes for %d elements", len(b), n)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// pageOf returns the data of a page, and its text.
func pageOf(t *testing.T, path string) (d pageData, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`<script id="data" type="application/json">(.*)</script>`).FindSubmatch(b)
	if m == nil {
		t.Fatal("no data in the page")
	}
	if err := json.Unmarshal(m[1], &d); err != nil {
		t.Fatal(err)
	}
	return d, string(b)
}

// TestPlotRecallsHoldout checks that plot takes the held-out rows from the model only if the data file
// is the file that the model was fitted to.
func TestPlotRecallsHoldout(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	for _, fit := range [][]string{{"--k", "3"}, {"--k", "3", "--reject", "0.3"}, {"--sample", "30"}, {"--standardize"}} {
		fitSummary(t, append(fit, "--data", s.csv, "--holdout", "0.4", "--seed", "7", "--model", at("m.wda"))...)
		plot := func(out string, more ...string) (any, string) {
			t.Helper()
			code, stdout, stderr := monge(t, append([]string{"plot", "--model", at("m.wda"), "--data", s.csv, "--json", "--out", at(out)}, more...)...)
			if code != exitOK {
				t.Fatal(stderr)
			}
			var v map[string]any
			if err := json.Unmarshal([]byte(stdout), &v); err != nil {
				t.Fatal(err)
			}
			return v["rows"], stderr
		}
		plot("given.html", "--holdout", "0.4", "--seed", "7")
		_, said := plot("recalled.html")
		given, _ := pageOf(t, at("given.html"))
		recalled, _ := pageOf(t, at("recalled.html"))
		if !given.Parts || !reflect.DeepEqual(given, recalled) || !strings.Contains(said, "the test rows are those that monge fit held out (--holdout 0.4 --seed 7)") {
			t.Errorf("%v: another page; %s", fit, said)
		}
		want, _ := plot("given.png", "--rows", "test", "--holdout", "0.4", "--seed", "7")
		if got, _ := plot("recalled.png", "--rows", "test"); got != want {
			t.Errorf("%v: %v rows instead of %v", fit, got, want)
		}
		object(t, "plot", "--model", at("m.wda"), "--data", s.test, "--out", at("other.html"))
		if other, _ := pageOf(t, at("other.html")); other.Parts {
			t.Errorf("%v: other rows are divided", fit)
		}
	}
}

// TestPlotPage checks that the page contains the same projections, row numbers, marks of training
// rows and errors as the output of other commands.
func TestPlotPage(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--holdout", "0.4", "--model", at("m.wda"), "-p", "2", "--k", "3")
	m, c, err := readClassifier(at("m.wda"))
	if err != nil {
		t.Fatal(err)
	}
	v := object(t, "plot", "--model", at("m.wda"), "--data", s.csv, "--holdout", "0.4", "--out", at("p.html"), "--title", "</script><b>")
	all, err := dataset.ReadFile(s.csv, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := all.Len()
	d, text := pageOf(t, at("p.html"))
	if numberAt(t, v, "rows") != float64(n) || !d.Parts || !d.Classified || d.Title != "</script><b>" || len(d.Ratios) != 2 || d.Ratios[0] == nil || len(d.Classes) != len(all.Classes) {
		t.Fatalf("%v: %d rows; %+v", v, n, d)
	}
	if *d.Ratios[0] != m.Report().Ratios[0] || !(*d.Ratios[0] >= *d.Ratios[1]) {
		t.Errorf("ratios %v %v", *d.Ratios[0], *d.Ratios[1])
	}
	for _, network := range []string{"src=", "href=", "url(", "import ", "fetch(", "XMLHttp"} {
		if strings.Contains(text, network) {
			t.Errorf("the page has %q", network)
		}
	}
	train, test, err := all.TrainTest(0.4, 1)
	if err != nil {
		t.Fatal(err)
	}
	var y mat.Dense
	m.Transform(&y, all.X)
	x, row, label := decoded[float32](t, d.X, 2*n), decoded[int32](t, d.Row, n), decoded[int32](t, d.Label, n)
	flags, guess := decoded[uint8](t, d.Flags, n), decoded[int32](t, d.Predicted, n)
	values := decoded[float32](t, d.Values, n*len(d.Features))
	if len(d.Features) != 5 {
		t.Fatalf("features %q", d.Features)
	}
	isWrongOf := 0
	for i := range n {
		r := int(row[i]) - 1
		if int(label[i]) != all.Labels[r] || x[2*i] != float32(y.At(r, 0)) || x[2*i+1] != float32(y.At(r, 1)) {
			t.Fatalf("row %d is not row %d of the file", i, r+1)
		}
		for k, name := range d.Features {
			j := slices.Index(all.Columns, name)
			if j < 0 {
				j, _ = strconv.Atoi(strings.Trim(name, "x[]"))
			}
			if values[i*len(d.Features)+k] != float32(all.X.At(r, j)) {
				t.Fatalf("row %d: feature %s is another number", r+1, name)
			}
		}
		part, k := train, i
		if flags[i]&isTest != 0 {
			part, k = test, i-train.Len()
		}
		if k < 0 || k >= part.Len() || !mat.Equal(part.X.RowView(k), all.X.RowView(r)) {
			t.Fatalf("row %d is not in its part", r+1)
		}
		if flags[i]&isTest == 0 {
			if flags[i]&isWrong != 0 {
				t.Errorf("training row %d is marked", r+1)
			}
			continue
		}
		class, _ := c.Predict(all.X.RawRowView(r), nil)
		taken := class.Name
		if (taken != all.Classes[label[i]]) != (flags[i]&isWrong != 0) || flags[i]&isWrong != 0 && all.Classes[guess[i]] != taken {
			t.Errorf("row %d: flags %d, taken for %s", r+1, flags[i], taken)
		}
		isWrongOf += int(flags[i]) / isWrong
	}
	if isWrongOf == 0 {
		t.Error("no test row is misclassified: nothing was tested")
	}
	// Draw the test rows of a file with an array named split. Then draw data without labels.
	object(t, "plot", "--model", at("m.wda"), "--data", s.npz, "--rows", "test", "--out", at("n.html"))
	if d, _ := pageOf(t, at("n.html")); !d.Parts || bytes.ContainsFunc(decoded[uint8](t, d.Flags, len(d.Flags)/4*3-strings.Count(d.Flags, "=")), func(f rune) bool { return f&isTest == 0 }) {
		t.Error("--rows test has other rows")
	}
	object(t, "plot", "--model", at("m.wda"), "--data", s.x, "--out", at("x.html"))
	if d, _ := pageOf(t, at("x.html")); d.Parts || d.Classified || len(d.Classes) != 1 {
		t.Errorf("without labels: %+v", d.Classes)
	}
}

// TestPlotPageInBrowser opens the page in a browser. It checks the drawing, the legend, the axes and
// the reaction to pointer events.
func TestPlotPageInBrowser(t *testing.T) {
	testdata.Long(t)
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium here")
	}
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--holdout", "0.4", "--model", at("m.wda"), "-p", "3", "--k", "3")
	object(t, "plot", "--model", at("m.wda"), "--data", s.csv, "--holdout", "0.4", "--out", at("p.html"))
	d, text := pageOf(t, at("p.html"))
	n := len(d.Flags)/4*3 - strings.Count(d.Flags, "=")
	flags, label := decoded[uint8](t, d.Flags, n), decoded[int32](t, d.Label, n)
	drive := `<script>
const seen = {gl: !!gl, all: order.length, slow: typeof slow}, press = text => [...document.querySelectorAll("button")].find(b => b.textContent.startsWith(text)).click();
const q = [0, 0]; place(7, q);
hover({offsetX: (q[0] + 1) * area.clientWidth / 2, offsetY: (1 - q[1]) * area.clientHeight / 2}); seen.tip = $("tip").textContent;
press("training"); seen.test = order.length; press("training"); press("misclassified"); seen.wrong = order.length; press("misclassified");
press(D.classes[0].name); seen.class0 = order.length; press(D.classes[0].name); seen.again = order.length;
const all = $("classes").children, w = area.clientWidth, h = area.clientHeight;
$("find").value = D.classes[1].name; $("find").dispatchEvent(new Event("input")); seen.found = [...all].filter(b => !b.hidden).length;
$("find").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"})); seen.alone = order.length; $("find").value = ""; $("find").dispatchEvent(new Event("input")); seen.after = order.length;
press("Lasso"); for (const [kind, x, y] of [["down", 0, 0], ["move", w, 0], ["move", w, h], ["move", 0, h], ["up", 0, h]]) area.dispatchEvent(new PointerEvent("pointer" + kind, {pointerId: 1, clientX: x, clientY: y}));
seen.lasso = picked.length; seen.listed = $("rows").querySelectorAll("tr").length - 1; press("Lasso"); seen.dropped = picked.length;
const svg = new DOMParser().parseFromString(svgText(), "image/svg+xml"); seen.svg = svg.querySelector("parsererror") ? -1 : [...svg.querySelectorAll("path")].reduce((k, p) => k + p.getAttribute("d").split("M").length - 1, 0);
const touch = (kind, id, x, y) => area.dispatchEvent(new PointerEvent("pointer" + kind, {pointerId: id, pointerType: "touch", clientX: x, clientY: y}));
press("Show all"); seen.outside = 0; for (const i of order) { place(i, q); const x = (q[0] + 1) * w / 2, y = (1 - q[1]) * h / 2; seen.outside += x < 50 || x > w - 8 || y < 8 || y > h - 36; }
place(7, q); const tx = (q[0] + 1) * w / 2, ty = (1 - q[1]) * h / 2; touch("down", 1, tx, ty); touch("move", 1, tx + 3, ty); touch("up", 1, tx, ty); touch("leave", 1, tx, ty); seen.tapped = $("tip").style.display == "block";
touch("down", 1, 100, 200); touch("down", 2, 200, 200); touch("move", 1, 50, 200); touch("move", 2, 250, 200); seen.pinched = view.zoom; const pan = [...view.pan];
touch("move", 1, 90, 240); touch("move", 2, 290, 240); seen.panned = [(view.pan[0] - pan[0]) * w / 2, (pan[1] - view.pan[1]) * h / 2]; touch("up", 1, 90, 240); touch("up", 2, 290, 240); seen.stays = $("tip").style.display == "block";
const png = canvasPNG(), legend = key(h), entry0 = legend.items.find(k => k.text == D.classes[0].name), dpr = devicePixelRatio, dot = png.getContext("2d").getImageData($("points").width + (entry0.x + 6) * dpr, (entry0.y + 6) * dpr, 1, 1).data;
seen.png = png.width - $("points").width >= 200 * dpr && "#" + [...dot].slice(0, 3).map(v => v.toString(16).padStart(2, "0")).join("") == hue(D.classes[0]);
seen.keys = legend.items.map(k => k.text).join("|"); const names = D.classes.map(c => c.name); for (let k = 0; k < 300; k++) { D.classes.push({...D.classes[0], name: "class " + k}); counts.push(1); }
const many = key(400).items; seen.more = many.length + " " + many[many.length - 1].text; D.classes.length = counts.length = names.length; press("Show all");
const z = document.querySelectorAll("select")[2]; z.value = 2; z.dispatchEvent(new Event("change")); draw();
if (gl) { const px = new Uint8Array(4 * $("points").width * $("points").height); gl.readPixels(0, 0, $("points").width, $("points").height, gl.RGBA, gl.UNSIGNED_BYTE, px); let ink = 0; for (let i = 0; i < px.length; i += 4) ink += px[i] + px[i+1] + px[i+2] < 700; seen.ink = ink; }
seen.options = z.options.length; seen.three = axes[2]; seen.compass = [1, 2, 3].filter(k => svgText().includes(">" + k + "</text>")).length; document.title = JSON.stringify(seen);
</script></body>`
	write(t, at("drive.html"), strings.Replace(text, "</body>", drive, 1))
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--enable-unsafe-swiftshader", "--window-size=800,600", "--user-data-dir="+at("profile"), "--dump-dom", "file://"+at("drive.html"))
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.Output()
	title := regexp.MustCompile(`<title>(\{.*?\})</title>`).FindSubmatch(out)
	if err != nil || title == nil {
		t.Fatalf("the page failed: %v, %.300s", err, out)
	}
	var seen struct {
		GL                                              bool
		All, Test, Wrong, Class0, Again, Options, Three int

		Found, Alone, After, Lasso, Listed, Dropped, SVG int

		Outside, Compass   int
		Tapped, Stays, PNG bool
		Pinched            float64
		Panned             []float64
		Keys, More         string

		Ink float64
		Tip string
	}
	if err := json.Unmarshal(bytes.ReplaceAll(title[1], []byte("&amp;"), []byte("&")), &seen); err != nil {
		t.Fatal(err)
	}
	var tests, wrongs, first int
	for i, f := range flags {
		tests += int(f & isTest)
		wrongs += int(f&isWrong) / isWrong
		if label[i] == 0 {
			first++
		}
	}
	row := decoded[int32](t, d.Row, n)[7]
	if seen.All != n || seen.Again != n || seen.Test != tests || seen.Wrong != wrongs || seen.Class0 != n-first || seen.Options != 4 || seen.Three != 2 {
		t.Errorf("%+v; want %d rows, %d test, %d wrong, %d without the first class", seen, n, tests, wrongs, n-first)
	}
	if want := "row " + formatShortest(float64(row)) + ": "; !strings.HasPrefix(seen.Tip, want) {
		t.Errorf("under the pointer: %q, want %q", seen.Tip, want)
	}
	second := 0
	for _, l := range label {
		if l == 1 {
			second++
		}
	}
	if seen.Found != 1 || seen.Alone != second || seen.After != n || seen.Lasso != n || seen.Listed != min(n, 200) || seen.Dropped != 0 || seen.SVG < n+wrongs {
		t.Errorf("%+v; want %d rows of the second class, %d in the lasso, %d marks in the SVG file", seen, second, n, n+wrongs)
	}
	if seen.Outside != 0 || seen.Compass != 3 || !seen.Tapped || seen.Stays {
		t.Errorf("%+v; want all points away from the edges, three directions in the SVG file, and the row of a tap until the next touch", seen)
	}
	if seen.Pinched < 1.9 || seen.Pinched > 2.1 || len(seen.Panned) != 2 || math.Abs(seen.Panned[0]-40) > 1 || math.Abs(seen.Panned[1]-40) > 1 {
		t.Errorf("two fingers: zoomed by %v, moved by %v; want 2 and 40, 40", seen.Pinched, seen.Panned)
	}
	var names []string
	for _, c := range d.Classes {
		names = append(names, c.Name)
	}
	keys := "training (pale)|test|" + strings.Join(names, "|")
	if wrongs > 0 {
		keys = "training (pale)|test|misclassified|" + strings.Join(names, "|")
	}
	if !seen.PNG || seen.Keys != keys {
		t.Errorf("legend of the PNG file: %v, %q, want %q", seen.PNG, seen.Keys, keys)
	}
	if rows := (400 - 44) / 16; seen.More != fmt.Sprintf("%d and %d more", 4*rows, 300+strings.Count(keys, "|")+1-4*rows+1) {
		t.Errorf("legend of many classes: %q", seen.More)
	}
	if k := strings.Count(seen.Tip, " = "); k != len(d.Features) || len(d.Features) == 0 {
		t.Errorf("%d features under the pointer: %q", k, seen.Tip)
	}
	if seen.GL && seen.Ink < math.Sqrt(float64(n)) {
		t.Errorf("%v pixels of ink", seen.Ink)
	}
}
