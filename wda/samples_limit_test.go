package wda

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestObjectiveSamples checks that J is evaluated on a stratified sample of the requested size, while the mean uses all
// rows. For many rows, Fit sets the size automatically. The reported settings must repeat the fit bit for bit.
func TestObjectiveSamples(t *testing.T) {
	t.Parallel()
	x, labels := stretched(5, 600, 6, 3)
	set := (&Settings{Components: 2, Data: Data{Whitening: SphericalWhitening(0.5)}, Objective: Objective{Samples: 90}}).withPaperDefaults()
	m := mustChoose(t, x, labels, &set)
	if r := m.Report(); r.ObjectiveSamples != 90 || r.Settings.Objective.Samples != 90 {
		t.Errorf("J of %d samples, settings of %d", r.ObjectiveSamples, r.Settings.Objective.Samples)
	}
	all := set
	all.Objective.Samples = 0
	if whole := mustChoose(t, x, labels, &all); whole.Report().ObjectiveSamples != 600 || mat.Equal(whole.projection, m.projection) {
		t.Error("the number of samples changes nothing")
	} else {
		for j, v := range m.mean {
			if v != whole.mean[j] {
				t.Fatal("the mean is that of a part")
			}
		}
	}
	p, err := Prepare(t.Context(), x, labels, &Preparation{Components: 2})
	if err != nil {
		t.Fatal(err)
	}
	p.maxSamples = 300
	chosen, err := p.Fit(t.Context(), &Settings{Mixture: NoMixture()})
	if err != nil {
		t.Fatal(err)
	}
	r := chosen.Report()
	if r.ObjectiveSamples != 300 || r.Settings.Objective.Samples != 300 {
		t.Errorf("by default J is of %d samples, settings of %d", r.ObjectiveSamples, r.Settings.Objective.Samples)
	}
	again, err := p.Fit(t.Context(), &r.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if !bitsEqual(again.projection, chosen.projection) {
		t.Error("the settings reported give another projection")
	}
	set.Objective.Samples = -1
	if _, err := Fit(t.Context(), x, labels, &set); !errors.Is(err, ErrSettings) {
		t.Errorf("−1 samples: %v", err)
	}
}
