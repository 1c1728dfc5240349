package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// checkOnlyFile checks that dir contains one file with the given name and text.
func checkOnlyFile(t *testing.T, dir, name, text string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != name {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, name))
	if text == "" && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil || string(got) != text {
		t.Errorf("%s holds %q (%v), want %q", name, got, err, text)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	broken := errors.New("broken")
	fail := func(w io.Writer) error {
		writeText("half")(w)
		return broken
	}
	if err := WriteFile(path, fail); err != broken {
		t.Errorf("new file, failing writer: %v", err)
	}
	checkOnlyFile(t, dir, "out", "")
	if err := WriteFile(path, writeText("one")); err != nil {
		t.Fatal(err)
	}
	checkOnlyFile(t, dir, "out", "one")
	if err := WriteFile(path, fail); err != broken {
		t.Errorf("old file, failing writer: %v", err)
	}
	checkOnlyFile(t, dir, "out", "one")
	if err := WriteFile(path, writeText("two")); err != nil {
		t.Fatal(err)
	}
	checkOnlyFile(t, dir, "out", "two")
	func() {
		defer func() {
			if recover() != "oops" {
				t.Error("the panic did not come through")
			}
		}()
		WriteFile(path, func(w io.Writer) error {
			writeText("half")(w)
			panic("oops")
		})
	}()
	checkOnlyFile(t, dir, "out", "two")
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := WriteFile(file, writeText("text")); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(filepath.Join(dir, "no", "out"), writeText("x"))
	wantError(t, err, fs.ErrNotExist, "")
	if want := "cannot create a file in the folder " + filepath.Join(dir, "no"); !strings.Contains(err.Error(), want) {
		t.Errorf("error %q does not say %q", err, want)
	}
	var fe *Error
	if err := WriteFile(filepath.Join(file, "out"), writeText("x")); !errors.As(err, &fe) {
		t.Errorf("below a file: %v", err)
	}
	if err := WriteFile(dir, writeText("x")); !errors.As(err, &fe) || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("on a folder: %v", err)
	}
	checkOnlyFile(t, dir, "file", "text")
}

func TestWriteFileUnwritable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	err := WriteFile(filepath.Join(dir, "out"), writeText("x"))
	wantError(t, err, fs.ErrPermission, filepath.Join(dir, "out")+": cannot create a file in the folder "+dir+": permission denied")
}

func TestWriteFileModeLinkDevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions and links of Unix")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "out"), filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, writeText("new")); err != nil {
		t.Fatal(err)
	}
	checkOnlyFile(t, dir, "out", "new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v (%v)", info.Mode(), err)
	}
	if err := WriteFile(os.DevNull, writeText("x")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the null device was replaced by a file")
	}
}

// TestWriteFileDanglingLink checks that WriteFile keeps a symbolic link to a missing file, and
// creates the missing file.
func TestWriteFileDanglingLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links of Unix")
	}
	links, dir := t.TempDir(), t.TempDir()
	first, second := filepath.Join(links, "first"), filepath.Join(links, "second")
	for from, to := range map[string]string{first: "second", second: filepath.Join(dir, "out")} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(first, writeText("text")); err != nil {
		t.Fatal(err)
	}
	checkOnlyFile(t, dir, "out", "text")
	if to, err := os.Readlink(first); err != nil || to != "second" {
		t.Errorf("the link points to %q (%v)", to, err)
	}
	loop := filepath.Join(links, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	var fe *Error
	if err := WriteFile(loop, writeText("text")); !errors.As(err, &fe) || fe.Path != loop {
		t.Errorf("a link to itself: %v", err)
	}
	nowhere := filepath.Join(links, "nowhere")
	if err := os.Symlink(filepath.Join(dir, "no", "such"), nowhere); err != nil {
		t.Fatal(err)
	}
	wantError(t, WriteFile(nowhere, writeText("text")), fs.ErrNotExist, "")
}

// TestWriteFileFull checks that the error of a full disk names the target.
func TestWriteFileFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err == nil {
		err := WriteFile("/dev/full", writeText("text"))
		wantError(t, err, syscall.ENOSPC, "/dev/full: cannot write: no space left on device")
	}
	path := filepath.Join(t.TempDir(), "out")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.file.Close() // makes Write fail
	_, err = f.Write([]byte("text"))
	f.Abort()
	wantError(t, err, fs.ErrClosed, path+": cannot write: file already closed")
	checkOnlyFile(t, filepath.Dir(path), "out", "")
}

func TestCommitSeveral(t *testing.T) {
	dir := t.TempDir()
	a, err := Create(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Create(filepath.Join(dir, "b"))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(a, "half")
	if _, err := a.WriteAt([]byte("H"), 0); err != nil {
		t.Fatal(err)
	}
	b.Abort()
	if err := Commit(a, b); !errors.Is(err, errAborted) {
		t.Errorf("one of them aborted: %v", err)
	}
	checkOnlyFile(t, dir, "none", "")
	if a, err = Create(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	io.WriteString(a, "whole")
	if err := Commit(a); err != nil {
		t.Fatal(err)
	}
	a.Abort()
	checkOnlyFile(t, dir, "a", "whole")
}

// TestAbortAll checks that AbortAll leaves no temporary file, and that later calls write no file.
func TestAbortAll(t *testing.T) {
	defer func() { unfinished.aborted = false }()
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "half")
	AbortAll()
	checkOnlyFile(t, dir, "none", "")
	if err := f.Commit(); !errors.Is(err, errAborted) {
		t.Errorf("Commit: %v", err)
	}
	if err := WriteFile(path, writeText("text")); !errors.Is(err, errAborted) {
		t.Errorf("WriteFile: %v", err)
	}
	checkOnlyFile(t, dir, "none", "")
}

// TestScratch checks that a scratch file has no name where the system allows this, and that no file
// remains after Abort.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	f, err := Scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		checkOnlyFile(t, dir, "none", "")
	}
	got := make([]byte, 3)
	_, werr := f.WriteAt([]byte("a text"), 2)
	if _, err := f.ReadAt(got, 4); err != nil || werr != nil || string(got) != "tex" {
		t.Errorf("%q: %v, %v", got, err, werr)
	}
	_, err = f.ReadAt(got, 7)
	wantError(t, err, io.EOF, dir+": cannot read: EOF")
	f.Abort()
	checkOnlyFile(t, dir, "none", "")
	_, err = f.WriteAt(got, 0)
	wantError(t, err, os.ErrClosed, "")
	none := filepath.Join(dir, "none")
	_, err = Scratch(none)
	wantError(t, err, fs.ErrNotExist, "")
}

// wantError checks the type and the cause of an error and, unless text is empty, its text.
func wantError(t *testing.T, err, is error, text string) {
	t.Helper()
	if _, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, is) || text != "" && err.Error() != text {
		t.Errorf("error %v, want an *Error, %v: %s", err, is, text)
	}
}

// TestStale checks that Create removes the stale temporary file of its target. Files of other
// targets, locked files and new files stay.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "out")
	f, err := Create(target)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	locked := f.file.Name()
	prefix := locked[:len(locked)-len("00000000.tmp")]
	stale, other, fresh := prefix+"stale.tmp", filepath.Join(dir, ".monge-00000000-stale.tmp"), prefix+"fresh.tmp"
	for _, name := range []string{stale, other, fresh} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * staleAge)
	for _, name := range []string{stale, other, locked} {
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(target, writeText("text")); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{stale: false, other: true, locked: true, fresh: true} {
		if _, err := os.Stat(name); (err == nil) != stays {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
}
