//go:build linux && ignore

// This is the init process of the virtual machine that the script avx512-emulated boots. It mounts the file systems that
// the Go runtime needs and runs the test binaries in /tests one after the other. The files /arguments and
// /environment contain the arguments and the environment of these binaries, one per line. The results go to the console.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	for dir, kind := range map[string]string{"/proc": "proc", "/sys": "sysfs", "/dev": "devtmpfs", "/tmp": "tmpfs"} {
		_ = os.Mkdir(dir, 0o755)
		if err := syscall.Mount(kind, dir, kind, 0, ""); err != nil {
			fmt.Println("mount", dir, err)
		}
	}
	tests, err := filepath.Glob("/tests/*")
	failed := 0
	if err != nil || len(tests) == 0 {
		fmt.Println("no tests", err)
		failed++
	}
	for _, test := range tests {
		start := time.Now()
		cmd := exec.Command(test, lines("/arguments")...)
		cmd.Dir = "/tmp"
		cmd.Env = append([]string{"TMPDIR=/tmp", "HOME=/tmp"}, lines("/environment")...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
		verdict := "ok  "
		if err := cmd.Run(); err != nil {
			verdict = "FAIL"
			failed++
		}
		fmt.Printf("%s\t%s\t%.1fs\n", verdict, filepath.Base(test), time.Since(start).Seconds())
	}
	fmt.Printf("avx512-emulated: %d test binaries, %d failed\n", len(tests), failed)
	// Wait until the console has sent all output, as the C function tcdrain does.
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, 1, 0x5409, 1)
	time.Sleep(100 * time.Millisecond)
	_ = syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
	select {}
}

func lines(name string) []string {
	text, err := os.ReadFile(name)
	if err != nil {
		fmt.Println(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}
