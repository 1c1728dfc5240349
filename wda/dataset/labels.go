package dataset

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// encoder turns label texts into class numbers. It keeps one string per
// distinct label, not per row.
type encoder struct {
	index map[string]int
	texts []string
	first []int   // place of the first occurrence of each text
	rows  []int32 // number of each row's text
}

// add appends the label of a row that errors are to call place.
func (e *encoder) add(text []byte, place int) {
	k, ok := e.index[string(text)]
	if !ok {
		if e.index == nil {
			e.index = make(map[string]int)
		}
		k = len(e.texts)
		e.index[string(text)] = k
		e.texts = append(e.texts, string(text))
		e.first = append(e.first, place)
	}
	e.rows = append(e.rows, int32(k))
}

// dropFirst forgets the first row, whose label no other row may have.
func (e *encoder) dropFirst() {
	e.texts, e.first, e.rows = e.texts[1:], e.first[1:], e.rows[1:]
	for i := range e.rows {
		e.rows[i]--
	}
	e.index = nil
}

// encode sorts the classes and returns the label of each row. If every text is
// a number the order is numerical and different spellings of one number (1,
// 1.0, 01) are one class; otherwise it is lexical. A NaN or infinity among
// numbers is a *FileError with its place.
func (e *encoder) encode() (labels []int, classes []string, err error) {
	type class struct {
		text  string
		value float64
		old   int
	}
	list := make([]class, len(e.texts))
	numeric := true
	for k, text := range e.texts {
		v, err := strconv.ParseFloat(text, 64)
		numeric = numeric && err == nil && !literal([]byte(text))
		list[k] = class{text, v, k}
	}
	if numeric {
		for k := range list {
			switch v := list[k].value; {
			case math.IsNaN(v):
				return nil, nil, &FileError{Row: e.first[k], Err: because(errNaN, "the label is NaN")}
			case math.IsInf(v, 0):
				return nil, nil, &FileError{Row: e.first[k], Err: because(errInf, "the label is infinite")}
			}
			list[k].text = canonical(list[k].text, list[k].value)
		}
	}
	slices.SortStableFunc(list, func(a, b class) int {
		if numeric {
			if c := cmp.Compare(a.value, b.value); c != 0 {
				return c
			}
			// Integers beyond 2⁵³ can share a float64: the text decides.
		}
		return cmp.Compare(a.text, b.text)
	})

	renumber := make([]int, len(list))
	for _, c := range list {
		if len(classes) == 0 || classes[len(classes)-1] != c.text {
			classes = append(classes, c.text)
		}
		renumber[c.old] = len(classes) - 1
	}
	labels = make([]int, len(e.rows))
	for i, k := range e.rows {
		labels[i] = renumber[k]
	}
	return labels, classes, nil
}

// sortNames sorts numerically if all names are numbers, else lexically.
func sortNames(names []string) {
	value := map[string]float64{}
	for _, name := range names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || v != v || literal([]byte(name)) {
			slices.Sort(names)
			return
		}
		value[name] = v
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(value[a], value[b]), cmp.Compare(a, b))
	})
}

// canonical spells a number in one way. Beyond 2⁵³ a float64 no longer tells
// integers apart, and identifiers written there must stay apart.
func canonical(text string, v float64) string {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	if math.Abs(v) >= 1<<53 {
		return text
	}
	if v == math.Trunc(v) {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
