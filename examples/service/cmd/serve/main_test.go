//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gomonge/monge/examples/service/internal/fixture"
)

// TestMain runs the command instead of the tests if a test has set SERVE_IN_TEST.
func TestMain(m *testing.M) {
	if os.Getenv("SERVE_IN_TEST") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is a running command.
type process struct {
	*exec.Cmd
	stderr *os.File // the read end of the pipe
	url    string   // HTTP address
	admin  string
	model  string
}

// serve starts the command and reads its standard error until the command listens.
func serve(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{model: fixture.Model(t, 1)}
	p.Cmd = exec.Command(os.Args[0], append([]string{"-model", p.model, "-http", "127.0.0.1:0", "-admin", "127.0.0.1:0", "-grpc", ""}, args...)...)
	p.Env = append(os.Environ(), "SERVE_IN_TEST=1")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stderr, p.stderr = w, r
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { p.Process.Kill(); p.Wait(); r.Close() })
	var text []byte
	listening := regexp.MustCompile(`"addresses":"\[([0-9.:]+) ([0-9.:]+)\]"`)
	for buf := make([]byte, 1000); ; {
		n, err := r.Read(buf)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		text = append(text, buf[:n]...)
		if a := listening.FindSubmatch(text); a != nil {
			p.url, p.admin = "http://"+string(a[1]), "http://"+string(a[2])
			return p
		}
	}
}

// classify sends a request and returns its status.
func (p *process) classify(t *testing.T) int {
	t.Helper()
	var body []byte
	for i := range 10 {
		body = binary.LittleEndian.AppendUint64(body, math.Float64bits(float64(i)))
	}
	a, err := http.Post(p.url+"/v1/classify", "application/x-float64", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	io.Copy(io.Discard, a.Body)
	return a.StatusCode
}

// terminate sends SIGTERM and waits until the process ends.
func (p *process) terminate(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("SIGTERM does not end the process")
		p.Process.Kill()
		<-ended
	}
}

// TestLogGone checks that the service continues when the reader of its log exits.
func TestLogGone(t *testing.T) {
	p := serve(t)
	p.stderr.Close()
	for range 20 {
		if status := p.classify(t); status != 200 {
			t.Fatal(status)
		}
	}
	p.terminate(t)
}

// TestLogUnread checks that the service continues if nobody reads its log. The log goes to a pipe, which holds 64 KiB.
func TestLogUnread(t *testing.T) {
	p := serve(t)
	for range 6000 { // more than the pipe and the queue hold
		if status := p.classify(t); status != 200 {
			t.Fatal(status)
		}
	}
	a, err := http.Get(p.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil || !regexp.MustCompile(`(?m)^monge_log_errors_total [1-9]`).Match(text) {
		t.Errorf("%v: lost lines are not counted", err)
	}
	p.terminate(t)
}

// TestBlockingModel replaces the model file by a named pipe without a writer, and then by a sparse
// file of 2 GiB.
func TestBlockingModel(t *testing.T) {
	p := serve(t, "-watch", "5ms")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	sparse := filepath.Join(t.TempDir(), "sparse")
	if f, err := os.Create(sparse); err != nil || f.Truncate(2<<30) != nil || f.Close() != nil {
		t.Skip("no sparse files here")
	}
	for file, says := range map[string]string{pipe: "not a regular file", sparse: "more than the 1073741824 of -max-model"} {
		if err := os.Rename(file, p.model); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			a, err := http.Post(p.admin+"/reload", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(a.Body)
			if a.Body.Close(); a.StatusCode != 422 || !strings.Contains(string(text), says) {
				t.Errorf("%d, %s", a.StatusCode, text)
			}
		}
		if status := p.classify(t); status != 200 {
			t.Errorf("the old model answers %d", status)
		}
	}
	p.terminate(t)
}
