// Package outfile writes files, each whole or not at all, and matrices into them. It is
// what the command and the experiments share; it knows nothing of what they write.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// A File is a file that is being written, all of it or nothing: the bytes go to a
// temporary file in the same folder, which takes the place of the target at Commit.
// Until then, and after Abort, an existing target is as before. What is not a regular
// file, such as /dev/stdout or a pipe, is written directly.
type File struct {
	path   string // as the caller named it
	target string // where a symbolic link points; "" when written directly
	file   *os.File
}

// unfinished are the Files with a temporary file, for AbortAll.
var unfinished = struct {
	sync.Mutex
	files   map[*File]bool
	aborted bool
}{files: map[*File]bool{}}

var errAborted = errors.New("writing has been aborted")

// An Error says which file could not be written. It unwraps to an error of the system.
type Error struct {
	Path string // as the caller named it
	Err  error
}

// Error joins both.
func (e *Error) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// bare is an error of the system without the paths that it repeats.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// cannotWrite is an error of the system with the caller's words.
func cannotWrite(path string, err error) error {
	return &Error{path, fmt.Errorf("cannot write: %w", bare(err))}
}

// Create begins to write a file. One that is replaced keeps its permissions, and a
// symbolic link still points to it, also if it was not there yet. Every error is a
// *Error with the path; a missing folder matches fs.ErrNotExist.
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

// Scratch creates a file for what a program keeps for a time, in a folder. Where the system
// allows it, the file has no name from the beginning, so that nothing of it outlives the
// process, whatever ends that; elsewhere Abort and AbortAll remove it. Errors name the folder.
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

// follow returns the file that a chain of symbolic links ends at, which need not be.
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

// begin creates the temporary file, with the permissions that a new file gets here;
// os.CreateTemp keeps it from everyone else.
func (f *File) begin() (err error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.aborted {
		return errAborted
	}
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(f.target), fmt.Sprintf(".monge-%08x.tmp", rand.Uint32()))
		f.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err == nil {
			unfinished.files[f] = true
		}
		return err
	}
}

// Write appends to the file. An error is a *Error that names the target, not the
// temporary file: of a full disk, for one.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, f.failed(err)
}

// WriteAt writes over what Write has written, such as a header whose counts are known
// in the end. It fails on what is written directly.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if f.target == "" {
		return 0, cannotWrite(f.path, errors.New("not a regular file"))
	}
	n, err := f.file.WriteAt(p, off)
	return n, f.failed(err)
}

// ReadAt reads what has been written.
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

// Commit ends the file and puts it in its place. After an error it is as after Abort.
func (f *File) Commit() error { return Commit(f) }

// Commit ends several files and puts them in their places. Unless the system refuses
// one of the last renamings, they all are or none; AbortAll does not come between.
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

// AbortAll aborts every File of the process, and every one that is created afterwards:
// for a program that is about to exit on a signal while other goroutines still write.
func AbortAll() {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.aborted = true
	for f := range unfinished.files {
		f.abort()
	}
}

// WriteFile gives the file at path the bytes that write produces, all or none, as
// Create does. After an error, also one of write, or a panic there is no temporary file
// and an existing file is as before.
//
// An error of the system is a *Error with the path; one of write is returned as it
// is.
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
