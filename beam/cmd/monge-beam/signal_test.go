//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestInterrupted checks that a command interrupted while its worker reads leaves no temporary
// file.
func TestInterrupted(t *testing.T) {
	path := writeModel(t, t.TempDir())
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir, temporary := t.TempDir(), t.TempDir()
		in := filepath.Join(dir, "rows.csv")
		if err := syscall.Mkfifo(in, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := command(temporary, "--do", "transform", "--model", path, "--in", in, "--out", filepath.Join(dir, "y.csv"))
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		rows, err := os.OpenFile(in, os.O_WRONLY, 0) // OpenFile returns when the worker opens the pipe
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%v: %v\n%s", s, err, said.String())
		}
		checkEmpty(t, temporary)
	}
}
