package testdata

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// recorder is a testing.TB that records whether the test was skipped or failed.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skip(args ...any) { r.Skipf("%s", fmt.Sprint(args...)) }

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// recordOutcome runs f like a test and returns a recorder with its outcome.
func recordOutcome(f func(t testing.TB)) *recorder {
	r := new(recorder)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func requestShared(elem ...string) (path string, r *recorder) {
	r = recordOutcome(func(t testing.TB) { path = Shared(t, elem...) })
	return path, r
}

func TestLong(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "": false, "0": false} {
		t.Setenv("MONGE_LONG", value)
		r := recordOutcome(func(t testing.TB) { Long(t) })
		if IsLong() != want || (r.skipped == "") != want {
			t.Errorf("MONGE_LONG=%q: IsLong() = %v, skipped %q", value, IsLong(), r.skipped)
		}
	}
}

func TestReaders(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if rows, columns, values := CSV(t, write("1,2.5,-3\n4,5,1e-3\n")); rows != 2 || columns != 3 || !slices.Equal(values, []float64{1, 2.5, -3, 4, 5, 1e-3}) {
		t.Errorf("%d rows, %d columns, %v", rows, columns, values)
	}
	for _, text := range []string{"", "1,2\n3\n", "1,x\n"} {
		if r := recordOutcome(func(t testing.TB) { CSV(t, write(text)) }); r.failed == "" {
			t.Errorf("%q was read as numbers", text)
		}
	}
	var v struct{ A, B *float64 }
	JSON(t, write(`{"A": NaN, "B": 2}`), &v)
	if v.A != nil || v.B == nil || *v.B != 2 {
		t.Errorf("JSON: %v", v)
	}
	if r := recordOutcome(func(t testing.TB) { JSON(t, write("{"), &v) }); r.failed == "" {
		t.Error("half of a JSON text was decoded")
	}
}

func TestShared(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MONGE_SHARED", dir)
	t.Setenv("MONGE_REQUIRE_SHARED", "")

	if path, r := requestShared("here"); path != filepath.Join(dir, "here") || r.skipped+r.failed != "" {
		t.Errorf("existing file: path %q, skipped %q, failed %q", path, r.skipped, r.failed)
	}
	if _, r := requestShared("data", "absent"); r.skipped == "" || r.failed != "" {
		t.Errorf("absent file: skipped %q, failed %q, want a skip", r.skipped, r.failed)
	}
	t.Setenv("MONGE_REQUIRE_SHARED", "1")
	if _, r := requestShared("data", "absent"); r.skipped != "" || r.failed == "" {
		t.Errorf("absent file, required: skipped %q, failed %q, want a failure", r.skipped, r.failed)
	}
}

func TestSharedBesideModule(t *testing.T) {
	t.Setenv("MONGE_SHARED", "")
	dir, err := sharedDir()
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(dir) != "shared" {
		t.Errorf("shared folder %s", dir)
	}
	// This package is two folders below the root.
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(wd, "..", "..", "..", "shared"); dir != want {
		t.Errorf("shared folder %s, want %s", dir, want)
	}
}
