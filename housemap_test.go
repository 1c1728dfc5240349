package monge

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const mapFile = "docs/house.svg"

var update = flag.Bool("update", false, "draw "+mapFile+" anew")

// TestHouseMap: the picture in CONTRIBUTING.md shows the imports as they are.
//
//	go test -run HouseMap -update .
func TestHouseMap(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	for _, p := range list(t, "cmd/...", "dist", "vecmath", "sinkhorn", "wda/...", "internal/...") {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		imports[name] = nil
		for _, i := range p.Imports {
			if in, ok := strings.CutPrefix(i, module+"/"); ok {
				imports[name] = append(imports[name], in)
			}
		}
	}
	// What neither a user nor a floor imports, a generator or help for tests, is no room.
	wanted := map[string]bool{}
	for name := range imports {
		if !strings.HasPrefix(name, "internal/") {
			reach(imports, name, wanted)
		}
	}
	maps.DeleteFunc(imports, func(name string, _ []string) bool { return !wanted[name] })

	svg := drawHouse(imports)
	if *update {
		if err := os.WriteFile(mapFile, svg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(mapFile); err != nil || !bytes.Equal(old, svg) {
		t.Errorf("%s does not show the imports as they are: go test -run HouseMap -update . (%v)", mapFile, err)
	}
}

// reach adds name and all that it imports, directly or not, to seen.
func reach(imports map[string][]string, name string, seen map[string]bool) {
	if !seen[name] {
		seen[name] = true
		for _, i := range imports[name] {
			reach(imports, i, seen)
		}
	}
}

// A box is a package, or, without a name, a place where an arrow passes a row.
type box struct {
	name     string
	x, width int // center and width, pixels
	up, down []*box
}

// drawHouse returns a picture of the packages, each below all that import it. Arrows
// that others imply are left out. All numbers are integers: the same bytes everywhere.
func drawHouse(imports map[string][]string) []byte {
	const rowHeight, boxHeight, gap, margin = 74, 26, 14, 20
	names := slices.Sorted(maps.Keys(imports))

	// A package's row, counted from the top, is one below the lowest that imports it.
	row := map[string]int{}
	for range names {
		for _, from := range names {
			for _, to := range imports[from] {
				row[to] = max(row[to], row[from]+1)
			}
		}
	}
	rows := make([][]*box, 1+row[slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(row[a], row[b]) })])
	add := func(name string, r int) *box {
		b := &box{name: name, width: 2}
		if name != "" {
			b.width = 14 + 7*len(name)
		}
		rows[r] = append(rows[r], b)
		return b
	}
	boxes := map[string]*box{}
	for _, name := range names {
		boxes[name] = add(name, row[name])
	}
	for _, from := range names {
		implied := map[string]bool{}
		for _, to := range imports[from] {
			for _, next := range imports[to] {
				reach(imports, next, implied)
			}
		}
		for _, to := range slices.Sorted(slices.Values(imports[from])) {
			if implied[to] {
				continue
			}
			last := boxes[from]
			for r := row[from] + 1; r <= row[to]; r++ {
				next := boxes[to]
				if r < row[to] {
					next = add("", r)
				}
				last.down, next.up = append(last.down, next), append(next.up, last)
				last = next
			}
		}
	}

	// Boxes go, row by row, down and up, to the middle of their neighbors, and then as
	// far apart as they must.
	widest := 0
	for sweep := range 60 {
		for k := range rows {
			r, down := k, sweep%2 == 0
			if !down {
				r = len(rows) - 1 - k
			}
			for _, b := range rows[r] {
				next := b.up
				if !down {
					next = b.down
				}
				if sum := 0; len(next) > 0 {
					for _, n := range next {
						sum += n.x
					}
					b.x = sum / len(next)
				}
			}
			slices.SortStableFunc(rows[r], func(a, b *box) int { return cmp.Compare(a.x, b.x) })
			spread(rows[r], gap)
		}
	}
	left := rows[0][0].x
	for _, r := range rows {
		left = min(left, r[0].x-r[0].width/2)
	}
	for _, r := range rows {
		for _, b := range r {
			b.x += margin - left
			widest = max(widest, b.x+b.width/2+margin)
		}
	}

	var arrows, texts bytes.Buffer
	y := func(r int) int { return margin + r*rowHeight }
	for r, boxesOf := range rows {
		for _, b := range boxesOf {
			from := y(r) + boxHeight
			if b.name == "" {
				from = y(r)
				fmt.Fprintf(&arrows, "<path d=\"M%d %dV%d\"/>\n", b.x, from, from+boxHeight)
				from += boxHeight
			} else {
				fmt.Fprintf(&texts, "<rect class=%q x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
					strings.Split(b.name, "/")[0]+map[bool]string{true: " asm"}[strings.HasPrefix(b.name, "internal/asm")],
					b.x-b.width/2, y(r), b.width, boxHeight, b.x, y(r)+boxHeight/2+4, b.name)
			}
			for _, to := range b.down {
				end := map[bool]string{true: ` marker-end="url(#tip)"`}[to.name != ""]
				fmt.Fprintf(&arrows, "<path d=\"M%d %dC%d %d %d %d %d %d\"%s/>\n", b.x, from, b.x, from+24, to.x, y(r+1)-24, to.x, y(r+1), end)
			}
		}
	}
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d">
<title>Packages of monge and what they import; imports that others imply are left out</title>
<style>
path { fill: none; stroke: #777 } #tip path { fill: #777; stroke: none }
text { font: 12px monospace; text-anchor: middle } rect { fill: #cfe3f7; stroke: #555 }
.internal { fill: #eee } .asm { fill: #fbe0c4 } .cmd { fill: #d6efd0 }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
<rect width="100%%" height="100%%" style="fill: white; stroke: none"/>
`, widest, y(len(rows)-1)+boxHeight+margin)
	svg.Write(arrows.Bytes())
	svg.Write(texts.Bytes())
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

// spread moves the boxes of a row apart, as little as their order allows: each stands
// between how far those to its left push it and how far those to its right.
func spread(row []*box, gap int) {
	apart := func(a, b *box) int { return (a.width+b.width)/2 + gap }
	right, left := make([]int, len(row)), make([]int, len(row))
	for i, b := range row {
		right[i], left[i] = b.x, b.x
		if i > 0 {
			right[i] = max(b.x, right[i-1]+apart(row[i-1], b))
		}
	}
	for i := len(row) - 2; i >= 0; i-- {
		left[i] = min(row[i].x, left[i+1]-apart(row[i], row[i+1]))
	}
	for i, b := range row {
		b.x = (left[i] + right[i]) / 2
	}
	for i := 1; i < len(row); i++ {
		row[i].x = max(row[i].x, row[i-1].x+apart(row[i-1], row[i]))
	}
}
