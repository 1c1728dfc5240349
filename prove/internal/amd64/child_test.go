//go:build linux && amd64

package amd64

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/prove/internal/code"
)

// storedInstances reads the instructions that storeInstances wrote to a folder. It returns nil if the folder
// contains no instructions.
func storedInstances(t *testing.T, dir string) (all []*instance) {
	text, err := os.ReadFile(filepath.Join(dir, "instructions.json"))
	if dir == "" || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var list []storedInstruction
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		i := &instance{Decode(&s.Inst).(*inst), s.Raw, s.Function, ""}
		i.form = i.describe()
		all = append(all, i)
	}
	return all
}

// storedInstruction is an instruction in the file instructions.json.
type storedInstruction struct {
	code.Inst
	Raw      []byte
	Function string
}

// storeInstances writes instructions and the program that runs them to a folder.
func storeInstances(t *testing.T, dir string, all []*instance) {
	var list []storedInstruction
	for _, i := range all {
		s := storedInstruction{*i.Inst, i.raw, i.function}
		s.Decoded = nil
		list = append(list, s)
	}
	text, err := json.Marshal(list)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "instructions.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	compileChild(t, dir, 512, "-static")
}

// compileChild compiles the program that runs instructions.
func compileChild(t *testing.T, dir string, bits int, flags ...string) {
	source := filepath.Join(dir, "processor.c")
	if err := os.WriteFile(source, []byte(childSource(bits)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", append(flags, "-O1", "-o", filepath.Join(dir, "processor"), source)...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
}

// runChild runs the program and returns the states after each instruction.
func runChild(t *testing.T, dir string, stubs []byte, before []state) (after []state) {
	asBytes := func(s []state) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
	}
	after = make([]state, len(before))
	child := exec.Command(filepath.Join(dir, "processor"))
	var messages bytes.Buffer
	child.Stdin, child.Stderr = io.MultiReader(bytes.NewReader(stubs), bytes.NewReader(asBytes(before))), &messages
	output, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	n, short := io.ReadFull(output, asBytes(after))
	if err := errors.Join(child.Wait(), short); err != nil {
		t.Fatalf("%v after %d of %d bytes\n%s", err, n, len(asBytes(after)), &messages)
	}
	return after
}

// childSource returns the source of a C program that reads instructions and register states. For
// each state, the program runs one instruction and writes the resulting state.
func childSource(bits int) string {
	var load, save strings.Builder
	names := strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")
	const in, out, stack = stateAt, stateAt + 0x4000, stateAt + 0xf000
	both := func(format, name string, offset int) {
		fmt.Fprintf(&load, format+" %#x, %%%s\n", in+offset, name)
		fmt.Fprintf(&save, format+" %%%s, %#x\n", name, out+offset)
	}
	vectors := func() {
		if bits == 256 {
			for n := range 16 {
				both("vmovdqu", fmt.Sprintf("ymm%d", n), 256+64*n)
			}
			return
		}
		for n := range 8 {
			both("kmovq", fmt.Sprintf("k%d", n), 128+8*n)
		}
		for n := range 32 {
			both("vmovdqu64", fmt.Sprintf("zmm%d", n), 256+64*n)
		}
	}
	// The general registers are loaded last and saved first, because loading the flags needs the
	// stack pointer.
	var general strings.Builder
	fmt.Fprintf(&general, "mov $%#x, %%rsp\npushq %#x\npopfq\n", stack, in+192)
	for n, name := range names {
		fmt.Fprintf(&general, "mov %#x, %%%s\n", in+8*n, name)
		fmt.Fprintf(&save, "mov %%%s, %#x\n", name, out+8*n)
	}
	fmt.Fprintf(&save, "mov $%#x, %%rsp\npushfq\npopq %#x\n", stack, out+192)
	vectors()
	assembly := fmt.Sprintf("run:\npush %%rbx\npush %%rbp\npush %%r12\npush %%r13\npush %%r14\npush %%r15\nmov %%rsp, %#[1]x\n%[2]s%[3]sjmp *%#[4]x\n"+
		"done:\n%[5]smov %#[1]x, %%rsp\npop %%r15\npop %%r14\npop %%r13\npop %%r12\npop %%rbp\npop %%rbx\nvzeroupper\nret\n",
		stateAt+0x8000, &load, &general, stateAt+0x8008, &save)
	return fmt.Sprintf(`
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

void run(void);
extern char done[];

static char *map(uint64_t at, size_t size, int how) {
	char *p = mmap((void *)at, size, how, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p != (char *)at) perror("mmap");
	return p == (char *)at ? p : 0;
}

int main(void) {
	enum { registers = 256 + 32 * 64, size = 512 };
	uint64_t n, length, at = (uint64_t)done;
	if (fread(&n, 8, 1, stdin) != 1) return 2;
	char *state = map(%[1]d, 0x10000, PROT_READ | PROT_WRITE);
	char *memory = map(%[2]d & -4096, 0x2000, PROT_READ | PROT_WRITE) + (%[2]d & 4095);
	char *code = map(%[3]d, (n * %[4]d | 4095) + 1, PROT_READ | PROT_WRITE);
	if (!state || !code || memory != (char *)%[2]d) return 3;
	for (uint64_t i = 0; i < n; i++) {
		char *c = code + i * %[4]d;
		if (fread(&length, 8, 1, stdin) != 1 || fread(c, 16, 1, stdin) != 1) return 4;
		memcpy(c + length, "\xff\x25\0\0\0\0", 6); /* a jump to the address that follows */
		memcpy(c + length + 6, &at, 8);
	}
	if (mprotect(code, (n * %[4]d | 4095) + 1, PROT_READ | PROT_EXEC)) return 5;
	while (fread(state, registers, 1, stdin) == 1) {
		if (fread(memory, size, 1, stdin) != 1) return 6;
		*(char **)(state + 0x8008) = code + *(uint64_t *)(state + 200) * %[4]d;
		memset(state + 0x4000, 0, registers);
		run();
		if (fwrite(state + 0x4000, registers, 1, stdout) != 1 || fwrite(memory, size, 1, stdout) != 1) return 7;
	}
	return fflush(stdout) != 0;
}

__asm__(%[5]q);
`, stateAt, memoryAt, codeAt, codeSize, assembly)
}
