package dataset

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Impute replaces or removes missing values, which are NaN in d.X after reading with
// Options.KeepMissing. MissingMean and MissingMedian replace a missing value with the mean or the
// median of its column. MissingDrop removes rows with missing values. d.Schema becomes a copy that
// records the method and the values, so that another file can be treated in the same way. Missing
// categories are not replaced: all features of the column are 0.
//
// With MissingError, a missing value is an error that matches ErrNotFinite and contains the row and
// column numbers, counted from 1. The error also matches ErrNotFinite if a column has no values, or
// if all rows have missing values. After an error, d is unchanged.
func (d *Dataset) Impute(how Missing) error {
	if err := missingNames.Check(uint8(how)); err != nil {
		return err
	}
	n, cols := d.X.Dims()
	s := d.Schema.Clone()
	if s == nil {
		s = &Schema{Total: cols, LabelNumber: -1}
		for j := range cols {
			s.Columns = append(s.Columns, Column{Number: j})
		}
	}
	s.Missing = how
	switch how {
	case MissingError:
		for i := range n {
			if j := slices.IndexFunc(d.X.RawRowView(i), math.IsNaN); j >= 0 {
				fe := &FileError{Row: i + 1, Column: j + 1, Err: newCause(errMissing, "the value is missing"), Option: "KeepMissing"}
				if d.Columns != nil {
					fe.Name = d.Columns[j]
				}
				return fe
			}
		}
		return nil
	case MissingDrop:
		var rows []int
		for i := range n {
			if !slices.ContainsFunc(d.X.RawRowView(i), math.IsNaN) {
				rows = append(rows, i)
			}
		}
		if rows == nil {
			return newCause(errMissing, fmt.Sprintf("all %d rows have missing values; no row is left", n))
		}
		if len(rows) < n {
			*d = *d.Subset(rows)
		}
		d.Schema = s
		return nil
	}
	j := 0
	for i := range s.Columns {
		c := &s.Columns[i]
		c.Fill = nil // of an earlier call
		for range c.featureCount() {
			if c.Categories == nil {
				v, ok := centerOf(d.X, j, how)
				if !ok {
					return newCause(errMissing, fmt.Sprintf("column %s has no value in %d rows; drop it", clip(columnName(d.Columns, j)), n))
				}
				c.Fill = append(c.Fill, v)
			}
			j++
		}
	}
	return d.ImputeFrom(s)
}

// ImputeFrom treats missing values as Impute has treated them in the dataset with the schema s. For
// example, test rows get the means of the training rows. d.Schema becomes a copy of s. The error
// matches ErrSettings if s is nil or invalid, ErrFormat if s has a different number of features, and
// ErrNotFinite as in Impute. After an error, d is unchanged.
func (d *Dataset) ImputeFrom(s *Schema) error {
	if s == nil {
		return newCause(ErrSettings, "no schema")
	}
	if err := s.Check(); err != nil {
		return err
	}
	if _, cols := d.X.Dims(); cols != s.Dim() {
		return newCause(errShape, fmt.Sprintf("%d features, but the schema has %d", cols, s.Dim()))
	}
	fills := s.fills()
	if s.Missing == MissingError || s.Missing == MissingDrop {
		if err := d.Impute(s.Missing); err != nil {
			return err
		}
	}
	for i := range d.Len() {
		for j, v := range d.X.RawRowView(i) {
			if v != v {
				d.X.Set(i, j, fills[j])
			}
		}
	}
	d.Schema = s.Clone()
	return nil
}

// centerOf returns the mean or the median of the values in column j. It returns false if all values
// are missing.
func centerOf(x *mat.Dense, j int, how Missing) (float64, bool) {
	n, _ := x.Dims()
	var v []float64
	for i := range n {
		if a := x.At(i, j); a == a {
			v = append(v, a)
		}
	}
	if len(v) == 0 {
		return 0, false
	}
	if how == MissingMean {
		// Summing the deviations from the first value makes the mean of a constant column exact. The
		// sum overflows only if the values are near the limits of float64.
		sum := 0.0
		for _, a := range v {
			sum += a/float64(len(v)) - v[0]/float64(len(v))
		}
		return v[0] + sum, true
	}
	slices.Sort(v)
	m := len(v) / 2
	if len(v)%2 == 1 {
		return v[m], true
	}
	return float64(v[m-1]/2) + float64(v[m]/2), true
}

// expandCategories replaces each column of category numbers with one feature for each category.
// Categories are sorted like class names.
func (r *Reader) expandCategories(d *Dataset) error {
	s := d.Schema.Clone()
	order := map[int][]int{} // for each column, the position of each category in sorted order
	cols := 0
	for i, at := range r.plan.features {
		u, c := &r.plan.uses[at], &s.Columns[i]
		if u.role != isCategory {
			cols += u.width
			continue
		}
		if len(u.index) == 0 {
			return newCause(errMissing, fmt.Sprintf("column %s has no value", clip(c.Name)))
		}
		texts := make([]string, len(u.index))
		for text, k := range u.index {
			texts[k] = text
		}
		c.Categories = slices.Clone(texts)
		sortNames(c.Categories)
		to := make([]int, len(texts))
		for k, text := range texts {
			to[k] = slices.Index(c.Categories, text)
		}
		order[at] = to
		cols += len(to)
	}
	n, _ := d.X.Dims()
	if cols > largestBlock || n*cols > r.opt.maxElements() {
		return newCause(ErrTooLarge, fmt.Sprintf("%d rows with %d features, more than the allowed %d elements", n, cols, r.opt.maxElements()))
	}
	x := mat.NewDense(n, cols, nil)
	for i := range n {
		from, to := d.X.RawRowView(i), x.RawRowView(i)
		k := 0
		for _, at := range r.plan.features {
			u := &r.plan.uses[at]
			o, ok := order[at]
			switch v := from[u.at]; {
			case !ok:
				k += copy(to[k:], from[u.at:u.at+u.width])
				continue
			case v == v:
				to[k+o[int(v)]] = 1
			default:
				for l := range o {
					to[k+l] = v
				}
			}
			k += len(o)
		}
	}
	d.X, d.Schema = x, s
	d.Columns = s.Features()
	return nil
}
