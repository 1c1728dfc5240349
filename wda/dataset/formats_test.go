package dataset

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func readCSV(r io.Reader, opt Options) (*Dataset, error) { return readAs(FormatCSV, r, opt) }
func readNPY(r io.Reader, opt Options) (*Dataset, error) { return readAs(FormatNPY, r, opt) }
func readIDX(r io.Reader, opt Options) (*Dataset, error) { return readAs(FormatIDX, r, opt) }

func readNPZ(r io.ReaderAt, size int64, opt Options) (*Dataset, error) {
	return readAs(FormatNPZ, io.NewSectionReader(r, 0, size), opt)
}

func readAs(format Format, r io.Reader, opt Options) (*Dataset, error) {
	opt.Format = format
	return readAll(r, opt)
}

func readAll(r io.Reader, opt Options) (*Dataset, error) {
	in, err := NewReader(r, &opt)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.ReadAll()
}

// TestEnumerations checks that enumerations can be written as names and read back, and that values without a name are
// errors.
func TestEnumerations(t *testing.T) {
	_, err := readAll(strings.NewReader("1,2\n"), Options{Format: 99})
	wantError(t, err, ErrSettings, "bad settings: Format(99)")
	_, err = readAll(strings.NewReader("1,2\n"), Options{Header: 3})
	wantError(t, err, ErrSettings, "bad settings: Header(3)")
	for f := FormatAuto; int(f) < len(formats()); f++ {
		text, err := f.MarshalText()
		back := Format(99)
		if err == nil {
			err = back.UnmarshalText(text)
		}
		if err != nil || back != f || string(text) != f.String() {
			t.Errorf("%v: text %q is %v, error %v", f, text, back, err)
		}
		for _, ext := range formats()[f].extensions {
			if got := FormatOf("a/B" + strings.ToUpper(ext) + ".gz"); got != f {
				t.Errorf("%s: %v", ext, got)
			}
		}
	}
	var h Header
	if err := h.UnmarshalText([]byte("present")); err != nil || h != HeaderPresent {
		t.Errorf("present: %v, %v", h, err)
	}
	if err := h.UnmarshalText([]byte("maybe")); !errors.Is(err, ErrSettings) {
		t.Errorf("maybe: %v", err)
	}
}

// TestLabelSource checks String for every LabelSource, and that Open rejects a LabelSource that does not suit the
// format.
func TestLabelSource(t *testing.T) {
	for want, l := range map[string]LabelSource{"auto": {}, "none": NoLabels(), "file y.txt": LabelFile("y.txt"), "-1": LabelIndex(-1), "7": ParseLabels("7"), "class": LabelName("class")} {
		if l.String() != want || l.IsAuto() != (want == "auto") {
			t.Errorf("%q is %q", want, l)
		}
	}
	if ParseLabels("class") != LabelName("class") || !ParseLabels("").IsAuto() {
		t.Error("ParseLabels")
	}
	_, err := NewReader(strings.NewReader("1,2\n"), &Options{Labels: LabelFile("y.txt")})
	wantError(t, err, ErrSettings, "labels in a file of their own need Open or ReadFile, not NewReader")
	// ParseLabels("2") selects a column by name if Header is HeaderPresent, and by index otherwise.
	// LabelName("2") always selects by name.
	const text = "0,1,2\n3,4,5\n6,7,8\n"
	for _, c := range []struct {
		opt     Options
		classes string
	}{
		{Options{Labels: ParseLabels("2"), Header: HeaderAbsent}, "[2 5 8]"}, {Options{Labels: LabelIndex(0), Header: HeaderAbsent}, "[0 3 6]"}, {Options{Labels: LabelName("2")}, "[5 8]"},
		{Options{Labels: ParseLabels("0"), Header: HeaderPresent}, "[3 6]"}, {Options{Labels: LabelIndex(-2), Header: HeaderPresent}, "[4 7]"},
	} {
		d, err := readCSV(strings.NewReader(text), c.opt)
		if err != nil || fmt.Sprint(d.Classes) != c.classes {
			t.Errorf("%v: %v, error %v, want %s", c.opt.Labels, d, err, c.classes)
		}
	}
}
