// Command memory measures how much memory an evaluation of the objective J and its gradient needs. It measures monge in
// float64 and in float32. It also measures POT if the flag -python names a Python interpreter with POT.
//
//	go run ./bench/tools/memory [-python ~/.cache/monge-peers/venv/bin/python] [-n 1000,2000]
//
// Every evaluation runs in a separate process. The reported number is the growth of the peak resident set
// after the process has loaded the samples. The data have 10 Gaussian classes, d = 784, p = 10 and L = 10. The
// command runs only on Linux.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	_ "embed"

	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

const d, p = 784, 10

//go:embed pot.py
var pot string

func main() {
	python := flag.String("python", "", "a Python with POT, pymanopt and autograd")
	sizes := flag.String("n", "1000,2000", "numbers of samples")
	child := flag.String("child", "", "measure ours (f64 or f32) with the samples in this file")
	flag.Parse()
	var err error
	if *child != "" {
		err = measure(*child, flag.Arg(0))
	} else {
		err = table(*python, *sizes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
}

func table(python, sizes string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "monge-memory-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| n | ours f64, MB | ours f32 | POT | POT / ours f64 |\n|---|---|---|---|---|")
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		data := filepath.Join(dir, "x.f64")
		if err := generate(data, n); err != nil {
			return err
		}
		f64, err := megabytes(exec.Command(self, "-child", "f64", data))
		if err != nil {
			return err
		}
		f32, err := megabytes(exec.Command(self, "-child", "f32", data))
		if err != nil {
			return err
		}
		row := fmt.Sprintf("| %d | %.1f | %.1f |", n, f64, f32)
		if python != "" {
			theirs, err := megabytes(exec.Command(python, "-c", pot, data, strconv.Itoa(d), strconv.Itoa(p)))
			if err != nil {
				return err
			}
			row += fmt.Sprintf(" %.1f | %.1f |", theirs, theirs/f64)
		} else {
			row += " – | – |"
		}
		fmt.Println(row)
	}
	return nil
}

func megabytes(cmd *exec.Cmd) (float64, error) {
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", cmd.Path, err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// generate writes n samples of 10 Gaussian classes to a file, sorted by class.
func generate(path string, n int) error {
	rng := rand.New(rand.NewPCG(1, 2))
	x, center := make([]float64, n*d), make([]float64, 10*d)
	for i := range center {
		center[i] = rng.NormFloat64()
	}
	for i := range x {
		x[i] = center[i/d*10/n*d+i%d] + rng.NormFloat64()
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = binary.Write(w, binary.LittleEndian, x)
	if err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// measure prints the megabytes that wda.Score needs for J and its gradient.
func measure(typ, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	n := len(b) / 8 / d
	x, labels, proj := mat.NewDense(n, d, nil), make([]int, n), mat.NewDense(d, p, nil)
	if _, err := binary.Decode(b, binary.LittleEndian, x.RawMatrix().Data); err != nil {
		return err
	}
	for i := range labels {
		labels[i] = i * 10 / n
	}
	for j := range p {
		proj.Set(j, j, 1)
	}
	b = nil
	debug.FreeOSMemory()
	before, err := resetPeak()
	if err != nil {
		return err
	}
	set := &wda.Scoring{Objective: wda.Objective{Float32: typ == "f32"}, Workers: 1}
	if _, err := wda.Score(context.Background(), x, labels, proj, set); err != nil {
		return err
	}
	after, err := readStatus("VmHWM")
	if err != nil {
		return err
	}
	fmt.Println((after - before) / 1e6)
	return nil
}

// resetPeak resets the peak of the resident set to its current size and returns this size in bytes.
func resetPeak() (float64, error) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, err
	}
	return readStatus("VmHWM")
}

// readStatus returns a value of /proc/self/status, converted to bytes.
func readStatus(name string) (float64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name+":" {
			kb, err := strconv.ParseFloat(f[1], 64)
			return 1024 * kb, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/self/status", name)
}
