package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	// stdinArgument is the command-line argument for standard input or standard output.
	stdinArgument = "-"
	// standardInput is the name of standard input in messages.
	standardInput = "standard input"
)

// displayName returns the name of an input file for messages.
func displayName(path string) string {
	if path == stdinArgument {
		return standardInput
	}
	return path
}

// inputFlags are the flags that name an input file. In commands that write a model, the flag model
// names an output file.
var inputFlags = []string{
	"data", "labels", "model", "train", "train-labels", "test", "test-labels", "init", "lambda-matrix", "projection", "validation",
	"x", "y", "cost", "pairs", "a", "b",
}

// checkStdin reports whether a flag or argument reads standard input. It returns an error if two
// flags or arguments read standard input.
func checkStdin(cmd *cobra.Command, args []string) (reads bool, err error) {
	var names []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		written := f.Name == "model" && (cmd.Name() == "fit" || cmd.Name() == "cv")
		if f.Value.Type() == "string" && f.Value.String() == stdinArgument && slices.Contains(inputFlags, f.Name) && !written {
			names = append(names, "--"+f.Name)
		}
	})
	if slices.Contains(args, stdinArgument) {
		names = append(names, "the file")
	}
	if len(names) > 1 {
		return true, usagef("%s cannot both be standard input: give a file for one of them", strings.Join(names, " and "))
	}
	return len(names) > 0, nil
}

// openStdin returns a reader of standard input, and a function that the caller must call at the end.
// If whole is true or the format needs random access (NPZ, Parquet), openStdin copies a pipe to a
// temporary file, which this function removes.
func openStdin(whole bool) (in io.Reader, end func(), err error) {
	none := func() {}
	if info, err := os.Stdin.Stat(); err == nil && info.Mode().IsRegular() {
		at, err := os.Stdin.Seek(0, io.SeekCurrent)
		if err == nil {
			return io.NewSectionReader(os.Stdin, at, info.Size()-at), none, nil
		}
	}
	buf := bufio.NewReader(os.Stdin)
	if head, _ := buf.Peek(4); !whole && string(head) != "PK\x03\x04" && string(head) != "PAR1" {
		return buf, none, nil
	}
	f, err := outfile.Temporary()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: a temporary file is needed, in the folder of TMPDIR: %w", standardInput, err)
	}
	n, err := io.Copy(f, buf)
	if err != nil {
		f.Abort()
		return nil, nil, fmt.Errorf("%s: %w", standardInput, err)
	}
	return io.NewSectionReader(f, 0, n), f.Abort, nil
}

// labelFilePath returns the path of a label file. For standard input, it returns /dev/stdin.
func labelFilePath(path string) (string, error) {
	const device = "/dev/stdin"
	if path != stdinArgument {
		return path, nil
	}
	if _, err := os.Stat(device); err != nil {
		return "", usagef("labels cannot come from standard input on this system; give a file")
	}
	return device, nil
}
