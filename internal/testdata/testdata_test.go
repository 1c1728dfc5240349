package testdata

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// recorder stands in for the test that asks for data and keeps what became of it.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func ask(elem ...string) (path string, r *recorder) {
	r = new(recorder)
	done := make(chan struct{})
	go func() {
		defer close(done)
		path = Shared(r, elem...)
	}()
	<-done
	return path, r
}

func TestShared(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MONGE_SHARED", dir)
	t.Setenv("MONGE_REQUIRE_SHARED", "")

	if path, r := ask("here"); path != filepath.Join(dir, "here") || r.skipped+r.failed != "" {
		t.Errorf("existing file: path %q, skipped %q, failed %q", path, r.skipped, r.failed)
	}
	if _, r := ask("data", "absent"); r.skipped == "" || r.failed != "" {
		t.Errorf("absent file: skipped %q, failed %q, want a skip", r.skipped, r.failed)
	}
	t.Setenv("MONGE_REQUIRE_SHARED", "1")
	if _, r := ask("data", "absent"); r.skipped != "" || r.failed == "" {
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
	// This package lies two folders below the root.
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(wd, "..", "..", "..", "shared"); dir != want {
		t.Errorf("shared folder %s, want %s", dir, want)
	}
}
