package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// process is a running program that contains one or more peers (the compared libraries). The program reads requests and writes
// replies. Every request and every reply is one line.
type process struct {
	name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	impls []string // "name=version"
}

// patience is the time limit for a reply of a peer.
const patience = 20 * time.Minute

func start(name string, env []string, argv ...string) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: cmd, in: in, lines: make(chan string)}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	hello, err := p.request("hello")
	if err != nil {
		return nil, err
	}
	p.impls = strings.Fields(hello)
	return p, nil
}

func (p *process) request(format string, args ...any) (string, error) {
	question := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(p.in, question); err != nil {
		return "", fmt.Errorf("%s: %s: %w", p.name, question, err)
	}
	select {
	case reply, ok := <-p.lines:
		if !ok {
			return "", fmt.Errorf("%s has ended at %q", p.name, question)
		}
		return reply, nil
	case <-time.After(patience):
		return "", fmt.Errorf("%s: no reply to %q", p.name, question)
	}
}

func (p *process) stop() {
	_ = p.in.Close()
	done := make(chan struct{})
	go func() {
		_ = p.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = p.cmd.Process.Kill()
	}
}
