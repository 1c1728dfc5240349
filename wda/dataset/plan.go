package dataset

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// field is a column of a file before its role is decided.
type field struct {
	name  string // "" if the column has no name
	width int    // length of the lists in the column; 0 without lists
}

// role is the purpose of a column.
type role uint8

const (
	unused role = iota
	isFeature
	isCategory
	isLabel
	isSplit
	isID
)

// columnUse is the use of one column.
type columnUse struct {
	role             role
	at               int            // index of the first feature of the column, or index of the column among the identifiers
	width            int            // number of features
	index            map[string]int // numbers of the categories, by text
	learnsCategories bool           // if set, new categories get the next number, and the column becomes one feature that contains the category number
}

// plan contains the use of each column of a file.
type plan struct {
	uses     []columnUse // one for each column of the file
	features []int       // numbers of the feature columns, in the order of the features
	ids      []int       // numbers of the identifier columns
	notKept  []int       // numbers of the columns that fileColumns.keep excludes
	idNames  []string
	label    int // number of the label column, or −1
	split    int // number of the split column, or −1
	cols     int // number of features
	schema   *Schema
	byNumber bool
	notes    []Note

	keepNA  bool      // whether texts such as NA are categories
	lenient bool      // whether missing values are read as NaN instead of causing an error
	fills   []float64 // replacements of NaN, one for each feature; nil for none
	drop    bool      // whether rows with NaN are dropped

	id func(which int, text []byte) // called with each identifier of a row
}

// fileColumns describes the columns of a file.
type fileColumns struct {
	fields []field
	named  bool // whether the columns have names
	label  int  // number of the label column; −1 for none; openLabel if the label column is not known yet
	split  int  // number of the split column, or −1
	// keep reports whether a column may be a feature if the options do not choose features. nil
	// allows all columns.
	keep func(at int) bool
}

// openLabel means that the label column is not known yet. It will be the last column that has no other use.
const openLabel = -2

// newPlan decides the use of each column.
func newPlan(in fileColumns, opt *Options) (*plan, error) {
	n := len(in.fields)
	bare := opt.Schema != nil && opt.Schema.isPlainExceptRows()
	if bare { // the Schema contains only the number of features
		if err := opt.Schema.Check(); err != nil {
			return nil, err
		}
		plain := *opt
		plain.Schema, plain.Dim = nil, opt.Schema.Dim()
		opt = &plain
	}
	p := &plan{uses: make([]columnUse, n), label: in.label, split: in.split, lenient: opt.KeepMissing, keepNA: opt.KeepNA}
	if err := checkNames(in); err != nil {
		return nil, err
	}
	names := uniqueNames(in)
	if p.label == openLabel {
		p.label = -1
	}
	take := func(at int, r role) error {
		if p.uses[at].role != unused {
			return newCause(ErrSettings, fmt.Sprintf("column %s is chosen for two purposes", columnName(names, at)))
		}
		p.uses[at].role = r
		return nil
	}
	if p.label >= 0 {
		p.uses[p.label].role = isLabel
	}
	if p.split >= 0 {
		p.uses[p.split].role = isSplit
	}
	dropped, err := selectColumns(names, n, opt.Drop)
	if err != nil {
		return nil, err
	}
	if p.ids, err = selectColumns(names, n, opt.ID); err != nil {
		return nil, err
	}
	for k, at := range p.ids {
		if err := take(at, isID); err != nil {
			return nil, err
		}
		p.uses[at].at = k
		p.idNames = append(p.idNames, columnName(names, at))
	}
	chosen, err := selectColumns(names, n, opt.Columns)
	if err != nil {
		return nil, err
	}
	onehot, err := selectColumns(names, n, opt.OneHot)
	if err != nil {
		return nil, err
	}
	// free reports whether a column may be a feature.
	free := func(at int) bool {
		return p.uses[at].role == unused && !slices.Contains(dropped, at) && !(in.named && opt.Columns == nil && isIndex(in.fields[at].name, at) && !opt.Schema.hasColumn(names[at]))
	}
	if in.named && opt.Columns == nil {
		for at, f := range in.fields {
			if isIndex(f.name, at) && p.uses[at].role == unused && !slices.Contains(dropped, at) && !opt.Schema.hasColumn(names[at]) {
				p.notes = append(p.notes, Note{Text: fmt.Sprintf("column %s is left out: it looks like the row numbers that pandas writes", describeColumn(f.name, at))})
			}
		}
	}
	if opt.Columns == nil {
		for at := range in.fields {
			if free(at) {
				chosen = append(chosen, at)
			}
		}
	} else {
		for _, at := range chosen {
			if slices.Contains(dropped, at) || p.uses[at].role != unused {
				return nil, newCause(ErrSettings, fmt.Sprintf("column %s is chosen for two purposes", columnName(names, at)))
			}
		}
	}
	if opt.Schema != nil {
		if in.named {
			for at, name := range names {
				if id := p.uses[at].role == isID; opt.Schema.hasColumn(name) && (id || slices.Contains(dropped, at)) {
					cannot := "be dropped"
					if id {
						cannot = "identify the rows, too"
					}
					return nil, newCause(ErrSettings, fmt.Sprintf("column %s is a feature of the model, and cannot %s", columnName(names, at), cannot))
				}
			}
		}
		err = p.planBySchema(in, names, chosen, opt)
	} else {
		err = p.planFeatures(in, names, chosen, onehot, opt)
	}
	if err != nil {
		return nil, err
	}
	if bare {
		p.byNumber = in.named
		if p.cols != opt.Dim {
			return nil, widthError(p.cols, opt.Dim)
		}
	}
	p.noteLeftOut(in, names)
	if opt.IgnoreLabels && p.label >= 0 {
		p.uses[p.label].role, p.label = unused, -1
	}
	return p, nil
}

// checkNames returns an error if a name is not valid UTF-8, because different names in another encoding could look
// equal.
func checkNames(in fileColumns) error {
	for at, f := range in.fields {
		if in.named && !utf8.ValidString(f.name) {
			return &FileError{Column: at + 1, Err: newCause(ErrFormat, fmt.Sprintf("the name %s of the column is not UTF-8; save the file as UTF-8", clip(f.name)))}
		}
	}
	return nil
}

// planFeatures turns the chosen columns into features if the options contain no Schema.
func (p *plan) planFeatures(in fileColumns, names []string, chosen, onehot []int, opt *Options) error {
	if in.label == openLabel {
		// The label is the last column for which the options specify no other use.
		last := len(chosen) - 1
		if opt.Columns != nil {
			last = -1
			for at := range in.fields {
				if p.uses[at].role == unused && !slices.Contains(chosen, at) {
					p.label = at
				}
			}
		} else if last >= 0 && len(chosen) != opt.Dim {
			p.label = chosen[last]
			chosen = chosen[:last]
		}
		if p.label >= 0 {
			p.uses[p.label].role = isLabel
		}
	}
	s := &Schema{LabelNumber: p.label, Total: len(in.fields)}
	for _, at := range onehot {
		if !slices.Contains(chosen, at) {
			return newCause(ErrSettings, fmt.Sprintf("column %s is one-hot, but no feature", columnName(names, at)))
		}
	}
	for _, at := range chosen {
		if opt.Columns == nil && in.keep != nil && !in.keep(at) && !slices.Contains(onehot, at) {
			p.notKept = append(p.notKept, at)
			continue
		}
		u := &p.uses[at]
		*u = columnUse{role: isFeature, at: p.cols, width: max(1, in.fields[at].width)}
		if slices.Contains(onehot, at) {
			u.role, u.learnsCategories, u.index = isCategory, true, map[string]int{}
		}
		c := Column{Number: at, Width: in.fields[at].width}
		if in.named {
			c.Name = names[at]
		}
		s.Columns = append(s.Columns, c)
		p.features = append(p.features, at)
		p.cols += u.width
	}
	if p.label >= 0 && in.named {
		s.Label = names[p.label]
	}
	p.schema = s
	return nil
}

// planBySchema finds the columns of a Schema among the chosen columns.
func (p *plan) planBySchema(in fileColumns, names []string, chosen []int, opt *Options) error {
	s := opt.Schema
	if err := s.Check(); err != nil {
		return err
	}
	var order []int
	if in.named && s.hasNames() {
		var err error
		if in.label == openLabel && s.Label != "" {
			if at := slices.Index(names, s.Label); at >= 0 && p.uses[at].role == unused {
				p.label, p.uses[at].role = at, isLabel
			}
		}
		var have []string
		var at []int
		for _, c := range chosen {
			if c != p.label && (in.keep == nil || in.keep(c) || s.hasColumn(names[c])) {
				have, at = append(have, names[c]), append(at, c)
			}
		}
		if order, err = s.Match(have, opt.AllowExtra || opt.Columns != nil); err != nil {
			return err
		}
		for i, k := range order {
			order[i] = at[k]
		}
	} else {
		p.byNumber = in.named || s.hasNames()
		if !in.named {
			s = s.flattened()
		}
		var err error
		if order, err = p.planByNumber(s, in, chosen, opt); err != nil {
			return err
		}
	}
	for i, at := range order {
		c := &s.Columns[i]
		u := &p.uses[at]
		*u = columnUse{role: isFeature, at: p.cols, width: c.featureCount()}
		if in.fields[at].width != c.Width {
			return newCause(errShape, fmt.Sprintf("column %s: %s in the file, %s in the model", columnName(names, at), widthText(in.fields[at].width), widthText(c.Width)))
		}
		if c.Categories != nil {
			u.role, u.index = isCategory, map[string]int{}
			for k, v := range c.Categories {
				u.index[v] = k
			}
		}
		p.features = append(p.features, at)
		p.cols += u.width
	}
	p.schema = s
	switch s.Missing {
	case MissingMean, MissingMedian:
		p.lenient, p.fills = true, s.fills()
	case MissingDrop:
		p.lenient, p.drop = true, true
	}
	return nil
}

// planByNumber finds the columns of a Schema by number.
func (p *plan) planByNumber(s *Schema, in fileColumns, chosen []int, opt *Options) ([]int, error) {
	d, total := len(s.Columns), len(in.fields)
	shift := func(number int) int { // converts a column number of s to the number in a file that lacks the label column
		if s.LabelNumber >= 0 && number > s.LabelNumber {
			return number - 1
		}
		return number
	}
	var order []int
	switch {
	case opt.Columns != nil || len(opt.Drop) > 0 || len(opt.ID) > 0 || len(chosen) == d && total != s.Total:
		if in.label == openLabel && len(chosen) == d+1 {
			p.label = chosen[d]
			p.uses[p.label].role = isLabel
			chosen = chosen[:d]
		}
		if len(chosen) != d {
			return nil, widthError(len(chosen), d)
		}
		return chosen, nil
	case total == s.Total:
		if at := s.LabelNumber; at >= 0 && in.label == openLabel {
			p.label, p.uses[at].role = at, isLabel
		}
		for i := range s.Columns {
			order = append(order, s.Columns[i].Number)
		}
	case s.LabelNumber >= 0 && total == s.Total-1:
		for i := range s.Columns {
			order = append(order, shift(s.Columns[i].Number))
		}
	case s.LabelNumber < 0 && total == s.Total+1 && in.label == openLabel:
		p.label, p.uses[total-1].role = total-1, isLabel
		for i := range s.Columns {
			order = append(order, s.Columns[i].Number)
		}
	case len(chosen) == d+1 && in.label == openLabel:
		p.label = chosen[d]
		p.uses[p.label].role = isLabel
		return chosen[:d], nil
	default:
		return nil, widthError(len(chosen), d)
	}
	for _, at := range order {
		if p.uses[at].role != unused {
			return nil, widthError(len(chosen), d)
		}
	}
	return order, nil
}

func widthError(have, want int) error {
	return newCause(errShape, fmt.Sprintf("%d columns for features, but the model was fitted to %d columns; give a file with the same columns", have, want))
}

func widthText(w int) string {
	if w == 0 {
		return "single values"
	}
	return fmt.Sprintf("lists of %d", w)
}

// noteLeftOut records in the Schema the names of the columns that are neither features nor the
// label.
func (p *plan) noteLeftOut(in fileColumns, names []string) {
	if p.schema.LeftOut != nil || !in.named || len(p.schema.Columns) == 0 || p.schema.Total != len(in.fields) {
		return
	}
	for at := range p.uses {
		if r := p.uses[at].role; (r == unused || r == isID || r == isSplit) && names[at] != "" && !p.schema.hasColumn(names[at]) && names[at] != p.schema.Label {
			p.noteColumnLeftOut(names[at])
		}
	}
}

func (p *plan) noteColumnLeftOut(name string) {
	s := *p.schema
	s.LeftOut = append(slices.Clone(s.LeftOut), name)
	p.schema = &s
}

// featureNames returns the names of the features. It returns nil if the columns have no names, or
// if a column contains lists.
func (p *plan) featureNames() []string {
	if p.schema == nil || slices.ContainsFunc(p.schema.Columns, func(c Column) bool { return c.Width > 0 }) {
		return nil
	}
	return p.schema.Features()
}

// hasColumn reports whether s has a column with this name.
func (s *Schema) hasColumn(name string) bool {
	return s != nil && name != "" && slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Name == name })
}

// setCategory sets the features of a category column, which begin at x[0].
func (u *columnUse) setCategory(x []float64, text []byte) error {
	k, ok := u.index[string(text)]
	if !ok && !u.learnsCategories {
		k, ok = findBoolean(u.index, string(text))
	}
	if !ok {
		if !u.learnsCategories {
			return newCause(errCategory, fmt.Sprintf("%s is not among the %d categories of the model (%s); use one of these, or fit again with rows that have it", clip(string(text)), len(u.index), u.categoryNames()))
		}
		if !utf8.Valid(text) {
			return newCause(ErrFormat, fmt.Sprintf("the text %s is not UTF-8; save the file as UTF-8", clip(string(text))))
		}
		if len(u.index) == maxCategories {
			return newCause(ErrTooLarge, fmt.Sprintf("more than %d categories", maxCategories))
		}
		k = len(u.index)
		u.index[string(text)] = k
	}
	if u.learnsCategories {
		x[0] = float64(k)
		return nil
	}
	clear(x[:u.width])
	x[k] = 1
	return nil
}

// categoryNames lists the names of the first few categories.
func (u *columnUse) categoryNames() string {
	names := slices.SortedFunc(maps.Keys(u.index), func(a, b string) int { return u.index[a] - u.index[b] })
	most := min(len(names), 5)
	for i := range most {
		names[i] = clip(names[i])
	}
	if most < len(names) {
		names = append(names[:most], "…")
	}
	return strings.Join(names, ", ")
}

// findBoolean returns the number of the category with the same truth value as text. It requires
// that all categories are booleans. File formats spell booleans as True, true or 1.
func findBoolean(index map[string]int, text string) (k int, ok bool) {
	want, err := strconv.ParseBool(text)
	if err != nil || len(index) > 2 {
		return 0, false
	}
	found := 0
	for name, at := range index {
		v, err := strconv.ParseBool(name)
		if err != nil {
			return 0, false
		}
		if v == want {
			k = at
			found++
		}
	}
	return k, found == 1
}

// setMissing sets x, the features of one column of categories, for a missing category.
func (u *columnUse) setMissing(x []float64, drop bool) {
	if u.learnsCategories || drop {
		x[0] = math.NaN()
		return
	}
	clear(x[:u.width])
}

// maxCategories is the largest number of categories of a column. Each category is a feature.
const maxCategories = 1 << 12

// fillMissing replaces each NaN with the replacement value of its feature, if p has replacement
// values.
func (p *plan) fillMissing(x []float64) {
	if p.fills == nil {
		return
	}
	for k, v := range x {
		if v != v {
			x[k] = p.fills[k%p.cols]
		}
	}
}

// findNotFinite returns an error for the first element of x that is not finite, and the row and
// column of this element. A missing value is not an error if missing values are allowed.
func (p *plan) findNotFinite(x []float64) (row, at int, err error) {
	for k, v := range x {
		if v-v == 0 || v != v && p.lenient {
			continue
		}
		for _, f := range p.features {
			if u := &p.uses[f]; k%p.cols >= u.at && k%p.cols < u.at+u.width {
				return k / p.cols, f, notFiniteError(v)
			}
		}
	}
	return 0, 0, nil
}

// uniqueNames returns unique names of the columns. It replaces empty and repeated names. It returns
// nil if the columns have no names.
func uniqueNames(in fileColumns) []string {
	if !in.named {
		return nil
	}
	names := make([]string, len(in.fields))
	seen := map[string]bool{}
	for _, f := range in.fields {
		seen[strings.TrimSpace(f.name)] = true
	}
	used := map[string]bool{}
	for at, f := range in.fields {
		name := strings.TrimSpace(f.name)
		if name == "" {
			name = "column " + strconv.Itoa(at+1)
		}
		base := name
		for k := 1; used[name] || name != base && seen[name]; k++ {
			name = base + "." + strconv.Itoa(k)
		}
		names[at], used[name] = name, true
	}
	return names
}

var pandasIndex = regexp.MustCompile(`^__index_level_[0-9]+__$`)

// isIndex reports whether a column is named like the row numbers that pandas writes.
func isIndex(name string, at int) bool {
	name = strings.TrimSpace(name)
	return at == 0 && (name == "" || name == "Unnamed: 0") || pandasIndex.MatchString(name)
}

// columnName returns the name of a column for messages and flags.
func columnName(names []string, at int) string {
	if names == nil {
		return strconv.Itoa(at)
	}
	return names[at]
}

func describeColumn(name string, at int) string {
	if name == "" {
		return strconv.Itoa(at+1) + ", which has no name,"
	}
	return strconv.Quote(name)
}
