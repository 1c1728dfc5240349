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

// method is one of the methods that an experiment compares.
type method struct {
	name string
	// settings describes the settings of the method. Results in the journal are used only if they
	// were computed with the same settings.
	settings string
	// A slow method runs only if Settings.Methods names it.
	slow bool
	// fit returns a d × p projection. If fit is nil, the method uses the original features.
	fit func(ctx context.Context, t *training, p int) (*mat.Dense, error)
}

// training contains training samples and the data that several fits to these samples share.
type training struct {
	*dataset.Dataset
	most     int // largest number of components of all fits
	prepared *wda.Prepared
}

// trainingFor returns training samples for fits of up to p components.
func trainingFor(d *dataset.Dataset, p int) *training { return &training{Dataset: d, most: p} }

// prepare returns the samples, prepared for fits of WDA with at least p components.
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

// Names of methods in pictures and tables. Methods of the packages baseline and baselines have
// their own names.
const (
	nameOriginal = "Orig."     // all features
	nameWDA      = "WDA"       // our default settings
	namePaper    = "WDA-paper" // the settings of the paper
	nameTrue     = "True"      // the dimensions in which the simulated classes differ
)

// originalMethod returns the method that keeps all features.
func originalMethod() method { return method{name: nameOriginal} }

// paperBaselines returns the methods that the paper compares with WDA, in the order of the paper's
// tables and with its numbers of neighbors. LSDR, LSQMI and CEML are slow.
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

// ofBaseline returns a method that fits projections with the baseline method m.
func ofBaseline(m baselines.Method) method {
	return method{
		name:     m.String(),
		settings: settingsText(m),
		fit: func(ctx context.Context, t *training, p int) (*mat.Dense, error) {
			return baselines.Fit(ctx, t.X, t.Labels, p, m)
		},
	}
}

// ofWDA returns a method that fits WDA with the settings s. Each fit sets s.Components. If s sets λ
// or ρ, no setting is chosen automatically: Whitening is off, Scale is ScaleOrthonormal, an unset λ
// is 1, and an unset ρ is 0.
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
		name:     name,
		settings: settingsText(s),
		fit: func(ctx context.Context, t *training, p int) (*mat.Dense, error) {
			samples, err := t.prepare(ctx, p)
			if err != nil {
				return nil, err
			}
			s := s
			s.Components, s.Workers = p, 1 // the cells of an experiment run in parallel
			m, err := samples.Fit(ctx, &s)
			if err != nil {
				return nil, err
			}
			return m.Projection(), nil
		},
	}
}

// settingsText lists the nonzero exported fields of a struct and of its nested structs, for example
// "Neighbors=5".
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

// project returns the samples projected by p, or x if p is nil.
func project(x, p *mat.Dense) *mat.Dense {
	if p == nil {
		return x
	}
	y := new(mat.Dense)
	dense.Mul(context.Background(), y, x, p)
	return y
}

// knnErrors returns, for every K in ks, the fraction of test rows that a K-nearest-neighbor
// classifier misclassifies. The rows are projected by p. If p is nil, the classifier uses all
// features.
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
