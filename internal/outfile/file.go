// Package outfile writes files atomically, and writes matrices as CSV and NPY.
package outfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// File is a file that is written either completely or not at all. The bytes go to a temporary file
// in the same folder, which replaces the target at Commit. Before Commit, and after Abort, an
// existing target is unchanged. A target that is not a regular file, such as /dev/stdout or a pipe,
// is written directly.
//
// If the process is killed or crashes, its temporary files, named .monge-*.tmp, remain. The next
// Create of the same target removes them.
type File struct {
	path   string // path as passed to Create
	target string // path after resolving symbolic links, or "" if the file is written directly
	file   *os.File
}

// unfinished contains the Files with a temporary file, for AbortAll.
var unfinished = struct {
	sync.Mutex
	files   map[*File]bool
	aborted bool
}{files: map[*File]bool{}}

var errAborted = errors.New("the program is ending")

// Error names a file that could not be written. It wraps an error of the operating system.
type Error struct {
	Path string // path as passed to Create
	Err  error
}

// Error returns the path and the cause.
func (e *Error) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// withoutPath removes the path from an error of the operating system, because Error adds it.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// writeError returns an *Error for the path as passed by the caller.
func writeError(path string, err error) error {
	return &Error{path, fmt.Errorf("cannot write: %w", withoutPath(err))}
}

// Create begins to write a file. The new file keeps the permissions of an existing file. If path is
// a symbolic link, Create writes the target of the link, even if the target does not exist yet.
// Every error is an *Error with the path. The error matches fs.ErrNotExist if the folder is
// missing.
func Create(path string) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return nil, writeError(path, err)
	case info.IsDir():
		return nil, writeError(path, errors.New("it is a directory; name a file"))
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, writeError(path, err)
		}
		return &File{path: path, file: f}, nil
	}
	f := &File{path: path}
	if f.target, err = resolveLinks(path); err != nil {
		return nil, writeError(path, err)
	}
	if err := f.createTemporary(); err != nil {
		return nil, &Error{Path: path, Err: fmt.Errorf("cannot create a file in the folder %s: %w", filepath.Dir(f.target), withoutPath(err))}
	}
	if info != nil {
		if err := f.file.Chmod(info.Mode().Perm()); err != nil {
			f.Abort()
			return nil, writeError(path, err)
		}
	}
	return f, nil
}

// Scratch creates a temporary file in a folder. If the operating system allows it, the file has no
// name and disappears with the process. Otherwise Abort and AbortAll remove it. Errors name the
// folder.
func Scratch(folder string) (*File, error) {
	f := &File{path: folder, target: filepath.Join(folder, "scratch")}
	if err := f.createTemporary(); err != nil {
		return nil, writeError(folder, err)
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	if os.Remove(f.file.Name()) == nil {
		delete(unfinished.files, f)
	}
	return f, nil
}

// Temporary calls Scratch with $TMPDIR, or /var/tmp on Linux if TMPDIR is not set, because /tmp is
// often in memory.
func Temporary() (*File, error) {
	const large = "/var/tmp"
	if runtime.GOOS == "linux" && os.Getenv("TMPDIR") == "" {
		if f, err := Scratch(large); err == nil {
			return f, nil
		}
	}
	return Scratch(os.TempDir())
}

// resolveLinks follows a chain of symbolic links. The file at its end need not exist.
func resolveLinks(path string) (string, error) {
	const longest = 40 // limit of Linux
	for range longest {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		} else if err != nil {
			return "", err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// filepath.Join would clean a/../b, but a may be a symbolic link.
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return "", errors.New("too many levels of symbolic links")
}

// createTemporary creates the temporary file with the default permissions of a new file. A file of
// os.CreateTemp would be readable only for its owner.
func (f *File) createTemporary() (err error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.aborted {
		return errAborted
	}
	folder := filepath.Dir(f.target)
	prefix := fmt.Sprintf(".monge-%08x-", crc32.ChecksumIEEE([]byte(filepath.Base(f.target))))
	removeStale(folder, prefix)
	for try := 0; ; try++ {
		name := filepath.Join(folder, fmt.Sprintf("%s%08x.tmp", prefix, rand.Uint32()))
		f.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err == nil {
			lock(f.file)
			unfinished.files[f] = true
		}
		return err
	}
}

// An unlocked temporary file older than staleAge is stale, because a running process locks its file
// immediately.
const staleAge = time.Minute

// removeStale removes temporary files of processes that have exited. The file names begin with
// prefix. A file in use is locked and remains.
func removeStale(folder, prefix string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), ".tmp") {
			continue
		}
		name := filepath.Join(folder, e.Name())
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) < staleAge {
			continue
		}
		removeUnlocked(name)
	}
}

// Write appends to the file. An error, such as a full disk, is an *Error with the path of the
// target.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, f.wrapError(err)
}

// WriteAt overwrites bytes that Write has written. For example, a header may contain counts that
// are known only at the end. WriteAt fails if the target is written directly.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if f.target == "" {
		return 0, writeError(f.path, errors.New("it is not a regular file, such as a pipe, so bytes already written cannot be changed"))
	}
	n, err := f.file.WriteAt(p, off)
	return n, f.wrapError(err)
}

// ReadAt reads bytes that have been written.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	if err != nil {
		err = &Error{f.path, fmt.Errorf("cannot read: %w", withoutPath(err))}
	}
	return n, err
}

func (f *File) wrapError(err error) error {
	if err == nil {
		return nil
	}
	return writeError(f.path, err)
}

// Commit closes the file and moves it to its target. After an error the file is aborted.
func (f *File) Commit() error { return Commit(f) }

// Commit closes several files and renames all of them or none. There is one exception: if the
// operating system rejects a rename, earlier renames stay. AbortAll waits for the end of Commit.
func Commit(files ...*File) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	defer func() {
		for _, f := range files {
			f.removeTemporary()
		}
	}()
	for _, f := range files {
		if f.target != "" && !unfinished.files[f] {
			return f.wrapError(errAborted)
		}
		if err := f.file.Close(); err != nil {
			return f.wrapError(err)
		}
	}
	for _, f := range files {
		if f.target == "" {
			continue
		}
		if err := os.Rename(f.file.Name(), f.target); err != nil {
			return &Error{Path: f.path, Err: fmt.Errorf("cannot replace: %w", withoutPath(err))}
		}
		delete(unfinished.files, f)
	}
	return nil
}

// Abort removes the temporary file. It does nothing after Commit.
func (f *File) Abort() {
	unfinished.Lock()
	defer unfinished.Unlock()
	f.removeTemporary()
}

func (f *File) removeTemporary() {
	f.file.Close() // harmless after Commit
	if unfinished.files[f] {
		delete(unfinished.files, f)
		os.Remove(f.file.Name())
	}
}

// AbortAll aborts every File of the process, including every File created later. A program calls
// AbortAll before it exits on a signal, while other goroutines may still write.
func AbortAll() {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.aborted = true
	for f := range unfinished.files {
		f.removeTemporary()
	}
}

// WriteFile writes the output of the function write to the file at path, completely or not at all.
// After an error or a panic an existing file is unchanged and no temporary file remains.
//
// An error of the operating system is an *Error with the path. An error of the function write is
// returned unchanged.
func WriteFile(path string, write func(w io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort() // also when write panics
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
