// Package enum maps values of enumerations to names and back. The names are used by String, flags
// and JSON, through encoding.TextMarshaler and TextUnmarshaler.
package enum

import (
	"fmt"
	"slices"
)

// Names contains the names of the values 0, 1, … of an enumeration.
type Names struct {
	kind  string
	names []string
	err   error
}

// New returns the names of an enumeration. kind is the Go name of its type. The errors of Parse and
// Check wrap err.
func New(kind string, err error, names ...string) Names { return Names{kind, names, err} }

// Name returns the name of v. If v has no name, it returns the type and the number, as in Color(2).
func (n Names) Name(v uint8) string {
	if int(v) < len(n.names) {
		return n.names[v]
	}
	return fmt.Sprintf("%s(%d)", n.kind, v)
}

// Has reports whether v has a name.
func (n Names) Has(v uint8) bool { return int(v) < len(n.names) }

// Check returns an error unless v has a name.
func (n Names) Check(v uint8) error {
	if !n.Has(v) {
		return fmt.Errorf("%w: %s", n.err, n.Name(v))
	}
	return nil
}

// Text returns the name of v, or an error if v has no name.
func (n Names) Text(v uint8) ([]byte, error) {
	if err := n.Check(v); err != nil {
		return nil, err
	}
	return []byte(n.names[v]), nil
}

// Parse sets *v to the value whose name is text. If there is an error, *v is unchanged.
func Parse[E ~uint8](v *E, text []byte, n Names) error {
	i := slices.Index(n.names, string(text))
	if i < 0 {
		return fmt.Errorf("%w: %s %q is not one of %v", n.err, n.kind, text, n.names)
	}
	*v = E(i)
	return nil
}
