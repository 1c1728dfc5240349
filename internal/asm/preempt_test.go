package asm_test

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestPreemptible checks the machine code of this test binary. A goroutine cannot be preempted in
// assembly, but it can be preempted at the stack check at the beginning of a Go function. Every
// function that calls assembly must therefore begin with a stack check, and the compiler must not
// inline the function into the loop that calls it.
func TestPreemptible(t *testing.T) {
	calls, checks := callees(t)
	missing := map[string]bool{}
	kernel := regexp.MustCompile(`/internal/asm/\w+\.\w+(AVX2|AVX512|NEON)(F64|F32|Mixed|VNNI|VPOPCNT|DotProd)?$`)
	dispatcher := regexp.MustCompile(`/internal/asm/\w+\.[a-z]\w*(\[.*\])?$`)
	for name := range checks {
		if kernel.MatchString(name) {
			missing[name] = true
		}
	}
	if len(missing) == 0 {
		t.Skip("no assembly in this build")
	}
	for _, c := range calls {
		if !kernel.MatchString(c.callee) {
			continue
		}
		delete(missing, c.callee)
		if !dispatcher.MatchString(c.caller) {
			t.Errorf("%s calls %s: that is inlined into it", c.caller, c.callee)
		}
		if !checks[c.caller] {
			t.Errorf("%s calls %s and has no stack check", c.caller, c.callee)
		}
	}
	for name := range missing {
		t.Errorf("nobody is seen to call %s: this test overlooks calls", name)
	}
}

type call struct{ caller, callee string }

// callees returns the direct calls in this program, and the set of functions that begin with a stack check.
func callees(t *testing.T) (calls []call, checks map[string]bool) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("knows the executables of Linux on amd64 and arm64")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, lines := f.Section(".text"), f.Section(".gopclntab")
	if text == nil || lines == nil {
		t.Skip("an executable without a table of functions")
	}
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	pcln, err := lines.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(pcln, text.Addr))
	if err != nil {
		t.Fatal(err)
	}
	name := map[uint64]string{}
	for _, fn := range table.Funcs {
		name[fn.Entry] = strings.TrimSuffix(fn.Name, ".abi0")
	}
	checks = map[string]bool{}
	for _, fn := range table.Funcs {
		if !strings.Contains(fn.Name, "/internal/asm/") || fn.Entry < text.Addr || fn.End > text.Addr+uint64(len(code)) {
			continue
		}
		body := code[fn.Entry-text.Addr : fn.End-text.Addr]
		checks[strings.TrimSuffix(fn.Name, ".abi0")] = hasCheck(body)
		for _, target := range callTargets(body, fn.Entry) {
			if callee, ok := name[target]; ok {
				calls = append(calls, call{strings.TrimSuffix(fn.Name, ".abi0"), callee})
			}
		}
	}
	return calls, checks
}

// hasCheck reports whether the machine code of a function begins with a stack check, which compares
// the stack pointer with the stack limit of the goroutine.
func hasCheck(body []byte) bool {
	if runtime.GOARCH == "arm64" {
		return len(body) >= 4 && binary.LittleEndian.Uint32(body) == 0xf9400b90 // MOVD 16(R28), R16
	}
	body = body[:min(len(body), 16)]
	return bytes.Contains(body, []byte{0x49, 0x3b, 0x66, 0x10}) || // CMPQ SP, 16(R14)
		bytes.Contains(body, []byte{0x4d, 0x3b, 0x66, 0x10}) // CMPQ R12, 16(R14)
}

// callTargets returns the target addresses of the direct calls in body, the machine code of a function.
// entry is the address of this function. On amd64, an operand may look like a call, but is unlikely to contain the
// address of a function.
func callTargets(body []byte, entry uint64) (at []uint64) {
	if runtime.GOARCH == "arm64" {
		for i := 0; i+4 <= len(body); i += 4 {
			if w := binary.LittleEndian.Uint32(body[i:]); w>>26 == 0b100101 { // BL
				at = append(at, entry+uint64(i)+uint64(int64(int32(w<<6)>>6)*4))
			}
		}
		return at
	}
	for i := 0; i+5 <= len(body); i++ {
		if body[i] == 0xe8 { // CALL
			at = append(at, entry+uint64(i+5)+uint64(int64(int32(binary.LittleEndian.Uint32(body[i+1:])))))
		}
	}
	return at
}
