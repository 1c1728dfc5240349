package wda

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
)

// TestClassNamesArray checks that the class names in a model file are an array that NumPy reads without pickle. The
// elements are UTF-32 strings with the length of the longest name.
func TestClassNamesArray(t *testing.T) {
	x, labels := parts3(1, 30, 4)
	names := []string{"a", "größer", "日本"}
	m, err := mustFit(t, x, labels, &Settings{Components: 2}).WithClassNames(names)
	if err != nil {
		t.Fatal(err)
	}
	file, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("class_names.npy")
	if err != nil {
		t.Fatal(err)
	}
	array, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	header, body, _ := bytes.Cut(array, []byte("\n"))
	if !bytes.Contains(header, []byte("{'descr': '<U6', 'fortran_order': False, 'shape': (3,), }")) || len(body) != 3*6*4 {
		t.Fatalf("%q and %d bytes", header, len(body))
	}
	for i, want := range names {
		runes := make([]rune, 6)
		if _, err := binary.Decode(body[24*i:], binary.LittleEndian, runes); err != nil || strings.TrimRight(string(runes), "\x00") != want {
			t.Errorf("name %d is %q (%v), want %q", i, string(runes), err, want)
		}
	}
}
