// Package outfile writes files, each whole or not at all, and matrices into them.
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

// A File is a file that is being written, whole or not at all. The bytes go to a temporary
// file in the same folder, which replaces the target at Commit. Until then, and after Abort,
// an existing target is unchanged. A target that is not a regular file, such as /dev/stdout or
// a pipe, is written directly.
//
// A process that is killed, or that ends by SIGQUIT, SIGABRT or a crash, leaves its temporary files behind. Their
// names are .monge-*.tmp. The next Create of the same target removes them.
type File struct {
	path   string // as the caller named it
	target string // where a symbolic link points; "" when written directly
	file   *os.File
}

// unfinished holds the Files that have a temporary file, for AbortAll.
var unfinished = struct {
	sync.Mutex
	files   map[*File]bool
	aborted bool
}{files: map[*File]bool{}}

var errAborted = errors.New("writing has been aborted")

// An Error says which file could not be written. It wraps an error of the operating system.
type Error struct {
	Path string // as the caller named it
	Err  error
}

// Error returns the path and the cause.
func (e *Error) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// bare returns an error of the operating system without the paths that it repeats.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// cannotWrite returns an *Error that names the file as the caller named it.
func cannotWrite(path string, err error) error {
	return &Error{path, fmt.Errorf("cannot write: %w", bare(err))}
}

// Create begins to write a file. A file that is replaced keeps its permissions. If path is a
// symbolic link, the file that it points to is written, even if that did not exist. Every
// error is an *Error with the path. For a missing folder it matches fs.ErrNotExist.
func Create(path string) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return nil, cannotWrite(path, err)
	case info.IsDir():
		return nil, cannotWrite(path, errors.New("is a directory"))
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, cannotWrite(path, err)
		}
		return &File{path: path, file: f}, nil
	}
	f := &File{path: path}
	if f.target, err = follow(path); err != nil {
		return nil, cannotWrite(path, err)
	}
	if err := f.begin(); err != nil {
		return nil, &Error{Path: path, Err: fmt.Errorf("cannot create a file in the folder %s: %w", filepath.Dir(f.target), bare(err))}
	}
	if info != nil {
		if err := f.file.Chmod(info.Mode().Perm()); err != nil {
			f.Abort()
			return nil, cannotWrite(path, err)
		}
	}
	return f, nil
}

// Scratch creates a temporary file in a folder. If the operating system allows it, the file
// has no name, so that it disappears with the process, however that ends. Otherwise Abort and
// AbortAll remove it. Errors name the folder.
func Scratch(folder string) (*File, error) {
	f := &File{path: folder, target: filepath.Join(folder, "scratch")}
	if err := f.begin(); err != nil {
		return nil, cannotWrite(folder, err)
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	if os.Remove(f.file.Name()) == nil {
		delete(unfinished.files, f)
	}
	return f, nil
}

// Temporary is Scratch in the folder of TMPDIR, or else in /var/tmp, as /tmp is memory on many systems.
func Temporary() (*File, error) {
	const large = "/var/tmp"
	if runtime.GOOS == "linux" && os.Getenv("TMPDIR") == "" {
		if f, err := Scratch(large); err == nil {
			return f, nil
		}
	}
	return Scratch(os.TempDir())
}

// follow returns the end of a chain of symbolic links. The file there need not exist.
func follow(path string) (string, error) {
	const longest = 40 // as Linux has it
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
			// Not cleaned: in a/../b, a may be a link itself.
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return "", errors.New("too many levels of symbolic links")
}

// begin creates the temporary file with the usual permissions of a new file. os.CreateTemp
// would make it readable for its owner only.
func (f *File) begin() (err error) {
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

// staleAge is the age from which an unlocked temporary file is stale: a process has locked it long before.
const staleAge = time.Minute

// removeStale removes the temporary files of a target whose process has ended without removing them. Their names
// begin with prefix. A file that is being written is locked.
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

// Write appends to the file. An error, for example of a full disk, is an *Error that names the
// target, not the temporary file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, f.failed(err)
}

// WriteAt overwrites bytes that Write has written, such as a header with counts that are
// known only at the end. It fails if the target is written directly.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if f.target == "" {
		return 0, cannotWrite(f.path, errors.New("not a regular file"))
	}
	n, err := f.file.WriteAt(p, off)
	return n, f.failed(err)
}

// ReadAt reads bytes that were written.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	if err != nil {
		err = &Error{f.path, fmt.Errorf("cannot read: %w", bare(err))}
	}
	return n, err
}

func (f *File) failed(err error) error {
	if err == nil {
		return nil
	}
	return cannotWrite(f.path, err)
}

// Commit closes the file and moves it to its place. An error has the effect of Abort.
func (f *File) Commit() error { return Commit(f) }

// Commit closes several files and moves them to their places, all or none, unless the
// operating system refuses one of the last renamings. AbortAll cannot come in between.
func Commit(files ...*File) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	defer func() {
		for _, f := range files {
			f.abort()
		}
	}()
	for _, f := range files {
		if f.target != "" && !unfinished.files[f] {
			return f.failed(errAborted)
		}
		if err := f.file.Close(); err != nil {
			return f.failed(err)
		}
	}
	for _, f := range files {
		if f.target == "" {
			continue
		}
		if err := os.Rename(f.file.Name(), f.target); err != nil {
			return &Error{Path: f.path, Err: fmt.Errorf("cannot replace: %w", bare(err))}
		}
		delete(unfinished.files, f)
	}
	return nil
}

// Abort removes the temporary file. It does nothing after Commit.
func (f *File) Abort() {
	unfinished.Lock()
	defer unfinished.Unlock()
	f.abort()
}

func (f *File) abort() {
	f.file.Close() // once more than needed after Commit
	if unfinished.files[f] {
		delete(unfinished.files, f)
		os.Remove(f.file.Name())
	}
}

// AbortAll aborts every File of the process, and every File that is created afterwards. It is
// for a program that exits on a signal while other goroutines still write.
func AbortAll() {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.aborted = true
	for f := range unfinished.files {
		f.abort()
	}
}

// WriteFile writes the bytes that write produces to the file at path, all or none. After an
// error or a panic, also of write, an existing file is unchanged and no temporary file is
// left.
//
// An error of the operating system is an *Error with the path. An error of write is returned
// unchanged.
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
