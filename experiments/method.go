package experiments

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/gomonge/monge/experiments/baselines"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// method is one of those that an experiment compares.
type method struct {
	name string
	// with are its settings, part of the identity of a cell.
	with string
	// slow methods run only if Settings.Methods names them.
	slow bool
	// fit returns a d × p projection; nil stands for the features as they are.
	fit func(ctx context.Context, t *training, p int) (*mat.Dense, error)
}

// training are samples to fit to, with what several fits to them share.
type training struct {
	*dataset.Dataset
	most     int // the largest p of fits so far, or of those to come
	prepared *wda.Prepared
}

// trainingFor is for fits of up to p components.
func trainingFor(d *dataset.Dataset, p int) *training { return &training{Dataset: d, most: p} }

// prepare returns the samples for a fit of WDA.
func (t *training) prepare(ctx context.Context, p int) (*wda.Prepared, error) {
	if t.prepared == nil || p > t.most {
		t.most = max(t.most, p)
		var err error
		t.prepared, err = wda.Prepare(ctx, t.X, t.Labels, &wda.Preparation{Components: t.most, Workers: 1})
		if err != nil {
			return nil, err
		}
	}
	return t.prepared, nil
}

// Names of the methods that are not of the packages baseline and baselines, as pictures and tables have them.
const (
	nameOriginal = "Orig."     // all features
	nameWDA      = "WDA"       // our default settings
	namePaper    = "WDA-paper" // the settings of the paper
	nameTrue     = "True"      // the dimensions that the simulation hides
)

// original is the space of all features.
func original() method { return method{name: nameOriginal} }

// paperBaselines are the methods that the paper compares with, in the order of its tables, with its
// numbers of neighbors. LSDR, LSQMI and CEML take long.
func paperBaselines() []method {
	all := []method{
		ofBaseline(baseline.PCA{}), ofBaseline(baseline.FDA{}),
		ofBaseline(baselines.LFDA{Neighbors: 5}), ofBaseline(baselines.LMNN{Neighbors: 5}),
	}
	for _, m := range []baselines.Method{baselines.LSDR{}, baselines.LSQMI{}, baselines.CEML{}} {
		b := ofBaseline(m)
		b.slow = true
		all = append(all, b)
	}
	return all
}

// ofBaseline is a method of package baseline or baselines.
func ofBaseline(m baselines.Method) method {
	return method{
		name: m.String(),
		with: settingsText(m),
		fit: func(ctx context.Context, t *training, p int) (*mat.Dense, error) {
			return baselines.Fit(ctx, t.X, t.Labels, p, m)
		},
	}
}

// ofWDA is WDA with settings, of which Components is set by fit. Where λ or ρ is given it
// is the comparison that chooses: the rest is as in the paper, but for λ = 1.
func ofWDA(name string, s wda.Settings) method {
	if o := &s.Objective; !o.Shrinkage.IsAuto() || o.Lambda.Value() != 0 {
		if o.Shrinkage.IsAuto() {
			o.Shrinkage = wda.FixedShrinkage(0)
		}
		if o.Lambda.Value() == 0 {
			o.Lambda = wda.RelativeLambda(1)
		}
		s.Data.Whitening, s.Scale = wda.NoWhitening(), wda.ScaleOrthonormal
	}
	return method{
		name: name,
		with: settingsText(s),
		fit: func(ctx context.Context, t *training, p int) (*mat.Dense, error) {
			samples, err := t.prepare(ctx, p)
			if err != nil {
				return nil, err
			}
			s := s
			s.Components, s.Workers = p, 1 // the cells are what runs in parallel
			m, err := samples.Fit(ctx, &s)
			if err != nil {
				return nil, err
			}
			return m.Projection(), nil
		},
	}
}

// settingsText lists the exported fields of a struct that are not zero, and those of the
// structs in it: "Neighbors=5".
func settingsText(s any) string {
	v := reflect.ValueOf(s)
	var all []string
	for i := range v.NumField() {
		f, of := v.Field(i), v.Type().Field(i)
		if f.IsZero() || !of.IsExported() {
			continue
		}
		text := of.Name + "=" + fmt.Sprint(f.Interface())
		if _, value := f.Interface().(fmt.Stringer); !value && f.Kind() == reflect.Struct {
			text = settingsText(f.Interface())
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// project returns the samples in the space that a method has found, P or nil.
func project(x, p *mat.Dense) *mat.Dense {
	if p == nil {
		return x
	}
	y := new(mat.Dense)
	dense.Mul(context.Background(), y, x, p)
	return y
}

// knnErrors returns the share of test rows that the K nearest training rows classify
// wrongly in the space of the projection p, or of all features if p is nil, for every K.
func knnErrors(ctx context.Context, train, test *dataset.Dataset, p *mat.Dense, ks []int) ([]float64, error) {
	y, z := project(train.X, p), project(test.X, p)
	predicted, err := knn.Predict(ctx, dense.View(y), train.Labels, dense.View(z), ks, &knn.Settings{Workers: 1})
	if err != nil {
		return nil, err
	}
	errs := make([]float64, len(ks))
	for i, l := range predicted {
		errs[i] = knn.ErrorRate(l, test.Labels)
	}
	return errs, nil
}
