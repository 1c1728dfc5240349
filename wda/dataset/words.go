package dataset

import (
	"bytes"
	"regexp"
)

var (
	commaNumber = regexp.MustCompile(`^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$`)
	dateText    = regexp.MustCompile(`^([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4})([T ].*)?$`)
)

// notNumber is the error of a text that is not a number. It says what else the text may be.
func notNumber(field []byte) error {
	text := clip(string(field)) + " is not a number"
	switch {
	case commaNumber.Match(field):
		return because(errDecimal, text+", but may have a decimal comma")
	case isBoolean(field):
		return because(errText, text+", but a boolean")
	case dateText.Match(field):
		return because(errText, text+", but looks like a date")
	}
	return because(errText, text)
}

func isBoolean(field []byte) bool {
	switch string(bytes.ToLower(field)) {
	case "true", "false", "yes", "no":
		return true
	}
	return false
}
