package mongebeam

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	// Paths without a scheme are local files.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
)

// readAll returns the bytes of a file of any of Beam's file systems.
func readAll(ctx context.Context, path string) ([]byte, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// writeFile writes a file completely or not at all. If the file system can rename files, writeFile
// writes to a file with a unique name and then renames this file. Other file systems are object
// stores, which create an object only when its writer is closed. A runner may repeat a bundle (a
// unit of work), even concurrently. This is safe because every repetition writes the same bytes.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	at := path
	renamer, renames := fs.(filesystem.Renamer)
	remover, removes := fs.(filesystem.Remover)
	if renames && removes {
		at = path + "." + uniqueName() + ".tmp"
	}
	w, err := fs.OpenWrite(ctx, at)
	if err != nil {
		return err
	}
	err = write(w)
	if e := w.Close(); err == nil {
		err = e
	}
	if err == nil && at != path {
		err = renamer.Rename(ctx, at, path)
	}
	if err != nil {
		if at != path {
			remover.Remove(ctx, at)
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func uniqueName() string { return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) }

func hexSHA256(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// readVerified reads a file like readAll and checks its SHA-256.
func readVerified(ctx context.Context, path, want string) ([]byte, error) {
	data, err := readAll(ctx, path)
	if err != nil {
		return nil, err
	}
	if got := hexSHA256(data); got != want {
		return nil, fmt.Errorf("%s: the file has changed since the pipeline was made: its SHA-256 is %s, not %s", path, got, want)
	}
	return data, nil
}
