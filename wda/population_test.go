package wda

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// onDisk is a matrix that is read row by row, like a matrix in a file.
type onDisk struct {
	*mat.Dense
	reads         atomic.Int64
	unreadableRow int // index of the row that only the first read returns correctly; −1 for no row
	times         atomic.Int64
	// If spoiled is true, a second read of row unreadableRow succeeds, but one value of the row is then NaN.
	spoiled bool
}

var errDisk = errors.New("the disk is gone")

func (m *onDisk) ReadRows(dst []float64, first int) error {
	_, d := m.Dims()
	if len(dst)%d != 0 {
		panic("not whole rows")
	}
	for i := range len(dst) / d {
		copy(dst[i*d:], m.RawRowView(first+i))
		if first+i == m.unreadableRow && m.times.Add(1) > 1 {
			if !m.spoiled {
				return errDisk
			}
			dst[i*d+1] = math.NaN()
		}
	}
	m.reads.Add(1)
	return nil
}

// At panics, because a fit must not read single elements.
func (m *onDisk) At(i, j int) float64 { panic("element by element") }

func onDiskCopy(x *mat.Dense) *onDisk { return &onDisk{Dense: x, unreadableRow: -1} }

// TestRowsNotInMemory checks that MiniBatch gives the same bits for samples in memory and for rows that are read from a
// source. The rows are not sorted by label, and some settings whiten the samples.
func TestRowsNotInMemory(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 6, 70, 90, 40)
	for i := range labels {
		labels[i] = 7 - 3*labels[i] // reverses the order of the classes
	}
	init, steps := uniform(4, 6, 2), 3
	if testdata.IsLong() {
		steps = 6
	}
	for name, set := range map[string]Settings{
		"plain":        {Objective: Objective{Shrinkage: FixedShrinkage(1)}},
		"proportional": {Objective: Objective{Proportional: true, Lambda: RelativeLambda(0.5)}},
		"standardized": {Data: Data{Standardize: true}, Objective: Objective{Float32: true}},
		"spherical":    {Data: Data{Whitening: SphericalWhitening(0.1)}},
		"diagonal":     {Data: Data{Whitening: DiagonalWhitening(0.2), Standardize: true}},
		"start":        {Optimizer: Optimizer{Init: init, Starts: 2}},
		"chosen":       {Components: 3},
	} {
		t.Run(name, func(t *testing.T) {
			set.Optimizer.Method, set.Optimizer.MaxSteps = MiniBatch{BatchSize: 16}, steps
			if set.Components == 0 {
				set.Components = 2
			}
			if name == "chosen" {
				testdata.Long(t)
			} else {
				set = set.withPaperDefaults()
			}
			want, err := Fit(t.Context(), x, labels, &set)
			if err != nil {
				t.Fatal(err)
			}
			rows := onDiskCopy(x)
			whole, err := Fit(t.Context(), rows, labels, &set)
			if err != nil {
				t.Fatal(err)
			}
			// Below, m.source makes the fit draw its mini-batches from rows, although all samples are in memory.
			m, err := prepare(t.Context(), x, labels, set.preparation(), true, 0)
			if err != nil {
				t.Fatal(err)
			}
			m.source = &rowSource{rows: rows, labels: labels}
			scanned := rows.reads.Load()
			drawn, err := m.Fit(t.Context(), &set)
			if err != nil {
				t.Fatal(err)
			}
			if rows.reads.Load() < scanned+48 {
				t.Fatal("no row was drawn")
			}
			for _, got := range []*Model{whole, drawn} {
				if got.Hash() != want.Hash() || got.report.Objective != want.report.Objective {
					t.Errorf("J = %v, not the bits of %v", got.report.Objective, want.report.Objective)
				}
			}
		})
	}
}

// TestSampleOfSource checks that a fit to rows outside of memory keeps a stratified sample of these rows in memory, and
// that its J is almost as large as that of a fit to all rows.
func TestSampleOfSource(t *testing.T) {
	t.Parallel()
	n, steps := 900, 5
	if testdata.IsLong() {
		n, steps = 3000, 20
	}
	x, labels := parts3(1, n, 5)
	set := &Settings{Components: 2, Optimizer: Optimizer{Method: MiniBatch{}, MaxSteps: steps}, Objective: Objective{Proportional: true, Shrinkage: FixedShrinkage(0)}, Seed: 3}
	want := mustFit(t, x, labels, set)
	m, err := prepare(t.Context(), onDiskCopy(x), labels, set.preparation(), true, 600)
	if err != nil {
		t.Fatal(err)
	}
	if m.samples.N < 590 || m.samples.N > 606 {
		t.Errorf("a sample of %d rows", m.samples.N)
	}
	all, err := discriminant.NewSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	for c := range all.Classes {
		if m.samples.CompleteSize(c) != all.CompleteSize(c) {
			t.Errorf("class %d has %d rows instead of %d", c, m.samples.CompleteSize(c), all.CompleteSize(c))
		}
	}
	got, err := m.Fit(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	start, err := all.PrincipalComponents(t.Context(), 2, whitenedTolerance, 0)
	if err != nil {
		t.Fatal(err)
	}
	o, err := discriminant.NewObjective(t.Context(), all, objectiveConfig[float64](&want.report.Settings, all.D))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Prepare(t.Context(), want.report.Settings.Objective.Lambda.rule(), want.report.Settings.Objective.Shrinkage.rho, start); err != nil {
		t.Fatal(err)
	}
	var j [2]float64
	for i, m := range []*Model{want, got} {
		p := mat.DenseCopyOf(m.projection)
		if p, err = discriminant.Orthonormal(ctx, p); err != nil {
			t.Fatal(err)
		}
		if err := o.Evaluate(t.Context(), p, false); err != nil {
			t.Fatal(err)
		}
		j[i] = o.Value()
	}
	if !(j[1] > 0.97*j[0]) {
		t.Errorf("J of all is %v, and %v of a fit in memory", j[1], j[0])
	}
}

func TestBadSource(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 4, 300, 300)
	set := withFixedScale(Settings{Optimizer: Optimizer{Method: MiniBatch{}, MaxSteps: 2}, Objective: Objective{Shrinkage: FixedShrinkage(1)}})
	var early *Model
	fit := func(ctx context.Context, m *onDisk, labels []int, set Settings) error {
		p, err := prepare(ctx, m, labels, set.preparation(), true, 100)
		if err == nil {
			early, err = p.Fit(ctx, &set)
		}
		return err
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(501, 2, math.Inf(1)) // the sample does not contain row 501
	var at *PositionError
	if err := fit(t.Context(), onDiskCopy(bad), labels, *set); !errors.As(err, &at) || at.Row != 501 || at.Column != 2 {
		t.Errorf("an infinity: %v", err)
	}
	gone := onDiskCopy(x)
	gone.unreadableRow = 501
	if err := fit(t.Context(), gone, labels, *set); !errors.Is(err, errDisk) || early == nil || !strings.Contains(err.Error(), "row 501") {
		t.Errorf("a row that cannot be read: %v", err)
	}
	spoiled := onDiskCopy(x)
	spoiled.unreadableRow, spoiled.spoiled = 501, true
	if err := fit(t.Context(), spoiled, labels, *set); !errors.As(err, &at) || !errors.Is(err, ErrNotFinite) || at.Row != 501 || at.Column != 1 {
		t.Errorf("a row that is NaN when it is read again: %v", err)
	}
	gone.times.Store(1)
	if err := fit(t.Context(), gone, labels, *set); !errors.Is(err, errDisk) {
		t.Errorf("a row that cannot be read at once: %v", err)
	}
	for name, change := range map[string]func(s *Settings){
		"method":     func(s *Settings) { s.Optimizer.Method = ConjugateGradient{} },
		"validation": func(s *Settings) { s.Validation = &Validation{Fraction: 0.2} },
	} {
		s := *set
		change(&s)
		if err := fit(t.Context(), onDiskCopy(x), labels, s); !errors.Is(err, ErrSettings) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := *set
	s.Validation = &Validation{X: x, Labels: labels, Every: 1}
	if err := fit(t.Context(), onDiskCopy(x), labels, s); err != nil {
		t.Errorf("with samples of validation: %v", err)
	}
	alone := append([]int(nil), labels...)
	alone[77] = 9
	if err := fit(t.Context(), onDiskCopy(x), alone, *set); !errors.Is(err, ErrLabels) || !strings.Contains(err.Error(), "row 77 ") {
		t.Errorf("a class of one row: %v", err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	m := onDiskCopy(x)
	if err := fit(ctx, m, labels, *set); !errors.Is(err, cause) || m.reads.Load() > 0 {
		t.Errorf("a context that has ended: %v after %d reads", err, m.reads.Load())
	}
	// The default sample contains all rows of x, so the fit may use any method.
	if _, err := Fit(t.Context(), onDiskCopy(x), labels, withFixedScale(Settings{Optimizer: Optimizer{MaxSteps: 2}})); err != nil {
		t.Errorf("few rows: %v", err)
	}
}

// TestSourceNeeds checks that a fit that needs too much memory is rejected before any row of its Source is read.
func TestSourceNeeds(t *testing.T) {
	m := &onDisk{Dense: mat.NewDense(1, 1, nil), unreadableRow: -1}
	_, _, _, err := readInput(t.Context(), claimed{m}, make([]int, 1<<20), 0)
	if !errors.Is(err, ErrSettings) || m.reads.Load() > 0 {
		t.Errorf("2²⁰ rows of 2²⁰ features: %v", err)
	}
}

type claimed struct{ *onDisk }

func (claimed) Dims() (int, int) { return 1 << 20, 1 << 20 }

// TestClassifyRowsNotInMemory checks that Transform and a Classifier read rows with ReadRows, give the same bits as for
// a matrix in memory, and return the errors of ReadRows.
func TestClassifyRowsNotInMemory(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 6, 70, 90, 40)
	m, err := Fit(t.Context(), x, labels, &Settings{Optimizer: Optimizer{Method: Fisher{}}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(x mat.Matrix) (y mat.Dense, predicted []int, err error) {
		if err = m.Transform(&y, x); err != nil {
			return y, nil, err
		}
		c, err := NewClassifier(t.Context(), m, x, labels, 3)
		if err != nil {
			return y, nil, err
		}
		predicted, err = c.PredictLabels(t.Context(), nil, x, 2)
		return y, predicted, err
	}
	y, predicted, err := run(x)
	if err != nil {
		t.Fatal(err)
	}
	disk := onDiskCopy(x)
	z, again, err := run(struct{ rowReader }{disk}) // hides the other methods of mat.Dense
	if err != nil || !mat.Equal(&y, &z) || !slices.Equal(predicted, again) {
		t.Errorf("%v; equal projections: %t, equal labels: %t", err, mat.Equal(&y, &z), slices.Equal(predicted, again))
	}
	disk.unreadableRow = 123
	for read := range disk.reads.Load() / int64(x.RawMatrix().Rows) {
		disk.times.Store(1 - read) // the row cannot be read after this number of reads
		if _, _, err := run(struct{ rowReader }{disk}); !errors.Is(err, errDisk) {
			t.Errorf("a row that cannot be read again after %d reads: %v", read, err)
		}
	}
}
