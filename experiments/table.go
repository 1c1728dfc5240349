package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// table is a table of a report. It shows published values next to the values of the experiment.
type table struct {
	Title, Note string
	Head        []string // column heads; the first column has the names of the rows
	Rows        []tableRow
}

type tableRow struct {
	Name   string
	Fields []field
}

// field is a value in a table.
type field struct {
	Text      string
	Bold      bool   // whether the value is the best of its row
	Underline bool   // the value does not differ significantly from the best
	Paper     string // the published value
}

// percentField formats error rates in percent as mean ± standard deviation, or "–" if errs is
// empty.
func percentField(errs []float64) field {
	if len(errs) == 0 {
		return field{Text: "–"}
	}
	if len(errs) == 1 {
		return field{Text: fmt.Sprintf("%.2f", 100*errs[0])}
	}
	mean, sd := stat.MeanStdDev(errs, nil)
	return field{Text: fmt.Sprintf("%.2f ± %.2f", 100*mean, 100*sd)}
}

// medianField formats the median of error rates in percent, or "–" if errs is empty.
func medianField(errs []float64) field {
	if len(errs) == 0 {
		return field{Text: "–"}
	}
	s := slices.Sorted(slices.Values(errs))
	return field{Text: fmt.Sprintf("%.2f", 50*(s[(len(s)-1)/2]+s[len(s)/2]))}
}

// numberField formats the mean of the values v, or "–" if there are none.
func numberField(format string, v ...float64) field {
	if len(v) == 0 {
		return field{Text: "–"}
	}
	return field{Text: fmt.Sprintf(format, stat.Mean(v, nil))}
}

// markBest makes the field with the lowest mean bold. A field without values has a nil slice.
func (r *tableRow) markBest(values [][]float64) {
	best := math.Inf(1)
	for _, v := range values {
		if len(v) > 0 {
			best = min(best, stat.Mean(v, nil))
		}
	}
	for i, v := range values {
		r.Fields[i].Bold = len(v) > 0 && stat.Mean(v, nil) == best
	}
}

// plain returns the table as text, for the terminal and for tests.
func (t *table) plain() string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(t.Head, "\t"))
	for _, r := range t.Rows {
		b.WriteString(r.Name)
		for _, f := range r.Fields {
			b.WriteString("\t" + f.Text)
			if f.Bold {
				b.WriteString("*")
			}
			if f.Underline {
				b.WriteString("_")
			}
			if f.Paper != "" {
				fmt.Fprintf(&b, " (%s)", f.Paper)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
