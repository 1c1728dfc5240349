package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/gomonge/monge/prove/internal/code"
)

const (
	breakpoint = 0xcc
	// mostPasses is how often a jump is looked at that goes one way only.
	mostPasses = 200_000
	// waitAll makes wait4 report threads, too: __WALL.
	waitAll = 0x40000000
)

// watched is an instruction with a breakpoint.
type watched struct {
	inst   *code.Inst
	byte   byte // that the breakpoint replaces
	set    bool
	passes int
}

// tracer is a process with breakpoints.
type tracer struct {
	memory *os.File
	at     map[uint64]*watched
	cov    *code.Coverage
}

// trace runs a command and returns what it reaches of the functions of program, which is its
// binary. Only one thread at a time runs Go code, so that no other thread passes while a breakpoint
// is lifted.
func trace(program *code.Program, command []string) (*code.Coverage, error) {
	runtime.LockOSThread() // requests of ptrace must come from one thread
	defer runtime.UnlockOSThread()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return nil, err
	}
	defer cmd.Process.Kill()
	const exitKill = 0x100000 // PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|exitKill); err != nil {
		return nil, err
	}
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	t := &tracer{memory, map[uint64]*watched{}, code.NewCoverage()}
	for _, f := range program.Functions {
		for _, i := range f.Order {
			if i.Padding() {
				continue
			}
			w := &watched{inst: i}
			if err := t.put(w, true); err != nil {
				return nil, err
			}
			t.at[i.Addr] = w
		}
	}
	if err := syscall.PtraceCont(pid, 0); err != nil {
		return nil, err
	}
	for {
		thread, err := syscall.Wait4(-1, &status, waitAll, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil, err
		case thread == pid && (status.Exited() || status.Signaled()):
			if status.ExitStatus() != 0 {
				return nil, fmt.Errorf("the tests failed with exit code %d, signal %v; run the binary by itself to see why", status.ExitStatus(), status.Signal())
			}
			return t.cov, nil
		case status.Stopped():
			if err := t.stopped(thread, status); err != nil && err != syscall.ESRCH {
				return nil, err
			}
		}
	}
}

// put sets or lifts a breakpoint.
func (t *tracer) put(w *watched, set bool) error {
	b := [1]byte{w.byte}
	if set {
		if w.inst.Op == "" {
			return fmt.Errorf("no instruction at %#x", w.inst.Addr)
		}
		if _, err := t.memory.ReadAt(b[:], int64(w.inst.Addr)); err != nil {
			return err
		}
		w.byte, b[0] = b[0], breakpoint
	}
	w.set = set
	_, err := t.memory.WriteAt(b[:], int64(w.inst.Addr))
	return err
}

// stopped goes on with a thread that has stopped.
func (t *tracer) stopped(thread int, status syscall.WaitStatus) error {
	signal := status.StopSignal()
	switch {
	case signal == syscall.SIGTRAP && status.TrapCause() > 0, signal == syscall.SIGSTOP: // a new thread
		return syscall.PtraceCont(thread, 0)
	case signal != syscall.SIGTRAP:
		return syscall.PtraceCont(thread, int(signal))
	}
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(thread, &regs); err != nil {
		return err
	}
	w := t.at[regs.Rip-1]
	if w == nil {
		return syscall.PtraceCont(thread, int(signal))
	}
	regs.Rip--
	if err := syscall.PtraceSetRegs(thread, &regs); err != nil {
		return err
	}
	if w.set {
		if err := t.put(w, false); err != nil {
			return err
		}
	}
	t.cov.Reached[w.inst.Addr] = true
	holds, conditional := condition(w.inst.Op, regs.Eflags)
	if conditional {
		t.cov.Branch(w.inst.Addr, holds)
		w.passes++
		if way := t.cov.Taken[w.inst.Addr]; way[0] != way[1] && w.passes < mostPasses {
			// Past the jump, and the breakpoint is back.
			if err := syscall.PtraceSingleStep(thread); err != nil {
				return err
			}
			var after syscall.WaitStatus
			if _, err := syscall.Wait4(thread, &after, waitAll, nil); err != nil {
				return err
			}
			if err := t.put(w, true); err != nil {
				return err
			}
			if after.Stopped() && after.StopSignal() != syscall.SIGTRAP {
				return syscall.PtraceCont(thread, int(after.StopSignal()))
			}
		}
	}
	return syscall.PtraceCont(thread, 0)
}

// condition reports whether a jump is conditional, and whether it is taken with these flags.
func condition(op string, flags uint64) (holds, conditional bool) {
	carry, parity, zero, sign, overflow := flags&1 != 0, flags>>2&1 != 0, flags>>6&1 != 0, flags>>7&1 != 0, flags>>11&1 != 0
	name, jump := strings.CutPrefix(op, "j")
	if !jump || op == "jmp" {
		return false, false
	}
	tests := map[string]bool{
		"o": overflow, "b": carry, "e": zero, "be": carry || zero, "s": sign, "p": parity,
		"l": sign != overflow, "le": zero || sign != overflow,
	}
	opposite := map[string]string{"no": "o", "ae": "b", "ne": "e", "a": "be", "ns": "s", "np": "p", "ge": "l", "g": "le"}
	if of, ok := opposite[name]; ok {
		return !tests[of], true
	}
	holds, conditional = tests[name]
	return holds, conditional
}
