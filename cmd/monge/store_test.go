package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestStore checks fit, info, verify, eval and predict for a model that stores its rows in few bytes, with and without
// rejection.
func TestStore(t *testing.T) {
	data := intents(t)
	for _, c := range []struct {
		store           string
		rowBytes, bytes float64
	}{{"float64", 24, 288 * 24}, {"float32", 12, 288 * 12}, {"int8", 3, 288*3 + 48}, {"pq:2", 2, 288*2 + 72 + 4*3*256}, {"pq:3x4", 2, 288*2 + 72 + 4*3*16}} {
		model := filepath.Join(filepath.Dir(data), strings.ReplaceAll(c.store, ":", "-")+".wda")
		fit := fitSummary(t, "--data", data, "--holdout", "0.4", "--k", "3", "--store", c.store, "--reject", "0.1", "-p", "3", "--model", model)
		if fit["storage"] != c.store || fit["row_bytes"] != c.rowBytes || fit["bytes"] != c.bytes {
			t.Errorf("fit: %v, %v, %v", fit["storage"], fit["row_bytes"], fit["bytes"])
		}
		info := object(t, "info", model, "--json")["model"].(map[string]any)
		if info["storage"] != c.store || info["row_bytes"] != c.rowBytes || info["bytes"] != c.bytes || info["reject_rate"] != 0.1 {
			t.Errorf("info: %v", info)
		}
		e, _ := object(t, "eval", "--model", model, "--data", data, "--json")["classifier"].(map[string]any)
		if e == nil || e["storage"] != c.store || e["bytes"] != c.bytes || e["k"] != 3. || e["rows"] != 288. || e["error"].(float64) > 0.1 || !(e["query_microseconds"].(float64) > 0) {
			t.Errorf("eval: %v", e)
		}
		for _, line := range [][]string{
			{"storage", "info", model},
			{"time of a query", "eval", "--model", model, "--data", data},
			{"verified", "verify", model, "--data", data},
			{"label,score,rejected", "predict", "--model", model, "--data", data, "--reject"},
		} {
			if code, out, stderr := monge(t, line[1:]...); code != exitOK || !strings.Contains(out, line[0]) || line[0] == "storage" && (!strings.Contains(out, c.store+", ") || strings.Contains(out, " with codebooks\n") != strings.HasPrefix(c.store, "pq:")) {
				t.Errorf("%s: %d, %s%s", line[1:], code, out, stderr)
			}
		}
	}
}

// TestStoreErrors checks that an unsupported --store is rejected before anything is read or fitted.
func TestStoreErrors(t *testing.T) {
	data := intents(t)
	model := filepath.Join(filepath.Dir(data), "m.wda")
	for want, args := range map[string][]string{
		`pq:32x4; not "pq:0"`:      {"--k", "3", "--store", "pq:0"},
		`not "half"`:               {"--k", "3", "--store", "half"},
		"--store needs --k":        {"--store", "int8"},
		"--store pq:4 has 4 codes": {"--k", "3", "--store", "pq:4", "-p", "3", "--method", "fisher"},
	} {
		code, _, stderr := monge(t, append([]string{"fit", "--data", data, "--model", model}, args...)...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}
