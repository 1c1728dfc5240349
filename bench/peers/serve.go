package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gomonge/monge/internal/asm"
)

// job is a prepared case. The function run does the work, and result returns the result of the last run. If elapsed is not nil,
// elapsed returns the time of one unit of work in the last run, in nanoseconds. This time replaces the measured time of run.
type job struct {
	run     func()
	result  func() []float64
	elapsed func() float64
}

// maker prepares a case. It returns nil if the peer cannot run the case.
type maker func(s spec, dir string) *job

// serve answers requests for the named Go peers, in the line protocol that README.md describes.
func serve(names []string, in io.Reader, out io.Writer) error {
	jobs := map[string]*job{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) == 0 {
			continue
		}
		reply := "ok"
		switch f[0] {
		case "hello":
			var hello []string
			for _, n := range names {
				hello = append(hello, n+"="+goVersion(n))
			}
			reply = strings.Join(hello, " ")
		case "open":
			s := parseSpec(f[2])
			j := makers[f[1]](s, f[3])
			if j == nil {
				reply = "no"
				break
			}
			j.run()
			stride, err := strconv.Atoi(f[5])
			if err != nil {
				return err
			}
			if err := writeResult(f[4], j.result(), stride); err != nil {
				return err
			}
			jobs[f[1]] = j
		case "time":
			j := jobs[f[1]]
			reps, err := strconv.Atoi(f[2])
			if err != nil {
				return err
			}
			warm, err := strconv.Atoi(f[3])
			if err != nil {
				return err
			}
			for range warm {
				j.run()
			}
			ns := 0.0
			began := time.Now()
			for range reps {
				j.run()
				if j.elapsed != nil {
					ns += j.elapsed()
				}
			}
			if j.elapsed == nil {
				ns = float64(time.Since(began))
			}
			reply = fmt.Sprintf("%.3f", ns/float64(reps))
		case "close":
			delete(jobs, f[1])
			runtime.GC()
			debug.FreeOSMemory()
		}
		if _, err := fmt.Fprintln(out, reply); err != nil {
			return err
		}
	}
	return lines.Err()
}

func goVersion(name string) string {
	switch module, ok := modules[name]; {
	case !ok: // this module
		return asm.Current().String()
	case module == "":
		return runtime.Version()
	default:
		info, _ := debug.ReadBuildInfo()
		for _, d := range info.Deps {
			if d.Path == module {
				return d.Version
			}
		}
	}
	return "?"
}

// modules contains the module path of every Go peer, or "" for plain Go. A peer that is not in go.mod adds its module path in its
// own source file.
var modules = map[string]string{"naive": "", "gonum": "gonum.org/v1/gonum", "vek": "github.com/viterin/vek",
	"tphakala": "github.com/tphakala/simd", "x448": "github.com/x448/float16", "hnsw": "github.com/coder/hnsw", "chromem": "github.com/philippgille/chromem-go",
	"archsimd": ""}

func writeResult(path string, x []float64, stride int) error {
	var b []byte
	for i := 0; i < len(x); i += stride {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x[i]))
	}
	return os.WriteFile(path, b, 0o666)
}

func load[T float32 | float64](dir, name string) []T {
	var x []T
	suffix := ".f64"
	if is32[T]() {
		suffix = ".f32"
	}
	f, err := os.Open(filepath.Join(dir, name+suffix))
	if err != nil {
		panic(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		panic(err)
	}
	x = make([]T, int(info.Size())/binary.Size(T(0)))
	if err := binary.Read(bufio.NewReaderSize(f, 1<<20), binary.LittleEndian, x); err != nil {
		panic(err)
	}
	return x
}

func is32[T float32 | float64]() bool { return binary.Size(T(0)) == 4 }

func widen[T float32 | float64](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

var background = context.Background()
