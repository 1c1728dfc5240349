package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestExperiment(t *testing.T) {
	dir := t.TempDir()
	args := []string{"experiment", "toy", "--small", "--out", dir, "--methods", "True,pca,WDA-0.01"}
	first := object(t, args...)
	folder := filepath.Join(dir, "toy")
	if first["folder"] != folder || get(t, first, "cells") == 0 || get(t, first, "reused") != 0 {
		t.Errorf("%v", first)
	}
	listed := []string{"toy.journal"}
	for _, f := range first["files"].([]any) {
		listed = append(listed, f.(string))
	}
	slices.Sort(listed)
	if there := files(t, folder); !slices.Equal(there, listed) {
		t.Errorf("the folder has %v, not %v", there, listed)
	}
	table, err := os.ReadFile(filepath.Join(folder, "toy.csv"))
	if err != nil || !bytes.HasPrefix(table, []byte("method,trial,p,k,measure,value\n")) {
		t.Errorf("%.60q, %v", table, err)
	}

	// The same again, as text: nothing to compute.
	code, out, complaint := monge(t, args...)
	if code != exitOK || complaint != "" || !strings.Contains(out, "of them from earlier runs") || !strings.Contains(out, "toy.html") {
		t.Errorf("exit %d, %q, %q", code, out, complaint)
	}
	again := object(t, args...)
	if get(t, again, "reused") != get(t, first, "cells") {
		t.Errorf("%v", again)
	}

	// Another seed in the same folder.
	code, _, complaint = monge(t, append(args, "--seed", "2")...)
	if code != exitFailure || !strings.Contains(complaint, "seed was 1, now 2") || !strings.Contains(complaint, "--fresh") {
		t.Errorf("exit %d, %q", code, complaint)
	}
	if now, err := os.ReadFile(filepath.Join(folder, "toy.csv")); err != nil || !bytes.Equal(now, table) {
		t.Errorf("an error has changed the CSV file: %v", err)
	}
	if fresh := object(t, append(args, "--seed", "2", "--fresh")...); get(t, fresh, "reused") != 0 {
		t.Errorf("%v", fresh)
	}
}

func TestExperimentList(t *testing.T) {
	code, out, complaint := monge(t, "experiment", "list")
	if code != exitOK || complaint != "" {
		t.Fatalf("exit %d, %q", code, complaint)
	}
	for _, name := range []string{"weights", "plans", "toy", "toy-lambda"} {
		if !strings.Contains(out, "\n"+name+" ") && !strings.HasPrefix(out, name+" ") {
			t.Errorf("%s is not in the list:\n%s", name, out)
		}
	}
	if !strings.Contains(out, "WDA-0.01") {
		t.Errorf("the methods are not in the list:\n%s", out)
	}
}

func TestExperimentErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "list"},
		{[]string{"toy", "plans"}, exitUsage, "one name"},
		{[]string{"nothing"}, exitUsage, "toy-lambda"},
		{[]string{"toy", "--methods", "pca,nothing"}, exitUsage, "LMNN"},
		{[]string{"plans", "--methods", "pca"}, exitUsage, "no choice"},
		{[]string{"caltech"}, exitFailure, "with --data"},
		{[]string{"toy", "--trials", "0"}, exitUsage, "--trials"},
		{[]string{"toy", "--workers", "-1"}, exitUsage, "--workers"},
		{[]string{"toy", "--out", ""}, exitUsage, "--out"},
		{[]string{"toy", "--data", filepath.Join(dir, "none")}, exitFailure, "no such file"},
	} {
		args := append([]string{"experiment", "--small", "--out", dir}, c.args...)
		code, out, complaint := monge(t, args...)
		if code != c.code || out != "" || !strings.Contains(complaint, c.want) || strings.Count(complaint, "\n") != 1 {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, out, complaint)
		}
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("errors have left %v", left)
	}
}

// TestExperimentInterrupt: an interrupted run says how to go on, and can.
func TestExperimentInterrupt(t *testing.T) {
	dir := t.TempDir()
	args := []string{"experiment", "toy-lambda", "--methods", "wda-one", "--out", dir, "--workers", "1", "--small", "--trials"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	code, out, complaint := mongeContext(ctx, append(args, "5000")...)
	if code != exitInterrupted || out != "" || !strings.Contains(complaint, "the same command goes on") {
		t.Fatalf("exit %d, %q, %q", code, out, complaint)
	}
	if left := files(t, filepath.Join(dir, "toy-lambda")); !slices.Equal(left, []string{"toy-lambda.journal"}) {
		t.Errorf("it has left %v", left)
	}
	// Two values of λ, the default, and the true dimensions.
	if v := object(t, append(args, "1")...); get(t, v, "cells") != 4 {
		t.Errorf("%v", v)
	}
}
