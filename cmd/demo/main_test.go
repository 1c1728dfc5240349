package main

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestDemoIsLight checks that the demo has no dependency that takes long to build.
func TestDemoIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if slow := regexp.MustCompile(`(?m)^.*(apache/|spf13/|^net/http$).*`).Find(out); slow != nil {
		t.Errorf("the demo depends on %s", slow)
	}
}
