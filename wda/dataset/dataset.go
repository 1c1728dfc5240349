package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/random"
	"gonum.org/v1/gonum/mat"
)

// A Dataset is a matrix of samples, usually with a class label for each sample. Only the methods Impute and
// Relabel modify a Dataset. Several goroutines may use a Dataset at the same time if no goroutine modifies it.
type Dataset struct {
	X *mat.Dense // n × d, rows are samples

	// Labels contains the class of each row, as an index into Classes. It is nil if the data have
	// no labels.
	Labels []int

	// Classes contains the class names, in numerical order if all names are numbers and otherwise
	// in lexical order. A class may have no rows, for example in a subset.
	Classes []string

	// Split contains the part of the data to which each row belongs. For MNIST 0 is the training set
	// and 1 is the test set. Split is nil if the file has no array or column for it (see
	// Options.Split).
	Split []int

	// Columns contains the names of the columns of X. It is nil if the file has no names.
	Columns []string

	// IDs[i] contains the text of every row in column i of Options.ID. IDNames contains the names
	// of these columns.
	IDs     [][]string
	IDNames []string

	// Schema describes how the columns of the file became the columns of X. It is nil if the data
	// are an array and all columns are features.
	Schema *Schema
}

var (
	errSize    = newCause(fault.ErrSettings, "cannot draw the rows")
	errNoSplit = newCause(fault.ErrSettings, "no such split")
)

const (
	badRow    = "dataset: row out of range"
	badLabels = "dataset: labels do not fit the rows or classes"
)

// Len returns the number of rows.
func (d *Dataset) Len() int {
	n, _ := d.X.Dims()
	return n
}

// Counts returns the number of rows of each class. It returns nil if d has no labels.
func (d *Dataset) Counts() []int {
	if d.Labels == nil {
		return nil
	}
	counts := make([]int, len(d.Classes))
	for _, c := range d.Labels {
		counts[c]++
	}
	return counts
}

// Subset returns a copy of the given rows, counted from 0, in the given order. A row may occur
// several times. Classes is unchanged, so the labels of several subsets are comparable. Subset
// panics if rows is empty or a row is out of range.
func (d *Dataset) Subset(rows []int) *Dataset {
	n, cols := d.X.Dims()
	if len(rows) == 0 {
		panic(badRow)
	}
	s := &Dataset{X: mat.NewDense(len(rows), cols, nil), Classes: d.Classes, Columns: d.Columns, IDNames: d.IDNames, Schema: d.Schema}
	for range d.IDs {
		s.IDs = append(s.IDs, make([]string, len(rows)))
	}
	if d.Labels != nil {
		s.Labels = make([]int, len(rows))
	}
	if d.Split != nil {
		s.Split = make([]int, len(rows))
	}
	for i, row := range rows {
		if uint(row) >= uint(n) {
			panic(badRow)
		}
		s.X.SetRow(i, d.X.RawRowView(row))
		for k, ids := range d.IDs {
			s.IDs[k][i] = ids[row]
		}
		if d.Labels != nil {
			s.Labels[i] = d.Labels[row]
		}
		if d.Split != nil {
			s.Split[i] = d.Split[row]
		}
	}
	return s
}

// SplitBy divides the rows into two sets and returns a copy of each set. The first result contains
// the rows whose Split equals value. The second result contains all other rows. For MNIST,
// SplitBy(1) returns the test set and the training set. The error matches ErrSettings if d has no
// Split, or if one set would be empty.
func (d *Dataset) SplitBy(value int) (in, out *Dataset, err error) {
	if d.Split == nil {
		return nil, nil, fmt.Errorf("%w: the data have no split array", errNoSplit)
	}
	var yes, no []int
	for i, v := range d.Split {
		if v == value {
			yes = append(yes, i)
		} else {
			no = append(no, i)
		}
	}
	if len(yes) == 0 || len(no) == 0 {
		values := slices.Compact(slices.Sorted(slices.Values(d.Split)))
		return nil, nil, fmt.Errorf("%w: %d; the values are %s", errNoSplit, value, listSome(values))
	}
	return d.Subset(yes), d.Subset(no), nil
}

func listSome(values []int) string {
	const most = 10
	if len(values) <= most {
		return fmt.Sprint(values)
	}
	return fmt.Sprint(values[:most]) + " …"
}

// Sample draws n rows without replacement and returns a copy of them in their original order. A
// class with n_c of N rows gets n·n_c/N rows, rounded by the method of largest remainders, but at
// least one. If remainders are equal, the lower class number wins. Without labels all rows are one
// class. The error matches ErrSettings if n exceeds the number of rows or is less than the number
// of classes with rows.
func (d *Dataset) Sample(n int, seed uint64) (*Dataset, error) {
	groups := d.groups()
	sizes, err := apportion(n, groups, func(m int) (int, int) { return min(1, m), m })
	if err != nil {
		return nil, fmt.Errorf("%w: a sample must have from %d rows (one of each class) to %d rows (all), not %d", errSize, max(1, d.nonemptyClasses()), d.Len(), n)
	}
	rows, _ := drawRows(groups, sizes, random.New(seed, streamSample))
	return d.Subset(rows), nil
}

// TrainTest draws round(fraction·N) rows at random for testing. All other rows are for training. Both
// sets keep the original order. Classes are represented proportionally, as in Sample. A class with
// at least two rows has at least one row in each set, and a class with a single row is for
// training. The error matches ErrSettings if this is impossible, or if a set would be empty.
func (d *Dataset) TrainTest(fraction float64, seed uint64) (train, test *Dataset, err error) {
	groups := d.groups()
	var sizes []int
	if fraction > 0 && fraction < 1 {
		n := int(math.Round(fraction * float64(d.Len())))
		sizes, _ = apportion(n, groups, func(m int) (int, int) {
			return min(1, max(0, m-1)), max(0, m-1)
		})
	}
	if sizes == nil {
		return nil, nil, fmt.Errorf("%w: a fraction of %v for testing leaves too few of the %d rows in %d classes on one side; choose another fraction between 0 and 1", errSize, fraction, d.Len(), d.nonemptyClasses())
	}
	in, out := drawRows(groups, sizes, random.New(seed, streamTrainTest))
	return d.Subset(out), d.Subset(in), nil
}

// Folds divides the rows at random into k test sets. The sizes of the test sets differ by at most one. For each class,
// the numbers of rows in the test sets also differ by at most one. The training set of a fold has all other rows.
// train[i] and test[i] are the rows of fold i, in ascending order, counted from 0. The error matches ErrSettings unless
// 2 ≤ k ≤ number of rows.
func (d *Dataset) Folds(k int, seed uint64) (train, test [][]int, err error) {
	n := d.Len()
	if k < 2 || k > n {
		return nil, nil, fmt.Errorf("%w: the number of folds must be from 2 to %d, the number of rows, not %d", errSize, n, k)
	}
	rng := random.New(seed, streamFolds)
	fold := make([]int, n)
	// Each class continues at the fold where the previous class ended, which gives folds of similar
	// sizes.
	next := 0
	for _, rows := range d.groups() {
		shuffle(rows, rng)
		for _, row := range rows {
			fold[row] = next
			next = (next + 1) % k
		}
	}
	train, test = make([][]int, k), make([][]int, k)
	for row, f := range fold {
		for i := range k {
			if i == f {
				test[i] = append(test[i], row)
			} else {
				train[i] = append(train[i], row)
			}
		}
	}
	return train, test, nil
}

// groups returns the rows of each class, or all rows in one group.
func (d *Dataset) groups() [][]int {
	n := d.Len()
	if d.Labels == nil {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		return [][]int{rows}
	}
	if len(d.Labels) != n {
		panic(badLabels)
	}
	groups := make([][]int, len(d.Classes))
	for i, c := range d.Labels {
		if uint(c) >= uint(len(groups)) {
			panic(badLabels)
		}
		groups[c] = append(groups[c], i)
	}
	return groups
}

func (d *Dataset) nonemptyClasses() int {
	n := 0
	for _, rows := range d.groups() {
		if len(rows) > 0 {
			n++
		}
	}
	return n
}

// apportion divides n among the groups in proportion to their sizes, by the method of largest
// remainders. limits(m) returns the smallest and largest allowed result for a group of m rows.
func apportion(n int, groups [][]int, limits func(m int) (low, high int)) ([]int, error) {
	total := 0
	for _, g := range groups {
		total += len(g)
	}
	if n < 1 || n > total {
		return nil, errSize
	}
	sizes := make([]int, len(groups))
	left := n
	for c, g := range groups {
		low, high := limits(len(g))
		sizes[c] = min(max(low, n*len(g)/total), high)
		left -= sizes[c]
	}
	// owed returns total times the difference between the exact share of group c and its current
	// size. This product is an integer, so ties are the same on every machine.
	owed := func(c int) int { return n*len(groups[c]) - sizes[c]*total }
	for left != 0 {
		best := -1
		for c, g := range groups {
			low, high := limits(len(g))
			switch {
			case left > 0 && sizes[c] < high && (best < 0 || owed(c) > owed(best)):
				best = c
			case left < 0 && sizes[c] > low && (best < 0 || owed(c) < owed(best)):
				best = c
			}
		}
		if best < 0 {
			return nil, errSize
		}
		if left > 0 {
			sizes[best]++
			left--
		} else {
			sizes[best]--
			left++
		}
	}
	return sizes, nil
}

// drawRows draws sizes[c] rows of each group c. It returns the drawn rows and all other rows, both
// in ascending order.
func drawRows(groups [][]int, sizes []int, rng *rand.Rand) (drawn, others []int) {
	for c, rows := range groups {
		shuffle(rows, rng)
		drawn = append(drawn, rows[:sizes[c]]...)
		others = append(others, rows[sizes[c]:]...)
	}
	slices.Sort(drawn)
	slices.Sort(others)
	return drawn, others
}

func shuffle(rows []int, rng *rand.Rand) {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

// numberedNames returns the class names "0" … "n−1".
func numberedNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
