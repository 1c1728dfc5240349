package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestReaderBlocks checks that blocks of any size contain the rows of the whole file, and that a block is still valid
// after the next block has been read.
func TestReaderBlocks(t *testing.T) {
	var values []float64
	var labels []int32
	var csv, names strings.Builder
	const rows, cols = 23, 3
	for i := range rows {
		for j := range cols {
			values = append(values, float64(i*cols+j)/4)
			fmt.Fprintf(&csv, "%v,", values[len(values)-1])
		}
		labels = append(labels, int32(i%4))
		fmt.Fprintf(&csv, "c%d\n", i%4)
		fmt.Fprintf(&names, "c%d\n", i%4)
	}
	byColumns := make([]float64, rows*cols)
	for k, v := range values {
		byColumns[k%cols*rows+k/cols] = v
	}
	little, shape := binary.LittleEndian, fmt.Sprintf("(%d, %d)", rows, cols)
	npy := npyBytes("<f8", false, shape, packed(little, values))
	y := npyBytes("<i4", false, fmt.Sprintf("(%d,)", rows), packed(little, labels))
	idx := "\x00\x00\x0e\x02" + packed(binary.BigEndian, []uint32{rows, cols}) + packed(binary.BigEndian, values)
	path := folder(t, map[string]string{
		"a.csv": csv.String(), "b.csv.gz": gz("x,y,z,name\n" + csv.String()), "c.npy": npy, "d.npy": npyBytes("<f8", true, shape, packed(little, byColumns)),
		"e.npz": npzBytes(t, map[string]string{"X.npy": npy, "y.npy": y, "split.npy": y}), "f-images.idx2-ubyte": idx, "g.idx.gz": gz(idx),
		"names.txt": names.String(), "y.npy": y,
	})
	for _, c := range []struct{ file, labels string }{
		{"a.csv", ""}, {"b.csv.gz", ""}, {"c.npy", ""}, {"c.npy", "names.txt"}, {"d.npy", "y.npy"}, {"e.npz", ""}, {"f-images.idx2-ubyte", ""}, {"g.idx.gz", "names.txt"},
	} {
		opt := Options{}
		if c.labels != "" {
			opt.Labels = LabelFile(path(c.labels))
		}
		want, err := ReadFile(path(c.file), &opt)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(want.X, mat.NewDense(rows, cols, values)) {
			t.Fatalf("%s: %v", c.file, mat.Formatted(want.X))
		}
		for _, most := range []int{1, 2, 7, rows - 1, rows, rows + 1, 1000} {
			r, err := Open(path(c.file), &opt)
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			var next *Block
			for next, err = r.Next(most); err == nil; {
				b := next
				next, err = r.Next(most)
				n, _ := b.X.Dims()
				if b.First != at || n < 1 || n > most || !mat.Equal(b.X, want.X.Slice(at, at+n, 0, cols)) {
					t.Fatalf("%s by %d: %d rows from %d: %v", c.file, most, n, b.First, mat.Formatted(b.X))
				}
				if labels, split := r.HasLabels(), r.HasSplit(); labels != (want.Labels != nil) || split != (want.Split != nil) || len(b.Labels) != n && labels || split && !slices.Equal(b.Split, want.Split[at:at+n]) {
					t.Fatalf("%s: labels %q, split %v", c.file, b.Labels, b.Split)
				}
				for i, l := range b.Labels {
					if l != want.Classes[want.Labels[at+i]] {
						t.Fatalf("%s: row %d: label %q", c.file, at+i+1, l)
					}
				}
				at += n
			}
			if err != io.EOF {
				t.Fatal(err)
			}
			if known, _ := r.Dims(); at != rows || known >= 0 && known != rows {
				t.Errorf("%s by %d: %d rows, %d announced", c.file, most, at, known)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestDecodeFinite checks that non-finite values are detected at every position, and that finite values are accepted.
func TestDecodeFinite(t *testing.T) {
	little := binary.LittleEndian
	for n := range 10 {
		for at := range n {
			for _, v := range []float32{math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
				x := make([]float32, n)
				x[at] = v
				wide := make([]float64, n)
				for i, v := range x {
					wide[i] = float64(v)
				}
				if math.Abs(wide[at]) == math.MaxFloat32 {
					wide[at] = math.Copysign(math.MaxFloat64, wide[at])
				}
				for size, packed := range map[int]string{4: packed(little, x), 8: packed(little, wide)} {
					dst := make([]float64, n)
					finite := elem{kind: 'f', size: size}.decode(dst, []byte(packed))
					if want := v-v == 0; finite != want || (dst[at]-dst[at] == 0) != want {
						t.Errorf("%d bytes, %d of %d: %v: finite %v, decoded as %v", size, at, n, v, finite, dst)
					}
				}
			}
		}
	}
}

// TestReaderPipe checks reading from a pipe, which has no size and cannot be read twice.
func TestReaderPipe(t *testing.T) {
	for _, text := range []string{"1,2,a\n3,4,b\n", gz("1,2,a\n3,4,b\n"), npyBytes("|u1", false, "(2, 2)", "\x01\x02\x03\x04"), gz("\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x02\x01\x02\x03\x04")} {
		r, err := NewReader(io.MultiReader(strings.NewReader(text)), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Next(10)
		if err != nil || !mat.Equal(b.X, mat.NewDense(2, 2, []float64{1, 2, 3, 4})) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := r.Next(10); err != io.EOF {
			t.Errorf("%q: at the end %v", text, err)
		}
	}
	if _, err := NewReader(io.MultiReader(strings.NewReader("PK\x03\x04")), nil); !errors.Is(err, ErrFormat) {
		t.Errorf("NPZ from a pipe: %v", err)
	}
	// The header declares very long rows.
	r, err := NewReader(io.MultiReader(strings.NewReader(npyBytes("<f8", false, "(2, 100000000000)", ""))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("rows of a terabyte: %v", err)
	}
}

// TestReaderAllocs checks that Next does not allocate after the first block.
func TestReaderAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	line := strings.Repeat("0.25,", 20) + "a\n"
	for name, text := range map[string]string{
		"CSV": strings.Repeat(line, 5000),
		"NPY": npyBytes("<f4", false, "(5000, 20)", strings.Repeat("\x00", 4*5000*20)),
	} {
		r, err := NewReader(bytes.NewReader([]byte(text)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := r.Next(100); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(20, func() {
			if _, err := r.Next(100); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations a block", name, n)
		}
	}
}
