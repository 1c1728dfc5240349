package wda

import (
	"errors"
	"testing"
)

// TestProgressOfChoice checks the progress reports of a fit that compares settings. The comparison must come first, in
// one phase with an increasing count. An error of Progress in this phase must end the fit.
func TestProgressOfChoice(t *testing.T) {
	x, labels := parts3(2, 60, 5)
	seen := map[Phase]int{}
	var last Progress
	set := withFixedScale(Settings{Components: 2, Workers: 2, Progress: func(p Progress) error {
		if p.Phase == PhaseChoice && (seen[PhaseFit] > 0 || p.Step != (Step{})) {
			t.Errorf("%+v after a step", p)
		}
		if p.Phase == last.Phase && p.Done < last.Done || p.Done > p.Total {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		seen[p.Phase]++
		return nil
	}})
	m, err := Fit(t.Context(), x, labels, set)
	if err != nil {
		t.Fatal(err)
	}
	if members := len(m.Report().Choice.Members); seen[PhaseChoice] < members || seen[PhaseFit] == 0 && m.Report().Steps > 0 {
		t.Errorf("%v calls for %d candidates", seen, members)
	}
	stop := errors.New("stop")
	set.Progress = func(p Progress) error { return stop }
	if m, err := Fit(t.Context(), x, labels, set); m != nil || !errors.Is(err, stop) {
		t.Errorf("model %v, error %v", m != nil, err)
	}
}

// TestProgressOfBatches checks that MiniBatch reports every mini-batch, and that a fit still returns a model if
// Progress returns an error between mini-batches.
func TestProgressOfBatches(t *testing.T) {
	x, labels := parts3(3, 60, 5)
	stop := errors.New("stop")
	batches := 0
	set := &Settings{Components: 2, Optimizer: Optimizer{Method: MiniBatch{BatchSize: 10}, MaxSteps: 3}, Progress: func(p Progress) error {
		if p.Phase != PhaseBatches {
			return nil
		}
		if batches++; p.Done != batches || p.Total != 60 || p.Step.Objective == 0 {
			t.Errorf("call %d is %+v", batches, p)
		}
		if batches == 25 {
			return stop
		}
		return nil
	}}
	m, err := fitPinned(t.Context(), x, labels, set)
	if !errors.Is(err, stop) || m == nil || m.Report().Status != StatusStopped || batches != 25 {
		t.Fatalf("after %d: model %v, error %v", batches, m != nil, err)
	}
	checkModel(t, m)
}
