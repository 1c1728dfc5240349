package main

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/search"
	"github.com/gomonge/monge/wda"
)

// TestRun checks, on a few simulated questions, that all methods answer most known questions
// correctly and answer only a few foreign questions.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-n", "400", "-answers", "6", "-d", "64", "-asked", "200", "-p", "4", "-fit", "40", "-wrong", "0.2"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^\| (all|proj)[^|]*\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|`).FindAllStringSubmatch(out.String(), -1)
	if len(lines) != 5 {
		t.Fatalf("%s", &out)
	}
	for _, l := range lines {
		right, _ := strconv.ParseFloat(l[2], 64)
		wrong, _ := strconv.ParseFloat(l[3], 64)
		foreign, _ := strconv.ParseFloat(l[4], 64)
		if right < 50 || wrong > 15 || foreign > 40 {
			t.Errorf("%s", l[0])
		}
	}
	for _, bad := range [][]string{{"-n", "3"}, {"-data", "none.npz"}} {
		if err := run(t.Context(), bad, &out); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestCache checks that an added question is found immediately. The question may be the only
// question of its group or one of many. The test also checks that lookups do not wait for Add.
func TestCache(t *testing.T) {
	const n, more, d = 100, 60, 12
	rng := rand.New(rand.NewPCG(1, 1))
	x, centers := dist.NewMatrix[float32](n+more, d, nil), dist.NewMatrix[float32](14, d, nil)
	for i := range centers.Data {
		centers.Data[i] = 3 * float32(rng.NormFloat64())
	}
	answers := make([]int, x.Rows)
	for i := range answers {
		answers[i] = i % 7
		if i >= n+more/2 {
			answers[i] += 7 // a new answer; the first n questions do not have it
		}
		for j, v := range centers.Row(answers[i]) {
			x.Set(i, j, v+float32(rng.NormFloat64()))
		}
	}
	model, _, err := fitProjection(t.Context(), questions{x.RowRange(0, n), answers[:n]}, 60, 4)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"all": {}, "int8": {Storage: search.StorageInt8}, "projection": {Model: model},
		"groups": {Groups: 4}, "projected groups": {Model: model, Groups: 4, Storage: search.StorageFloat16},
	} {
		c, err := NewCache(x.RowRange(0, n), answers[:n], o)
		if err != nil {
			t.Fatal(err)
		}
		bytes := c.Bytes()
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for i := range n {
					if f, err := c.Lookup(t.Context(), x.Row(i)); err != nil || f.Question != i {
						t.Errorf("%s: question %d: %v, %v", name, i, f, err)
					}
				}
			})
		}
		for i := n; i < x.Rows; i++ {
			if err := c.Add(x.Row(i), answers[i]); err != nil {
				t.Fatal(err)
			}
		}
		readers.Wait()
		for i := range x.Rows {
			if f, err := c.Lookup(t.Context(), x.Row(i)); err != nil || f.Question != i || f.Answer != answers[i] {
				t.Fatalf("%s: question %d: %v, %v", name, i, f, err)
			}
		}
		if c.Bytes() <= bytes {
			t.Errorf("%s: %d bytes", name, c.Bytes())
		}
		nan := make([]float32, d)
		nan[3] -= float32(1) / nan[3]
		if _, err := c.Lookup(t.Context(), nan); err == nil {
			t.Errorf("%s: an infinite number", name)
		}
		if err := c.Add(nan, 1); err == nil {
			t.Errorf("%s: an infinite number is stored", name)
		}
		if _, err := c.Lookup(t.Context(), nan[1:]); err == nil {
			t.Errorf("%s: too short", name)
		}
	}
	if _, err := NewCache(x, answers[1:], Options{}); err == nil {
		t.Error("too few answers")
	}
	var none *wda.Model
	c, err := NewCache(x.RowRange(0, 0), nil, Options{Model: none})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := c.Lookup(t.Context(), x.Row(0)); err != nil || f.Question != -1 {
		t.Errorf("nothing is stored: %v, %v", f, err)
	}
}
