package wda

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// forEverySolver runs f for every solver. Each solver runs with both element types if MONGE_LONG=1, and with one element type
// otherwise.
func forEverySolver(t *testing.T, set Settings, f func(t *testing.T, set *Settings)) {
	t.Helper()
	for at, solver := range stepping {
		for i, f32 := range []bool{false, true} {
			if !testdata.IsLong() && i != at%2 {
				continue
			}
			set.Optimizer.Method, set.Objective.Float32 = solver, f32
			t.Run(fmt.Sprintf("%v,float32=%v", solver, f32), func(t *testing.T) { f(t, &set) })
		}
	}
}

// TestBadData checks that Fit rejects unusable data with a typed error for every solver and element type, without a
// panic and without a model.
func TestBadData(t *testing.T) {
	t.Parallel()
	good, labels := parts3(1, 30, 4)
	with := func(i, j int, v float64) *mat.Dense {
		x := mat.DenseCopyOf(good)
		x.Set(i, j, v)
		return x
	}
	same := mat.NewDense(30, 4, nil)
	for i := range 30 {
		same.SetRow(i, []float64{0.1, 0.2, 0.7, 1e6})
	}
	alone := append([]int(nil), labels...)
	alone[17] = 77
	// All samples of a class are equal, so all distances within classes are 0.
	points := mat.NewDense(30, 4, nil)
	for i, l := range labels {
		points.SetRow(i, []float64{float64(l), 0, 1, float64(l * l)})
	}
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		x      mat.Matrix
		labels []int
		set    Settings
		want   error
		row    int // row of the expected PositionError in column 2; −1 for no PositionError
		text   string
	}{
		{"nil", nil, labels, Settings{}, ErrShape, -1, ""},
		{"empty", &mat.Dense{}, nil, Settings{}, ErrShape, -1, ""},
		{"NaN", with(7, 2, nan), labels, Settings{}, ErrNotFinite, 7, "row 7, column 2 is NaN"},
		{"Inf", with(29, 2, math.Inf(1)), labels, Settings{}, ErrNotFinite, 29, "row 29, column 2 is +Inf"},
		{"-Inf", with(0, 2, math.Inf(-1)), labels, Settings{}, ErrNotFinite, 0, "row 0, column 2 is -Inf"},
		{"one class", good, repeated(5, 30), Settings{}, ErrLabels, -1, "label 5"},
		{"singleton", good, alone, Settings{}, ErrLabels, -1, "row 17 alone has label 77"},
		{"fewer labels", good, labels[:29], Settings{}, ErrLabels, -1, "29 labels for 30"},
		{"no labels", good, nil, Settings{}, ErrLabels, -1, ""},
		{"p > d", good, labels, Settings{Components: 5}, ErrSettings, -1, "Components is 5; with 4 features it must be from 1 to 4"},
		{"p < 0", good, labels, Settings{Components: -1}, ErrSettings, -1, ""},
		{"λ < 0", good, labels, Settings{Objective: Objective{Lambda: RelativeLambda(-1)}}, ErrSettings, -1, "λ is -1"},
		{"λ NaN", good, labels, Settings{Objective: Objective{Lambda: RelativeLambda(nan)}}, ErrSettings, -1, "λ is NaN"},
		{"λ Inf", good, labels, Settings{Objective: Objective{Lambda: RelativeLambda(math.Inf(1))}}, ErrSettings, -1, ""},
		{"λ huge", good, labels, Settings{Objective: Objective{Lambda: RelativeLambda(1e6)}}, ErrSettings, -1, "transported to itself"},
		{"λ beyond the range", good, labels, Settings{Objective: Objective{Lambda: AbsoluteLambda(1e308)}}, ErrSettings, -1, ""},
		{"relative λ beyond the range", good, labels, Settings{Objective: Objective{Lambda: RelativeLambda(1e308)}}, ErrSettings, -1, "λ"},
		{"iterates beyond any memory", good, labels, Settings{Objective: Objective{Iterations: 1 << 40}}, ErrSettings, -1, "GiB"},
		{"start of rank one", good, labels, Settings{Optimizer: Optimizer{Init: mat.NewDense(4, 2, []float64{1, 1, 2, 2, 3, 3, 4, 4})}}, ErrSettings, -1, "start"},
		{"start of zeros", good, labels, Settings{Optimizer: Optimizer{Init: mat.NewDense(4, 2, nil)}}, ErrSettings, -1, "start"},
		{"validation label of no class", good, labels, Settings{Validation: &Validation{X: good, Labels: append([]int{99}, labels[1:]...)}}, ErrLabels, -1, "row 0 of the validation samples has label 99"},
		{"λ out of units", scaledMatrix(1e-150, good), labels, Settings{Objective: Objective{Lambda: AbsoluteLambda(1e-290)}}, nil, -1, ""},
		{"λ matrix shape", good, labels, Settings{Objective: Objective{Lambda: LambdaMatrix(uniform(1, 2, 2))}}, ErrShape, -1, "2 × 2; for 3 classes"},
		{"λ matrix NaN", good, labels, Settings{Objective: Objective{Lambda: LambdaMatrix(mat.NewDense(3, 3, []float64{1, 1, nan, 1, 1, 1, nan, 1, 1}))}}, ErrSettings, 0, "row 0, column 2 is NaN"},
		{"λ matrix asymmetric", good, labels, Settings{Objective: Objective{Lambda: LambdaMatrix(mat.NewDense(3, 3, []float64{1, 1, 2, 1, 1, 1, 3, 1, 1}))}}, ErrSettings, -1, "(0, 2)"},
		{"λ matrix zero", good, labels, Settings{Objective: Objective{Lambda: LambdaMatrix(mat.NewDense(3, 3, nil))}}, ErrSettings, -1, ""},
		{"all equal", same, labels, Settings{}, ErrNoSpread, -1, ""},
		{"all zero", mat.NewDense(30, 4, nil), labels, Settings{}, ErrNoSpread, -1, ""},
		{"points", points, labels, Settings{}, ErrNoSpread, -1, "within classes"},
		{"L < 0", good, labels, Settings{Objective: Objective{Iterations: -1}}, ErrSettings, -1, ""},
		{"ρ NaN", good, labels, Settings{Objective: Objective{Shrinkage: FixedShrinkage(nan)}}, ErrSettings, -1, ""},
		{"ρ Inf", good, labels, Settings{Objective: Objective{Shrinkage: FixedShrinkage(math.Inf(1))}}, ErrSettings, -1, ""},
		{"ρ < 0", good, labels, Settings{Objective: Objective{Shrinkage: FixedShrinkage(-0.5)}}, ErrSettings, -1, ""},
		{"steps < 0", good, labels, Settings{Optimizer: Optimizer{MaxSteps: -1}}, ErrSettings, -1, ""},
		{"tolerance NaN", good, labels, Settings{Optimizer: Optimizer{Tolerance: nan}}, ErrSettings, -1, ""},
		{"tolerance < 0", good, labels, Settings{Optimizer: Optimizer{Tolerance: -1}}, ErrSettings, -1, ""},
		{"start of another shape", good, labels, Settings{Optimizer: Optimizer{Init: uniform(1, 4, 3)}}, ErrShape, -1, "4 × 3"},
		{"start NaN", good, labels, Settings{Optimizer: Optimizer{Init: mat.NewDense(4, 2, []float64{1, 0, 0, 1, 0, nan, 0, 0})}}, ErrNotFinite, -1, ""},
		{"workers < 0", good, labels, Settings{Workers: -1}, ErrSettings, -1, ""},
		{"starts < 0", good, labels, Settings{Optimizer: Optimizer{Starts: -1}}, ErrSettings, -1, ""},
		{"gradient", good, labels, Settings{Objective: Objective{Gradient: sinkhorn.GradientFrozen + 1}}, ErrSettings, -1, "GradientMode(3)"},
		{"validation fraction", good, labels, Settings{Validation: &Validation{Fraction: 1}}, ErrSettings, -1, ""},
		{"validation NaN", good, labels, Settings{Validation: &Validation{Fraction: nan}}, ErrSettings, -1, ""},
		{"validation neighbors", good, labels, Settings{Validation: &Validation{Neighbors: -1}}, ErrSettings, -1, ""},
		{"validation labels", good, labels, Settings{Validation: &Validation{X: good, Labels: labels[1:]}}, ErrLabels, -1, ""},
		{"validation shape", good, labels, Settings{Validation: &Validation{X: uniform(1, 3, 3), Labels: labels[:3]}}, ErrShape, -1, ""},
		{"validation sample NaN", good, labels, Settings{Validation: &Validation{X: with(3, 2, nan), Labels: labels}}, ErrNotFinite, 3, "validation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			forEverySolver(t, c.set, func(t *testing.T, set *Settings) {
				set.Optimizer.MaxSteps = min(set.Optimizer.MaxSteps, 3)
				m, err := fitPinned(t.Context(), c.x, c.labels, set)
				if c.want == nil {
					if err != nil {
						t.Fatal(err)
					}
					checkModel(t, m)
					return
				}
				if !errors.Is(err, c.want) || m != nil {
					t.Fatalf("model %v, error %v, want %v", m != nil, err, c.want)
				}
				if !strings.Contains(err.Error(), c.text) {
					t.Errorf("error %q does not say %q", err, c.text)
				}
				var pe *PositionError
				if c.row >= 0 && !(errors.As(err, &pe) && pe.Row == c.row && pe.Column == 2) {
					t.Errorf("error %v is not at row %d, column 2", err, c.row)
				}
			})
		})
	}
	for _, m := range []Method{MiniBatch{BatchSize: -1}, &MiniBatch{BatchSize: 1}} {
		if _, err := fitPinned(t.Context(), good, labels, &Settings{Optimizer: Optimizer{Method: m}}); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "BatchSize") {
			t.Errorf("%+v: %v", m, err)
		}
	}
	// float32 overflows for these values of λ; float64 does not.
	for _, lambda := range []float64{1e39, 1e200} {
		if _, err := fitPinned(t.Context(), good, labels, &Settings{Objective: Objective{Lambda: RelativeLambda(lambda), Float32: true}}); !errors.Is(err, ErrSettings) {
			t.Errorf("λ = %g in float32: %v", lambda, err)
		}
	}
	if _, err := Score(t.Context(), good, labels, uniform(1, 4, 2), &Scoring{Objective: Objective{Iterations: 1e9}}); !errors.Is(err, ErrSettings) {
		t.Errorf("score of a thousand million iterations: %v", err)
	}
	for _, c := range []struct {
		p    mat.Matrix
		want error
	}{{uniform(1, 5, 2), ErrShape}, {mat.NewDense(4, 1, []float64{1, nan, 0, 0}), ErrNotFinite}, {uniform(1, 4, 5), ErrSettings}, {mat.NewDense(4, 2, nil), ErrNoSpread}} {
		if s, err := Score(t.Context(), good, labels, c.p, nil); !errors.Is(err, c.want) || s != nil {
			t.Errorf("score: %v, want %v", err, c.want)
		}
	}
}

// TestOddData checks that every solver fits unusual but valid data in both element types and returns finite,
// orthonormal projections.
func TestOddData(t *testing.T) {
	t.Parallel()
	for _, c := range oddData() {
		t.Run(c.name, func(t *testing.T) {
			if !testdata.IsLong() && c.slow {
				t.Skip("slow")
			}
			forEverySolver(t, c.set, func(t *testing.T, set *Settings) {
				if c.slow && set.Optimizer.Method != Method(Auto{}) && set.Optimizer.Method != Method(MiniBatch{}) {
					t.Skip("slow")
				}
				if set.Optimizer.MaxSteps == 0 {
					if set.Optimizer.MaxSteps = 4; testdata.IsLong() {
						set.Optimizer.MaxSteps = 15
					}
				}
				if set.Optimizer.Method == Method(MiniBatch{}) { // a step of MiniBatch is a round of several mini-batches
					set.Optimizer.MaxSteps = min(set.Optimizer.MaxSteps, 2)
				}
				m := mustFit(t, c.x, c.labels, set)
				d, _ := m.Dims()
				y := make([]float64, set.Components+min(2, d)*b2i(set.Components == 0))
				m.TransformVec(y, mat.Row(nil, 0, c.x))
				for _, v := range y {
					if v-v != 0 {
						t.Errorf("the first sample is projected to %v", y)
					}
				}
				has := fmt.Sprintln(m.Report().Warnings)
				if !strings.Contains(has, c.warning) || c.warning == "" && len(m.Report().Warnings) > 0 {
					t.Errorf("warnings %q, want %q", has, c.warning)
				}
				if _, err := m.MarshalBinary(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

type oddCase struct {
	name    string
	x       *mat.Dense
	labels  []int
	set     Settings
	warning string // text of the expected warning; "" for no warning
	slow    bool
}

func oddData() []oddCase {
	good, labels := parts3(2, 60, 4)
	var cases []oddCase
	add := func(name string, x *mat.Dense, labels []int, set Settings, warning string, slow bool) {
		cases = append(cases, oddCase{name, x, labels, set, warning, slow})
	}
	add("good", good, labels, Settings{}, "", false)
	for _, f := range []float64{1e150, 1e-150, 1e300, 1e-300} {
		add(fmt.Sprintf("scaled by %g", f), scaledMatrix(f, good), labels, Settings{}, "", false)
	}
	constant := mat.DenseCopyOf(good)
	for i := range 60 {
		constant.Set(i, 1, 0.1)
	}
	add("constant feature", constant, labels, Settings{Components: 3}, "1 of 4 features are constant; the first is feature 1, counted from 0", false)
	big := mat.DenseCopyOf(good)
	for i := range 60 {
		big.Set(i, 2, 1e12*big.At(i, 2))
	}
	add("feature of 1e12 times the scale", big, labels, Settings{}, "times the median of all", false)
	twice := mat.NewDense(120, 4, nil)
	twice.Stack(good, good)
	add("every sample twice", twice, append(append([]int(nil), labels...), labels...), Settings{}, "", false)
	dup := mat.DenseCopyOf(good)
	near := mat.DenseCopyOf(good)
	for i, l := range labels {
		if l == 20 {
			dup.SetRow(i, []float64{0.3, 0.1, -0.2, 0.9})
			near.SetRow(i, []float64{0.3 + 1e-16*float64(i), 0.1, 1e-25 * float64(i), 0.9})
		}
	}
	add("one class of equal samples", dup, labels, Settings{}, "all samples of class 20 are equal", false)
	add("one class of nearly equal samples", near, labels, Settings{}, "", false)
	one, oneLabels := parts3(3, 40, 1)
	add("d = 1", one, oneLabels, Settings{}, "", false)
	add("p = d", good, labels, Settings{Components: 4}, "", false)
	add("huge λ", good, labels, Settings{Objective: Objective{Lambda: RelativeLambda(300)}}, "log domain", false)
	add("tiny λ", good, labels, Settings{Objective: Objective{Lambda: RelativeLambda(1e-300)}}, "", false)
	add("tiny absolute λ", good, labels, Settings{Objective: Objective{Lambda: AbsoluteLambda(5e-324)}}, "", false)
	add("far apart", farApart(good, labels), labels, Settings{Objective: Objective{Lambda: AbsoluteLambda(1)}}, "log domain", false)
	wide, wideLabels := parts3(4, 30, 40)
	add("d > n", wide, wideLabels, Settings{Components: 3}, "", false)
	add("d > n without shrinkage", wide, wideLabels, Settings{Components: 3, Objective: Objective{Shrinkage: FixedShrinkage(0)}}, "will fit noise", false)
	add("p of nearly n", wide, wideLabels, Settings{Components: 29}, "", false)
	add("p > n", wide, wideLabels, Settings{Components: 35}, "", false)
	var two []int
	for i := range 20 {
		two = append(two, i/2)
	}
	add("classes of two", uniform(5, 20, 3), two, Settings{}, "only 2 samples", false)
	few, fewLabels := clusters(6, 4, 2000, 2)
	add("1 : 1000", few, fewLabels, Settings{Optimizer: Optimizer{MaxSteps: 2}}, "all classes have the same weight", true)
	add("1 : 1000, proportional", few, fewLabels, Settings{Optimizer: Optimizer{MaxSteps: 2}, Objective: Objective{Proportional: true}}, "only 2 samples", true)
	var many []int
	classes := 60
	if !testdata.IsLong() {
		classes = fewStepsClasses + 2
	}
	for i := range 5 * classes {
		many = append(many, i%classes)
	}
	add("many classes of 5", uniform(7, 5*classes, 4), many, Settings{Optimizer: Optimizer{MaxSteps: 1}}, "", false)
	return cases
}

func farApart(x *mat.Dense, labels []int) *mat.Dense {
	y := mat.DenseCopyOf(x)
	for i, l := range labels {
		y.Set(i, 0, y.At(i, 0)+float64(100*l))
	}
	return y
}
