package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/gomonge/monge/cmd/internal/table"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda/dataset"
)

// number is a float64 that is null in JSON if it is NaN or infinite.
type number float64

// MarshalJSON implements json.Marshaler.
func (x number) MarshalJSON() ([]byte, error) {
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// report prints the result of a command. With --json, it prints the argument object as JSON.
// Without --json, it prints the output of the function text.
func (a *app) report(object any, text func(w io.Writer)) error {
	var out bytes.Buffer
	if a.json {
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(object); err != nil {
			return err
		}
	} else {
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		text(w)
		if err := w.Flush(); err != nil {
			return err
		}
		clean := printable(out.String())
		out.Reset()
		out.WriteString(clean)
	}
	a.progress.Load().end()
	_, err := a.stdout.Write(out.Bytes())
	return err
}

// printable escapes characters that would move the cursor or change the colors of a terminal. Such
// characters can occur in file names.
func printable(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case strconv.IsPrint(r) || r == '\n' || r == '\t':
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// escapeControls escapes all control characters except newlines, carriage returns and tabs. The
// text may begin and end inside a UTF-8 character.
func escapeControls(text []byte) []byte {
	const delete = 0x7f
	var out []byte
	for i, c := range text {
		switch c1 := c >= 0x80 && c < 0xa0 && i > 0 && text[i-1] == 0xc2; {
		case c1: // a control character of two bytes in UTF-8
			out = fmt.Appendf(out[:len(out)-1], `\u00%02x`, c)
		case c < ' ' && c != '\n' && c != '\t' && c != '\r', c == delete:
			out = fmt.Appendf(out, `\x%02x`, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

// formatShortest formats a number with the fewest digits that identify it.
func formatShortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// percent formats a rate in percent, or a dash for NaN.
func percent(rate float64) string {
	if math.IsNaN(rate) {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*rate)
}

// checkOutput checks that the program can write to path, and that path is not one of the inputs.
func checkOutput(path string, inputs ...string) error {
	if path == stdinArgument {
		return usagef("the result cannot be written to standard output; give the name of a file")
	}
	if info, err := os.Stat(path); err == nil {
		for _, in := range inputs {
			if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
				return usagef("%s is an input of this command and is not overwritten; choose another name for the output", path)
			}
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			return nil // do not test a pipe: if it were opened and closed, its reader would see the end of the data
		}
		if !info.IsDir() {
			// Do not replace a write-protected file, even if its folder allows this.
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return fmt.Errorf("%s: cannot write: %w", path, withoutPath(err))
			}
			f.Close()
		}
	}
	f, err := outfile.Create(path)
	if err != nil {
		return err
	}
	f.Abort()
	return nil
}

// withoutPath returns the reason of a system error without the path.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// checkExtension returns the extension of path if it is allowed.
func checkExtension(flag, path string, allowed ...string) (string, error) {
	ext := strings.ToLower(filepath.Ext(path))
	for _, a := range allowed {
		if ext == a {
			return ext, nil
		}
	}
	return "", usagef("--%s: the name must end in %s, not %q", flag, orList(allowed), path)
}

// orList joins words as in "a, b or c".
func orList(words []string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " or " + words[n]
	}
	return strings.Join(words, "")
}

// writeRows writes a matrix in the format of the file extension. It calls set to fill each row.
func writeRows(path, ext string, rows, cols int, set func(row []float64, i int) error) error {
	return outfile.WriteFile(path, func(w io.Writer) error {
		f := table.Format{Format: dataset.FormatOf(ext), Rows: rows, NoHeader: true}
		for j := range cols {
			f.Columns = append(f.Columns, table.Column{Name: componentName(j)})
		}
		out, err := table.NewWriter(w, f)
		if err != nil {
			return err
		}
		row := make([]float64, cols)
		for i := range rows {
			if err := set(row, i); err != nil {
				return err
			}
			if err := out.Write(row, nil); err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// tableExtensions are the extensions of the formats that transform and predict write. Both commands can also
// read these formats.
var tableExtensions = []string{".csv", ".npy", ".npz", ".idx", ".parquet", ".arrow", ".jsonl"}

func componentName(j int) string { return fmt.Sprintf("component%d", j+1) }

// newTableWriter starts a table in the format of the file extension kind. The number of rows is −1
// if unknown.
func newTableWriter(w io.Writer, kind string, rows int, columns []table.Column) (table.Writer, error) {
	_, stream := w.(stdout)
	out, err := table.NewWriter(w, table.Format{Format: dataset.FormatOf(kind), Rows: rows, Columns: columns, Stream: stream, Vector: len(columns) == 1})
	if errors.Is(err, dataset.ErrSettings) {
		err = usagef("--out: %v", err)
	}
	return out, err
}
