package dataset

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

var (
	commaNumber = regexp.MustCompile(`^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$`)
	// thousands matches numbers with separators, such as 2,155 and 1.234.567 and 1'234.5.
	thousands = regexp.MustCompile(`^[+-]?[0-9]{1,3}(([,' \x{a0}\x{202f}][0-9]{3})+(\.[0-9]*)?|(\.[0-9]{3}){2,}|(\.[0-9]{3})+,[0-9]+)$`)
	dateText  = regexp.MustCompile(`^([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4})([T ].*)?$`)
)

// notNumber returns the error for a text that is not a number. The error suggests what the text may
// be, such as a date.
func notNumber(field []byte) error {
	text := clip(string(field)) + " is not a number"
	switch {
	case thousands.Match(field):
		if !commaNumber.Match(field) {
			return newCause(errThousands, text+"; if it has separators of thousands, remove them from the file")
		}
		whole, comma := strings.Replace(string(field), ",", "", 1), strings.Replace(string(field), ",", ".", 1)
		return newCause(errDecimal, fmt.Sprintf("%s; if its comma separates thousands, write %s; only if it is a decimal comma, the number is %s", text, whole, comma))
	case commaNumber.Match(field):
		return newCause(errDecimal, text+", but may have a decimal comma")
	case isBoolean(field):
		return newCause(errText, text+", but a boolean")
	case dateText.Match(field):
		return newCause(errText, text+", but looks like a date")
	}
	return newCause(errText, text)
}

func isBoolean(field []byte) bool {
	switch string(bytes.ToLower(field)) {
	case "true", "false", "yes", "no":
		return true
	}
	return false
}
