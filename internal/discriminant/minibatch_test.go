package discriminant

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// batchesOf returns mini-batches of the samples and the objective of all samples, with λ and ridge
// determined at p.
func batchesOf(t *testing.T, x *mat.Dense, labels []int, p *mat.Dense, size int, proportional bool) (*batches[float64], *Objective[float64]) {
	t.Helper()
	_, k := p.Dims()
	set := usualSettings(k)
	set.proportional = proportional
	o := objectiveOf[float64](t, mustSamples(t, x, labels), set, p)
	return newBatches(o, o.allSamples.Population(), size, rand.New(rand.NewPCG(0, 4<<32))), o
}

func mustDraw(t *testing.T, b *batches[float64]) *Objective[float64] {
	t.Helper()
	o, err := b.draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestBatchOfAll checks that a mini-batch that contains all samples gives the exact objective and
// gradient.
func TestBatchOfAll(t *testing.T) {
	x, labels := parts3(1, 60, 5)
	p := uniform(2, 5, 2)
	b, o := batchesOf(t, x, labels, p, 30, true)
	mustDraw(t, b)
	part := mustDraw(t, b)
	var got, want mat.Dense
	got.ReuseAs(5, 2)
	want.ReuseAs(5, 2)
	for o, g := range map[*Objective[float64]]*mat.Dense{o: &want, part: &got} {
		if err := o.Evaluate(t.Context(), p, true); err != nil {
			t.Fatal(err)
		}
		o.pullBack(context.Background(), g, 1, 1)
	}
	if part.betweenCost != o.betweenCost || part.withinCost != o.withinCost || !bitsEqual(&got, &want) {
		t.Errorf("σ_b², σ_w² = %v, %v instead of %v, %v; gradient off by %g", part.betweenCost, part.withinCost, o.betweenCost, o.withinCost, off(&got, &want))
	}
}

// TestBatchesAreFair checks that all samples of a class are drawn equally often, and that the
// weights of the pairs of classes have the right expectation.
func TestBatchesAreFair(t *testing.T) {
	t.Parallel()
	var labels []int
	for i := range 280 {
		labels = append(labels, i%40) // 40 classes of 7 samples
	}
	x := uniform(3, 280, 3)
	b, o := batchesOf(t, x, labels, uniform(2, 3, 2), 3, true)
	pairs, rows := map[[2]int]float64{}, make([]int, 280)
	const draws = 4000
	for range draws {
		part := mustDraw(t, b)
		if part.Samples.N != 3*mostClasses {
			t.Fatalf("%d samples in a mini-batch", part.Samples.N)
		}
		for _, q := range part.pairs {
			pairs[[2]int{part.Samples.Classes[q.c], part.Samples.Classes[q.e]}] += q.weight
		}
		seen := map[int]bool{}
		for i, r := range b.rows {
			if seen[r] {
				t.Fatalf("row %d twice in a mini-batch", r)
			}
			seen[r] = true
			rows[r]++
			if part.x.At(i, 1) != o.allSamples.X.At(r, 1) {
				t.Fatalf("sample %d is not row %d", i, r)
			}
		}
		for c := range part.Samples.Classes {
			for _, r := range b.rows[part.Samples.Offset[c]:part.Samples.Offset[c+1]] {
				if o.allSamples.Classes[classOf(o.allSamples, r)] != part.Samples.Classes[c] {
					t.Fatalf("row %d is not of class %d", r, part.Samples.Classes[c])
				}
			}
		}
	}
	for _, q := range o.pairs {
		// A class is drawn with probability 0.8, and a pair of classes with probability 0.64. The
		// limit is five standard deviations.
		limit := 5 * math.Sqrt((1/0.63-1)/draws)
		if got := pairs[[2]int{o.Samples.Classes[q.c], o.Samples.Classes[q.e]}] / draws; !(math.Abs(got/q.weight-1) <= limit) {
			t.Errorf("classes %d and %d: mean weight %v instead of %v", q.c, q.e, got, q.weight)
		}
	}
	for r, k := range rows {
		if want := draws * 0.8 * 3 / 7; !(math.Abs(float64(k)-want) <= 5*math.Sqrt(want)) {
			t.Errorf("row %d drawn %d times, expected %v", r, k, want)
		}
	}
}

func classOf(s *Samples, row int) int {
	for c := range s.Classes {
		if row < s.Offset[c+1] {
			return c
		}
	}
	return -1
}

// TestBatchBias checks that J of mini-batches is too large, and that the bias decreases with the
// size of the mini-batch.
func TestBatchBias(t *testing.T) {
	x, labels := clusters(5, 4, 150, 150)
	p := uniform(6, 4, 2)
	_, o := batchesOf(t, x, labels, p, 64, false)
	if err := o.Evaluate(t.Context(), p, false); err != nil {
		t.Fatal(err)
	}
	before := math.Inf(1)
	for _, size := range []int{4, 16, 64} {
		b, _ := batchesOf(t, x, labels, p, size, false)
		var between, within float64
		draws := 6000 / size
		for range draws {
			part := mustDraw(t, b)
			if err := part.Evaluate(t.Context(), p, false); err != nil {
				t.Fatal(err)
			}
			between += part.betweenCost / float64(draws)
			within += part.withinCost / float64(draws)
		}
		bias := (between/within)/(o.betweenCost/o.withinCost) - 1
		t.Logf("%d samples a class: σ_b² %+.2f %%, σ_w² %+.2f %%, J %+.2f %%", size, 100*(between/o.betweenCost-1), 100*(within/o.withinCost-1), 100*bias)
		if !(bias > 0 && bias < before/2) {
			t.Errorf("J is off by %v with %d samples of a class, by %v with fewer", bias, size, before)
		}
		before = bias
	}
	if !(before < 0.05) {
		t.Errorf("J is still off by %v", before)
	}
}

// TestRunning checks that the running mean equals the mean of the first ten terms, and that it
// converges to the value of many equal terms.
func TestRunning(t *testing.T) {
	var mean float64
	for age := range 10 {
		mean = runningMean(mean, float64(age), 0.9, age)
	}
	if math.Abs(mean-4.5) > 1e-14 {
		t.Errorf("mean of 0 … 9 is %v", mean)
	}
	for age := 10; age < 200; age++ {
		mean = runningMean(mean, 3, 0.9, age)
	}
	if math.Abs(mean-3) > 1e-7 {
		t.Errorf("after many 3 it is %v", mean)
	}
}
