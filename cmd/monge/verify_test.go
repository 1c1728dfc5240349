package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestVerify: the hash of a fit comes out again, chosen or pinned, and where something
// differs verify says what.
func TestVerify(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	pinned := slices.Clip([]string{"--whitening", "none", "--scale", "orthonormal", "--lambda", "1", "--shrinkage", "0.1"})
	start := write(t, at("P.csv"), "1,0\n0,1\n0,0\n1,1\n0,0\n")
	for name, c := range map[string]struct{ rows, fit []string }{
		"chosen":     {[]string{"--data", s.csv}, []string{"--k", "3"}},
		"pinned":     {[]string{"--data", s.npz}, append(pinned, "--float32", "--method", "minibatch", "--seed", "7")},
		"start":      {[]string{"--data", s.csv}, append(pinned, "--init", start, "--standardize")},
		"validation": {[]string{"--data", s.csv, "--sample", "50"}, append(pinned, "--validation", "0.3", "--starts", "2")},
	} {
		model := at(name + ".wda")
		object(t, slices.Concat([]string{"fit", "--model", model}, c.rows, c.fit)...)
		if v := object(t, append([]string{"verify", model}, c.rows...)...); v["verified"] != true || v["hash"] != v["refitted"] {
			t.Errorf("%s: %v", name, v)
		}
	}

	// Other data of the same shape.
	code, stdout, stderr := monge(t, "verify", at("pinned.wda"), "--data", s.csv)
	if code != exitOK {
		t.Errorf("the same rows in another file: exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = monge(t, "verify", at("pinned.wda"), "--data", s.test)
	if code != exitFailure || !strings.Contains(stdout, "projection: 10 of 10 numbers") || !strings.Contains(stdout, "mean:") || !strings.Contains(stderr, "does not come out") {
		t.Errorf("other data: exit code %d, %s%s", code, stdout, stderr)
	}
	old := filepath.Join("..", "..", "wda", "testdata", "classifier-v1.wda")
	for want, args := range map[string][]string{
		"300 training rows":        {"verify", at("chosen.wda"), "--data", s.test},
		"6 features":               {"verify", at("chosen.wda"), "--data", s.csv, "--labels", s.y},
		"one model file":           {"verify", "--data", s.csv},
		"of an older version":      {"verify", old, "--data", s.csv},
		"--data is required":       {"verify", at("chosen.wda")},
		"no such file or director": {"verify", at("none.wda"), "--data", s.csv},
	} {
		if code, _, stderr := monge(t, args...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, %q, want %q", args, code, stderr, want)
		}
	}
}
