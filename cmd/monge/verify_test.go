package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
)

// TestVerify checks that verify reproduces the hash of a fit, with chosen settings and with fixed
// settings. For different data, verify must print the differences between the models.
func TestVerify(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	pinned := slices.Clip([]string{"--whitening", "none", "--scale", "orthonormal", "--lambda", "1", "--shrinkage", "0.1"})
	start := write(t, at("P.csv"), "1,0\n0,1\n0,0\n1,1\n0,0\n")
	for name, c := range map[string]struct{ rows, fit []string }{
		"chosen":     {[]string{"--data", s.csv}, withFixedScale("--k", "3")},
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

	// Validate a model with samples outside the training file.
	read := func(path string) *dataset.Dataset {
		d, err := dataset.ReadFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d, v := read(s.csv), read(s.test)
	m, err := wda.Fit(t.Context(), d.X, d.Labels, &wda.Settings{
		Data: wda.Data{Whitening: wda.NoWhitening()}, Objective: wda.Objective{Lambda: wda.RelativeLambda(1)}, Optimizer: wda.Optimizer{MaxSteps: 3}, Validation: &wda.Validation{X: v.X, Labels: v.Labels, Every: 1},
	})
	if err == nil {
		m, err = m.WithClassNames(d.Classes)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	own := write(t, at("own.wda"), string(file))
	if v := object(t, "verify", "--model", own, "--data", s.csv, "--validation", s.test); v["verified"] != true {
		t.Errorf("validated by other samples: %v", v)
	}

	// Verify the model with the training file, and with a different file of the same shape.
	code, stdout, stderr := monge(t, "verify", at("pinned.wda"), "--data", s.csv)
	if code != exitOK {
		t.Errorf("the same rows in another file: exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = monge(t, "verify", at("pinned.wda"), "--data", s.test)
	if code != exitFailure || !strings.Contains(stdout, "projection: 10 of 10 numbers differ") || !strings.Contains(stdout, "mean:") || !strings.Contains(stderr, "gives another hash") {
		t.Errorf("other data: exit code %d, %s%s", code, stdout, stderr)
	}
	old := filepath.Join("..", "..", "wda", "testdata", "classifier-v1.wda")
	for want, args := range map[string][]string{
		"300 training rows":        {"verify", at("chosen.wda"), "--data", s.test},
		"6 features":               {"verify", at("chosen.wda"), "--data", s.csv, "--labels", s.y},
		"one model file":           {"verify", "--data", s.csv},
		"is of an older version":   {"verify", old, "--data", s.csv},
		"--data is required":       {"verify", at("chosen.wda")},
		"no such file or director": {"verify", at("none.wda"), "--data", s.csv},
		"with --validation":        {"verify", own, "--data", s.csv},
		"do not have the hash":     {"verify", own, "--data", s.csv, "--validation", s.csv},
		"not validated by rows":    {"verify", at("validation.wda"), "--data", s.csv, "--validation", s.csv},
	} {
		if code, _, stderr := monge(t, args...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, %q, want %q", args, code, stderr, want)
		}
	}
}
