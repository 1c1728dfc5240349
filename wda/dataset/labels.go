package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
)

// MissingLabels selects the treatment of rows whose label is missing. Null and empty labels are
// missing in every format. The texts NA, N/A, #N/A, NaN, null, None, <NA> and ? are also missing, and
// so is a minus sign, "-", if no label is "+". With MissingLabelsKeep, these texts are class names.
type MissingLabels uint8

const (
	// MissingLabelsError makes a missing label an error. The error names the first row without a label.
	MissingLabelsError MissingLabels = iota
	// MissingLabelsDrop drops rows with missing labels.
	MissingLabelsDrop
	// MissingLabelsKeep treats texts such as NA as names of classes. Null and empty labels are errors.
	MissingLabelsKeep
)

var missingLabelsNames = enum.New("MissingLabels", fault.ErrSettings, "error", "drop", "keep")

// String returns the name: error, drop or keep.
func (m MissingLabels) String() string { return missingLabelsNames.Name(uint8(m)) }

// MarshalText implements encoding.TextMarshaler. It returns the name of m.
func (m MissingLabels) MarshalText() ([]byte, error) { return missingLabelsNames.Text(uint8(m)) }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is an error that matches
// ErrSettings.
func (m *MissingLabels) UnmarshalText(text []byte) error {
	return enum.Parse(m, text, missingLabelsNames)
}

// IsMissing reports whether label counts as missing. It treats the label "-" as in a data set
// without the label "+".
func (m MissingLabels) IsMissing(label string) bool {
	return label == "" || m != MissingLabelsKeep && isMissingNumber([]byte(label))
}

// dashLabel is a missing label, unless another label is plusLabel.
const dashLabel, plusLabel = "-", "+"

// encoder turns label texts into class numbers. It stores each distinct label once. All formats use
// encoder to decide which labels belong to the same class.
type encoder struct {
	index map[string]int
	texts []string
	first []int   // row number of the first occurrence of each text
	rows  []int32 // for each row, the index of its text in texts
}

// add appends a label without the spaces around it. Error messages use the row number.
func (e *encoder) add(text []byte, row int) {
	text = bytes.TrimSpace(text)
	k, ok := e.index[string(text)]
	if !ok {
		if e.index == nil {
			e.index = make(map[string]int)
		}
		k = len(e.texts)
		e.index[string(text)] = k
		e.texts = append(e.texts, string(text))
		e.first = append(e.first, row)
	}
	e.rows = append(e.rows, int32(k))
}

// dropFirst removes the first row.
func (e *encoder) dropFirst() {
	e.rows = e.rows[1:]
	if !slices.Contains(e.rows, 0) {
		e.texts, e.first = e.texts[1:], e.first[1:]
		for i := range e.rows {
			e.rows[i]--
		}
	} else {
		e.first[0] = 0 // the line number is not known
	}
	e.index = nil
}

// spelling is one distinct label text and its class.
type spelling struct {
	text, class string
	value       float64 // NaN if the text is not a finite number
	plain       bool    // whether the text is a plain number; see plainNumber
	number      int     // index of the text in encoder.texts
}

// encode returns the class number of each row, and the class names. The number is −1 for a missing label that is
// dropped.
//
// Each distinct text is a class. If all labels are plain numbers (see plainNumber), 1.0 and 1 are the same class. The
// labels of a numeric column are always plain numbers. The order of the classes is numerical if all texts are numbers,
// otherwise lexical.
//
// encode returns a *FileError with the row number of the label if a label is missing and not dropped, if a label is
// not UTF-8, or if all labels are numbers and one is infinite.
func (e *encoder) encode(how MissingLabels) (labels []int, classes []string, notes []Note, err error) {
	if err := missingLabelsNames.Check(uint8(how)); err != nil {
		return nil, nil, nil, err
	}
	renumber := make([]int, len(e.texts))
	var list []spelling
	plain, numeric := true, true
	plus := slices.Contains(e.texts, plusLabel)
	missing := -1
	for k, text := range e.texts {
		if !utf8.ValidString(text) {
			return nil, nil, nil, &FileError{Row: e.first[k], Err: labelTextError(text)}
		}
		if renumber[k] = -1; how.IsMissing(text) && !(plus && text == dashLabel) {
			if missing < 0 || e.first[k] < e.first[missing] {
				missing = k
			}
			continue
		}
		s := spelling{text: text, class: text, value: math.NaN(), number: k}
		if v, err := strconv.ParseFloat(text, 64); err == nil && !isGoLiteral([]byte(text)) && v == v {
			s.value = v
		}
		_, s.plain = plainNumber(text, s.value)
		plain, numeric = plain && s.plain, numeric && s.value == s.value
		list = append(list, s)
	}
	if missing >= 0 && how != MissingLabelsDrop {
		return nil, nil, nil, &FileError{Row: e.first[missing], Err: labelTextError(e.texts[missing])}
	}
	if len(list) == 0 {
		return nil, nil, nil, newCause(errLabelEmpty, "every label is missing")
	}
	for i := range list {
		s := &list[i]
		if numeric && math.IsInf(s.value, 0) {
			return nil, nil, nil, &FileError{Row: e.first[s.number], Err: newCause(errInf, "the label is infinite")}
		}
		if plain {
			s.class, _ = plainNumber(s.text, s.value)
		}
	}
	slices.SortStableFunc(list, func(a, b spelling) int {
		if numeric {
			if c := cmp.Compare(a.value, b.value); c != 0 {
				return c
			}
			// Different integers beyond 2⁵³ can have the same float64, so their texts are compared.
		}
		return cmp.Compare(a.class, b.class)
	})
	for _, s := range list {
		if len(classes) == 0 || classes[len(classes)-1] != s.class {
			classes = append(classes, s.class)
		}
		renumber[s.number] = len(classes) - 1
	}
	labels = make([]int, len(e.rows))
	for i, k := range e.rows {
		labels[i] = renumber[k]
	}
	return labels, classes, spellingNotes(list, plain), nil
}

// labelTextError returns the error of a label that is not UTF-8 or is missing.
func labelTextError(text string) error {
	switch {
	case !utf8.ValidString(text):
		return newCause(ErrFormat, fmt.Sprintf("the label %s is not UTF-8; save the file as UTF-8", clip(text)))
	case text == "":
		return errLabelEmpty
	}
	return newCause(errLabelEmpty, "the label is missing: "+clip(text))
}

// plainNumber returns the class name of a label, and whether the label is a plain number. A plain
// number is written like the result of strconv.FormatFloat(v, 'f', -1, 64), and an integer may also
// end in .0. Texts such as 01, 3.10, 1.00, +1 and 1e5 are not plain. v is the value of the text, or
// NaN.
func plainNumber(text string, v float64) (name string, ok bool) {
	if v-v != 0 {
		return "", false
	}
	text = strings.TrimSuffix(text, ".0")
	if text == "-0" {
		return "0", true
	}
	if strings.Contains(text, ".") {
		return text, text == strconv.FormatFloat(v, 'f', -1, 64)
	}
	digits := strings.TrimPrefix(text, "-") // FormatFloat would round integers beyond 2⁵³
	if len(digits) == 0 || digits[0] == '0' && len(digits) > 1 {
		return "", false
	}
	return text, strings.Trim(digits, "0123456789") == ""
}

// spellingNotes returns a note if a number is written in two ways.
func spellingNotes(list []spelling, plain bool) []Note {
	const exact = 1 << 53
	byValue := slices.DeleteFunc(slices.Clone(list), func(s spelling) bool { return !(math.Abs(s.value) < exact) })
	slices.SortStableFunc(byValue, func(a, b spelling) int { return cmp.Compare(a.value, b.value) })
	for i := 1; i < len(byValue); i++ {
		a, b := byValue[i-1], byValue[i]
		if a.value != b.value {
			continue
		}
		text := fmt.Sprintf("the labels %s and %s are the same number, but different texts, and therefore two classes", clip(a.text), clip(b.text))
		if plain {
			text = fmt.Sprintf("the labels %s and %s are one class, because all labels are plain numbers", clip(a.text), clip(b.text))
		}
		return []Note{{Text: text}}
	}
	return nil
}

// sortNames sorts numerically if all names are numbers, otherwise lexically.
func sortNames(names []string) {
	value := map[string]float64{}
	for _, name := range names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || v != v || isGoLiteral([]byte(name)) {
			slices.Sort(names)
			return
		}
		value[name] = v
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(value[a], value[b]), cmp.Compare(a, b))
	})
}

// Relabel renumbers Labels for another list of classes, such as the classes of the training data,
// and sets Classes to this list. Classes are matched by text. If a class name is a number that is
// not in the list, it matches the only class with the same value: 01 matches 1. A Note reports such
// a match. If all classes of the list are booleans, True, true and 1 are the same class, because
// file formats spell booleans differently. If a row has a class that is not in the list, the error
// names the class, and d is unchanged.
func (d *Dataset) Relabel(classes []string) (notes []Note, err error) {
	byText := make(map[string]int, len(classes))
	byValue := make(map[float64][]int, len(classes))
	for c, name := range classes {
		byText[name] = c
		if v, err := strconv.ParseFloat(name, 64); err == nil && !isGoLiteral([]byte(name)) {
			byValue[v] = append(byValue[v], c)
		}
	}
	to := make([]int, len(d.Classes))
	for c, name := range d.Classes {
		k, ok := byText[name]
		if !ok {
			k, ok = findBoolean(byText, name)
		}
		if v, err := strconv.ParseFloat(name, 64); !ok && err == nil && !isGoLiteral([]byte(name)) && len(byValue[v]) == 1 {
			k, ok = byValue[v][0], true
			notes = append(notes, Note{Text: fmt.Sprintf("the label %s is taken for the class %s, which is the same number", clipName(name), clipName(classes[k]))})
		}
		if to[c] = k; !ok {
			to[c] = -1
		}
	}
	labels := make([]int, len(d.Labels))
	for i, c := range d.Labels {
		if labels[i] = to[c]; to[c] < 0 {
			return nil, fmt.Errorf("row %d: class %s is not among the %d known ones", i+1, clipName(d.Classes[c]), len(classes))
		}
	}
	if d.Labels != nil {
		d.Labels = labels
	}
	d.Classes = slices.Clone(classes)
	return notes, nil
}

// CountClasses groups labels into classes like ReadFile. counts maps each label to its number of
// rows, and sizes[c] is the number of rows of class c. A missing label is an error that matches
// ErrLabels, unless the argument how is MissingLabelsDrop.
func CountClasses(counts map[string]int, how MissingLabels) (classes []string, sizes []int, notes []Note, err error) {
	var enc encoder
	texts := slices.Sorted(maps.Keys(counts))
	for _, text := range texts {
		enc.add([]byte(text), 0)
	}
	numbers, classes, notes, err := enc.encode(how)
	if err != nil {
		return nil, nil, nil, err
	}
	sizes = make([]int, len(classes))
	for i, text := range texts {
		if numbers[i] >= 0 {
			sizes[numbers[i]] += counts[text]
		}
	}
	return classes, sizes, notes, nil
}
