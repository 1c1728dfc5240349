package tsne

import (
	"testing"

	"github.com/gomonge/monge/internal/inspect"
)

// TestSameArithmetic: the text has nothing that rounds differently on another machine.
func TestSameArithmetic(t *testing.T) {
	t.Parallel()
	packages, err := inspect.Load(".", "../baselines")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range inspect.Sums(packages) {
		t.Errorf("%v: use num.FMA, or round the product by a conversion", s)
	}
	for _, use := range inspect.Libm(packages) {
		t.Error(use)
	}
}
