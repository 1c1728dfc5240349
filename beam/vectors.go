package mongebeam

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/gomonge/monge/wda"
)

// DoFns are registered without the functions of Beam's package register, because these functions
// would make the compiler use a minute and 2.7 GB for this package.
func init() {
	beam.RegisterType(reflect.TypeFor[*transform64]())
	beam.RegisterType(reflect.TypeFor[*transform32]())
	beam.RegisterType(reflect.TypeFor[*classify64]())
	beam.RegisterType(reflect.TypeFor[*classify32]())
	beam.RegisterType(reflect.TypeFor[wda.Class]())
}

// Transform projects a collection of vectors. The collection col is a KV<K, []E>, where K is any
// key type and E is float64 or float32. For a model of d features and p components, the vectors of
// col have d elements. The result is a KV<K, []E> whose vectors have p elements. These vectors are
// computed by wda.Model.TransformVec, and rounded to float32 if E is float32.
//
// A bundle fails if a vector has a different length or a value that is not finite. The error names
// the key.
func Transform(s beam.Scope, m Model, col beam.PCollection) beam.PCollection {
	s = s.Scope("monge.Transform")
	if isFloat32(col) {
		return beam.ParDo(s, &transform32{apply{Model: m}}, col)
	}
	return beam.ParDo(s, &transform64{apply{Model: m}}, col)
}

// Classify classifies a collection of vectors with the classifier in the model file. The collection
// has a form that Transform accepts. The result is a KV<K, wda.Class>, computed by
// wda.Classifier.Predict.
func Classify(s beam.Scope, m Model, col beam.PCollection) beam.PCollection {
	s = s.Scope("monge.Classify")
	if isFloat32(col) {
		return beam.ParDo(s, &classify32{apply{Model: m}}, col)
	}
	return beam.ParDo(s, &classify64{apply{Model: m}}, col)
}

// isFloat32 reports whether col contains vectors of float32, not float64.
func isFloat32(col beam.PCollection) bool {
	if t := col.Type(); typex.IsKV(t) {
		switch t.Components()[1].Type() {
		case reflect.TypeFor[[]float64]():
			return false
		case reflect.TypeFor[[]float32]():
			return true
		}
	}
	panic(fmt.Sprintf("mongebeam: a collection of %v; it must be KV<K, []float64> or KV<K, []float32>", col.Type()))
}

// apply contains the common fields and methods of the DoFns below.
type apply struct {
	Model Model

	l    *loaded
	x, y []float64
	w    wda.Workspace
}

// Setup loads the model unless this process has already loaded it.
func (f *apply) Setup(ctx context.Context) (err error) {
	f.l, err = f.Model.load(ctx)
	return err
}

func (f *apply) transform(key any, x []float64) error {
	if f.y == nil {
		_, p := f.l.model.Dims()
		f.y = make([]float64, p)
	}
	if err := f.l.model.TransformVec(f.y, x); err != nil {
		return fmt.Errorf("vector %v: %w", key, err)
	}
	return nil
}

func (f *apply) classify(key any, x []float64) (wda.Class, error) {
	if f.l.classifier == nil {
		return wda.Class{}, fmt.Errorf("%s: %w: the file has no classifier; save a wda.Classifier instead of a wda.Model", f.Model.Path, wda.ErrModel)
	}
	c, err := f.l.classifier.Predict(x, &f.w)
	if err != nil {
		return wda.Class{}, fmt.Errorf("vector %v: %w", key, err)
	}
	return c, nil
}

func (f *apply) widenVector(x []float32) []float64 {
	f.x = f.x[:0]
	for _, v := range x {
		f.x = append(f.x, float64(v))
	}
	return f.x
}

type transform64 struct{ apply }

// ProcessElement implements Transform. The emitted slice belongs to the runner.
func (f *transform64) ProcessElement(_ context.Context, key beam.X, x []float64, emit func(beam.X, []float64)) error {
	if err := f.transform(key, x); err != nil {
		return err
	}
	emit(key, append([]float64(nil), f.y...))
	return nil
}

type transform32 struct{ apply }

// ProcessElement implements Transform.
func (f *transform32) ProcessElement(_ context.Context, key beam.X, x []float32, emit func(beam.X, []float32)) error {
	if err := f.transform(key, f.widenVector(x)); err != nil {
		return err
	}
	y := make([]float32, len(f.y))
	for i, v := range f.y {
		y[i] = float32(v)
	}
	emit(key, y)
	return nil
}

type classify64 struct{ apply }

// ProcessElement implements Classify.
func (f *classify64) ProcessElement(_ context.Context, key beam.X, x []float64, emit func(beam.X, wda.Class)) error {
	c, err := f.classify(key, x)
	if err == nil {
		emit(key, c)
	}
	return err
}

type classify32 struct{ apply }

// ProcessElement implements Classify.
func (f *classify32) ProcessElement(_ context.Context, key beam.X, x []float32, emit func(beam.X, wda.Class)) error {
	c, err := f.classify(key, f.widenVector(x))
	if err == nil {
		emit(key, c)
	}
	return err
}
