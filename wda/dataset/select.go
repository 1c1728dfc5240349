package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// selectColumns returns the columns that the selectors choose among n columns, in the order of the
// selectors. names is nil if the columns have no names. See Options.Columns.
func selectColumns(names []string, n int, selectors []string) ([]int, error) {
	var chosen []int
	for _, s := range selectors {
		some, err := selectColumn(names, n, s)
		if err != nil {
			return nil, err
		}
		for _, at := range some {
			if slices.Contains(chosen, at) {
				return nil, newCause(ErrSettings, fmt.Sprintf("the column %s is chosen twice", clip(columnName(names, at))))
			}
			chosen = append(chosen, at)
		}
	}
	return chosen, nil
}

func selectColumn(names []string, n int, s string) ([]int, error) {
	if at, err := findColumn(names, n, s); err == nil {
		return []int{at}, nil
	}
	if a, b, ok := strings.Cut(s, ".."); ok {
		from, err := findColumn(names, n, a)
		if err != nil {
			return nil, err
		}
		to, err := findColumn(names, n, b)
		if err != nil {
			return nil, err
		}
		if to < from {
			return nil, newCause(ErrSettings, fmt.Sprintf("the range %s ends before it begins", clip(s)))
		}
		var all []int
		for at := from; at <= to; at++ {
			all = append(all, at)
		}
		return all, nil
	}
	if strings.ContainsAny(s, "*?") {
		var all []int
		for at, name := range names {
			if glob(s, name) {
				all = append(all, at)
			}
		}
		if all == nil {
			return nil, newCause(errNoColumn, fmt.Sprintf("no column matches %s", clip(s)))
		}
		return all, nil
	}
	_, err := findColumn(names, n, s)
	return nil, err
}

// findColumn finds a column by name, or else by number.
func findColumn(names []string, n int, s string) (int, error) {
	if at := slices.Index(names, s); at >= 0 {
		return at, nil
	}
	if i, err := strconv.Atoi(s); err == nil {
		if i < -n || i >= n {
			return 0, newCause(errNoColumn, fmt.Sprintf("there is no column %d: the file has %d columns, from 0 to %d", i, n, n-1))
		}
		return (i + n) % n, nil
	}
	if names == nil {
		return 0, newCause(errNoColumn, fmt.Sprintf("no column is called %s: the file has no names; choose columns by their numbers, from 0 to %d", clip(s), n-1))
	}
	for _, name := range names {
		if foldName(name) == foldName(s) {
			return 0, newCause(errNoColumn, fmt.Sprintf("no column is called %s; one is called %s", clip(s), clip(name)))
		}
	}
	return 0, newCause(errNoColumn, unknownColumnText(s, names))
}

// glob reports whether a name matches a pattern, in which * matches any text and ? one
// character.
func glob(pattern, name string) bool {
	p, s := []rune(pattern), []rune(name)
	star, from := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// IsMissing reports whether a text in a text column of a CSV file means a missing value: an empty
// text, NA, N/A, #N/A, NaN, null or <NA>, in upper or lower case. In columns of numbers, ?, - and
// None are also missing.
func IsMissing(text string) bool { return isMissing([]byte(text)) }

// isMissing reports whether the text of a field means a missing value.
func isMissing(text []byte) bool {
	if len(text) > 4 {
		return false
	}
	switch string(bytes.ToLower(text)) {
	case "", "na", "n/a", "#n/a", "nan", "null", "<na>":
		return true
	}
	return false
}

// isMissingNumber is like isMissing for columns of numbers, where more texts mean a missing value.
func isMissingNumber(text []byte) bool {
	switch string(text) {
	case "?", "-", "None", "none":
		return true
	}
	return isMissing(text)
}
