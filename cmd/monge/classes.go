package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gomonge/monge/wda/dataset"
	"golang.org/x/text/unicode/norm"
)

// maxClass is the maximum number of rows of a class. Memory for transport within a class grows with
// the square of the number of rows.
const maxClass = 1 << 15

// checkClasses returns an error if a discriminant cannot be fitted to the classes of d. maxRows is
// the maximum number of rows in a class, or 0 for no limit. originalCounts contains the number of
// rows in each class before holdout and sampling, or is nil.
func checkClasses(path string, d *dataset.Dataset, sampled bool, originalCounts []int, maxRows int) error {
	among, advice := "", "is another column the label? --label-column chooses it. If the label is the name of a column, use --header present"
	if sampled {
		among, advice = " in the sample", "draw more rows with --sample"
	}
	present := 0
	for c, n := range d.Counts() {
		if n > maxRows && maxRows > 0 {
			return fmt.Errorf("%s: class %s has %d rows, too many for memory that grows with their square; draw at most %d a class with --sample, or fit with --method minibatch", path, quoteShort(d.Classes[c]), n, maxRows)
		}
		if n == 1 && !sampled && originalCounts != nil && originalCounts[c] > 1 {
			return fmt.Errorf("%s: class %s has %d rows, and --holdout leaves only one of them to learn from; at least two are needed: hold out less, leave --holdout out, or leave out the class", path, quoteShort(d.Classes[c]), originalCounts[c])
		}
		if n == 1 {
			return fmt.Errorf("%s: class %s has only one row%s; at least two are needed: %s", path, quoteShort(d.Classes[c]), among, advice)
		}
		if n > 0 {
			present++
		}
	}
	if present < 2 {
		return fmt.Errorf("%s: all %d rows%s have the label %s; at least two classes are needed: %s", path, d.Len(), among, quoteShort(d.Classes[d.Labels[0]]), advice)
	}
	return nil
}

// classNames returns the names of the classes that have rows.
func classNames(d *dataset.Dataset) []string {
	var names []string
	for c, n := range d.Counts() {
		if n > 0 {
			names = append(names, d.Classes[c])
		}
	}
	return names
}

// joinNames joins names with commas, up to about the given number of characters.
func joinNames(names []string, most int) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > most {
			b.WriteString("…")
			break
		}
		b.WriteString(clipName(n, most))
	}
	return b.String()
}

// quoteShort quotes a name for a message and shortens a long name.
func quoteShort(name string) string {
	if r := []rune(name); len(r) > 100 {
		name = string(r[:100]) + "…"
	}
	return strconv.Quote(name)
}

// clipName shortens a class name to the given number of characters and replaces unprintable
// characters by spaces.
func clipName(name string, most int) string {
	clean := strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return ' '
	}, name)
	if r := []rune(clean); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return clean
}

// clipMiddle shortens a name in the middle, because names often differ at the end.
func clipMiddle(name string, most int) string {
	r := []rune(clipName(name, len(name)+1))
	if len(r) <= most {
		return string(r)
	}
	head := most / 2
	return string(r[:head]) + "…" + string(r[len(r)-(most-head-1):])
}

// similarNames returns warnings about classes whose names differ only in Unicode normalization.
func similarNames(classes []string) []string {
	seen := map[string]string{}
	for _, name := range classes {
		composed := norm.NFC.String(name)
		if other, ok := seen[composed]; ok {
			return []string{fmt.Sprintf("the classes %+q and %+q look the same, but their characters are composed in two ways (Unicode NFC and NFD); normalize the labels if they are one class", other, name)}
		}
		seen[composed] = name
	}
	return nil
}
