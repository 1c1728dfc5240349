package fuzz

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/search"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

// FuzzShapesFloat64 and FuzzShapesFloat32 call every exported function that takes a matrix. The sizes, strides and lengths
// are extreme, and their products may overflow. A function may return an error or panic with a message of this module. Any
// other panic fails the test. The data are between unreadable pages, so an access outside of the data ends the process.
func FuzzShapesFloat64(f *testing.F) { fuzzShapes[float64](f) }
func FuzzShapesFloat32(f *testing.F) { fuzzShapes[float32](f) }

func fuzzShapes[T num.Float](f *testing.F) {
	seeds(f)
	targets := slices.Concat(functions[T](), methods[T]())
	model := fittedModel(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		k := in.numberUpTo(len(targets) - 1)
		asmtest.Compare(t, uint64(in.byte()), func(a *asmtest.Arena[T]) {
			s := &shapes[T]{input: *in, a: a, model: model}
			targets[k].call(t, s)
		})
	})
}

// target is a function or method that the fuzz test calls.
type target[T num.Float] struct {
	name string
	f    func(s *shapes[T]) reflect.Value // returns the function, or the method bound to a receiver
}

// call calls the function c.f with arguments from the input. If the function panics, the panic message must be a message of
// this module.
func (c target[T]) call(t *testing.T, s *shapes[T]) {
	var args []reflect.Value
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		_, unexpected := v.(runtime.Error)
		if words := fmt.Sprint(v); unexpected || !sentence.MatchString(words) {
			stack := make([]byte, 4096)
			t.Errorf("%s: panic %v\n%s\n%s", c.name, v, describeArgs(args), stack[:runtime.Stack(stack, false)])
		}
	}()
	s.counted = strings.HasPrefix(c.name, "knn.")
	f := c.f(s)
	for i := range f.Type().NumIn() {
		args = append(args, s.value(f.Type().In(i)))
	}
	if f.Type().IsVariadic() {
		f.CallSlice(args)
		return
	}
	f.Call(args)
}

// sentence matches the beginning of the panic messages of this module.
var sentence = regexp.MustCompile(`^(asm|dist|emd|knn|search|sinkhorn|vecmath|wda): `)

func describeArgs(args []reflect.Value) string {
	var b strings.Builder
	for _, a := range args {
		switch v := a.Interface().(type) {
		case matrix.Matrix[float64]:
			fmt.Fprintf(&b, "%d × %d, stride %d, %d elements\n", v.Rows, v.Cols, v.Stride, len(v.Data))
		case matrix.Matrix[float32]:
			fmt.Fprintf(&b, "%d × %d, stride %d, %d elements\n", v.Rows, v.Cols, v.Stride, len(v.Data))
		default:
			fmt.Fprintf(&b, "%.300v\n", v)
		}
	}
	return b.String()
}

// functions returns all functions that take a matrix. TestShapesListed fails if a function is missing.
func functions[T num.Float]() []target[T] {
	var all []target[T]
	for name, f := range map[string]any{
		"dist.NewMatrix":          newMatrix[T],
		"dist.SqEuclidean":        dist.SqEuclidean[T],
		"dist.Gibbs":              dist.Gibbs[T],
		"search.NewRows":          search.NewRows[T],
		"dist.Project":            dist.Project[T],
		"matrix.Overlap":          func(a, b matrix.Matrix[T]) bool { return a.Fits() && b.Fits() && matrix.Overlap(a, b) },
		"matrix.Mul":              matrix.Mul[T],
		"matrix.TransMul":         matrix.TransMul[T],
		"matrix.MulVec":           matrix.MulVec[T],
		"matrix.Transpose":        matrix.Transpose[T],
		"matrix.SqEuclideanTrans": matrix.SqEuclideanTrans[T],
		"matrix.GibbsTrans":       matrix.GibbsTrans[T],
		"matrix.Exp2":             matrix.Exp2[T],
		"matrix.Widen": func(dst matrix.Matrix[T], x matrix.Matrix[float32]) {
			if dst, ok := any(dst).(matrix.Matrix[float64]); ok {
				matrix.Widen(dst, x)
			}
		},
		"knn.New":        knn.New[T],
		"knn.NewColumns": func(x matrix.Matrix[T], labels []int) { knn.NewColumns(context.Background(), x, labels) },
		"knn.NewNarrow": func(x matrix.Matrix[T], labels []int) {
			if x, ok := any(x).(matrix.Matrix[float32]); ok {
				knn.NewNarrow[float64](context.Background(), x, labels)
			}
		},
		"knn.Predict": knn.Predict[T],
	} {
		all = append(all, target[T]{name, func(*shapes[T]) reflect.Value { return reflect.ValueOf(f) }})
	}
	slices.SortFunc(all, func(a, b target[T]) int { return strings.Compare(a.name, b.name) })
	return all
}

// newMatrix is like dist.NewMatrix, but avoids allocations that exceed the memory of the machine. A failed
// allocation would end the process.
func newMatrix[T num.Float](rows, cols int, data []T) dist.Matrix[T] {
	if data == nil && rows > 0 && cols > 0 && rows <= math.MaxInt/cols && rows*cols > 1<<20 && rows*cols <= 1<<45 {
		return dist.Matrix[T]{}
	}
	return dist.NewMatrix(rows, cols, data)
}

// methods returns the methods that take a matrix or a problem, and the methods of a matrix.
func methods[T num.Float]() []target[T] {
	var all []target[T]
	for _, r := range []struct {
		name string
		of   any
		make func(s *shapes[T]) any
	}{
		{"Matrix", matrix.Matrix[T]{}, func(s *shapes[T]) any { return s.matrix() }},
		{"search.Searcher", new(search.Searcher), func(*shapes[T]) any { return new(search.Searcher) }},
		{"search.Collection", new(search.Collection), func(s *shapes[T]) any {
			return search.NewCollection(1+s.numberUpTo(20), search.Storage(s.numberUpTo(3)))
		}},
		{"sinkhorn.Solver", new(sinkhorn.Solver[T]), func(s *shapes[T]) any { return s.solver() }},
		{"sinkhorn.Pool", new(sinkhorn.Pool[T]), func(*shapes[T]) any { return pool[T]() }},
		{"sinkhorn.Result", new(sinkhorn.Result[T]), func(s *shapes[T]) any { return s.result() }},
		{"wda.Model", new(wda.Model), func(s *shapes[T]) any { return s.model }},
		{"knn.Search", new(knn.Search[T]), func(*shapes[T]) any { return new(knn.Search[T]) }},
	} {
		typ := reflect.TypeOf(r.of)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			takes := r.name == "Matrix"
			for k := 1; k < m.Type.NumIn(); k++ {
				takes = takes || strings.Contains(m.Type.In(k).String(), "dist.Matrix[") || strings.Contains(m.Type.In(k).String(), "sinkhorn.Problem[")
			}
			if takes {
				all = append(all, target[T]{r.name + "." + m.Name, func(s *shapes[T]) reflect.Value { return reflect.ValueOf(r.make(s)).Method(i) }})
			}
		}
	}
	return all
}

// TestShapesListed checks that FuzzShapes calls every exported function and method that takes a matrix.
func TestShapesListed(t *testing.T) {
	known := map[string]bool{}
	for _, c := range slices.Concat(functions[float64](), methods[float64]()) {
		known[c.name] = true
	}
	matrixType := regexp.MustCompile(`(^|[\]*.( ])(Matrix|Problem)\[`)
	count := 0
	for _, dir := range []string{"dist", "search", "sinkhorn", "wda", "internal/knn", "internal/matrix"} {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files (%v)", dir, err)
		}
		fset := token.NewFileSet()
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				d, ok := decl.(*ast.FuncDecl)
				if !ok || !d.Name.IsExported() {
					continue
				}
				name := file.Name.Name + "." + d.Name.Name
				takes := false
				for _, p := range d.Type.Params.List {
					takes = takes || matrixType.MatchString(types(p.Type))
				}
				if d.Recv != nil {
					receiver := strings.TrimLeft(types(d.Recv.List[0].Type), "*")
					receiver, _, _ = strings.Cut(receiver, "[")
					if !ast.IsExported(receiver) {
						continue
					}
					if name = file.Name.Name + "." + receiver + "." + d.Name.Name; receiver == "Matrix" {
						name, takes = "Matrix."+d.Name.Name, true
					}
				}
				if takes {
					count++
					if !known[name] {
						t.Errorf("%s takes a matrix and is no target of FuzzShapes", name)
					}
				}
			}
		}
	}
	if count < 30 {
		t.Errorf("only %d functions that take a matrix have been found", count)
	}
}

// types returns the source text of a type.
func types(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return "*" + types(t.X)
	case *ast.SelectorExpr:
		return types(t.X) + "." + t.Sel.Name
	case *ast.IndexExpr:
		return types(t.X) + "[" + types(t.Index) + "]"
	case *ast.ArrayType:
		return "[]" + types(t.Elt)
	case *ast.Ellipsis:
		return "[]" + types(t.Elt)
	}
	return ""
}

// shapes converts the bytes of a fuzz input to arguments of the functions under test.
type shapes[T num.Float] struct {
	input
	a     *asmtest.Arena[T]
	model *wda.Model
	last  []T // data of the previous matrix, which the next matrix may share
	// If counted is set, matrices without elements have at most 2¹⁶ rows, because a search takes time for every row.
	counted bool
}

// The functions fitted and result create a model and a transport problem with these dimensions.
const rows, cols, features, components = 3, 4, 3, 2

// size returns a matrix dimension. It is usually valid. Otherwise it is near a power of two, and
// products of two sizes may overflow.
func (s *shapes[T]) size() int {
	usual := []int{rows, cols, features, components, rows, cols, 0, 1, 5, 70}
	k := s.numberUpTo(len(usual) + 5)
	if k < len(usual) {
		return usual[k]
	}
	wrap := []int{-1, 1 << 31, math.MaxInt, math.MinInt, 1 << 16, math.MaxInt/2 + 1, math.MaxInt/4 + 1, math.MaxInt/8 + 1, math.MaxInt/64 + 1, math.MaxUint32}
	return wrap[s.numberUpTo(len(wrap)-1)] + s.numberUpTo(4) - 2
}

func (s *shapes[T]) matrix() matrix.Matrix[T] {
	m := matrix.Matrix[T]{Rows: s.size(), Cols: s.size()}
	m.Stride = m.Cols
	switch s.numberUpTo(7) {
	case 0:
		m.Stride = s.size()
	case 1:
		m.Stride += s.numberUpTo(4) - 2
	}
	// The length of the data is sufficient, one element too short, or arbitrary.
	n := s.numberUpTo(100)
	if s.numberUpTo(7) > 0 && max(uint(m.Rows), uint(m.Cols), uint(m.Stride)) <= 100 {
		n = max(0, span(m.Rows, m.Cols, m.Stride)+max(s.numberUpTo(8)-6, -1))
	}
	if s.counted && m.IsEmpty() {
		m.Rows = min(m.Rows, 1<<16)
	}
	if s.numberUpTo(7) == 0 && s.last != nil {
		m.Data = s.last[min(len(s.last), s.numberUpTo(5)):]
		return m
	}
	m.Data = s.a.InOut(n, asmtest.Gauss)
	s.last = m.Data
	return m
}

// value returns a value of type t, to be passed to the function under test.
func (s *shapes[T]) value(t reflect.Type) reflect.Value {
	var v any
	switch reflect.Zero(t).Interface().(type) {
	case matrix.Matrix[T]:
		v = s.matrix()
	case matrix.Matrix[float32]: // for a function that takes only float32
		n := s.matrix()
		v = matrix.Matrix[float32]{Rows: n.Rows, Cols: n.Cols, Stride: n.Stride, Data: s.a.Narrow().InOut(len(n.Data), asmtest.Gauss)}
	case *sinkhorn.Problem[T]:
		v = s.problem()
	case []sinkhorn.Problem[T]:
		v = []sinkhorn.Problem[T]{*s.problem(), *s.problem()}
	case []T:
		v = s.a.InOut(max(0, min(s.size(), 100)), asmtest.Gauss)
	case []int:
		v = make([]int, max(0, min(s.size(), 100)))
		for i := range v.([]int) {
			v.([]int)[i] = s.numberUpTo(5)
		}
	case T:
		v = T(s.numberUpTo(3))
	case float32:
		v = float32(s.numberUpTo(3))
	case int:
		v = s.size()
	case bool:
		v = s.numberUpTo(1) == 1
	case asm.Level:
		v = asm.Current()
	case search.Storage:
		v = search.Storage(s.numberUpTo(5))
	case []search.RowOption:
		v = []search.RowOption{search.NoSketch, 2}[:s.numberUpTo(2)]
	case search.Measure:
		v = search.Measure(s.numberUpTo(3))
	case *search.Rows:
		r, err := search.NewRows(dist.NewMatrix[float32](rows, features, nil), search.Storage(s.numberUpTo(3)))
		if err != nil {
			panic(err)
		}
		v = r
	case sinkhorn.GradientMode:
		v = sinkhorn.GradientMode(s.numberUpTo(4))
	case func(*sinkhorn.Result[T]) error:
		v = func(*sinkhorn.Result[T]) error { return nil }
	case *knn.Settings:
		v = &knn.Settings{Workers: 1}
	case *knn.Points[T]:
		v = knn.New(matrix.New(rows, features, s.a.InOut(rows*features, asmtest.Gauss)), []int{1, 2, 1})
	case nil: // an interface
		v = context.Background()
	default:
		if t.Kind() != reflect.Func {
			panic(fmt.Sprintf("fuzz: no argument of type %v", t))
		}
		return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { return nil })
	}
	return reflect.ValueOf(v)
}

func (s *shapes[T]) problem() *sinkhorn.Problem[T] {
	p := &sinkhorn.Problem[T]{Lambda: 1}
	if s.numberUpTo(1) == 0 {
		p.X, p.Y = s.matrix(), s.matrix()
	} else {
		p.Cost = s.matrix()
	}
	return p
}

func (s *shapes[T]) solver() *sinkhorn.Solver[T] {
	solver, err := sinkhorn.NewSolver[T](&sinkhorn.Settings{Iterations: 2, Gradient: true, Workers: 1})
	if err != nil {
		panic(err)
	}
	return solver
}

func pool[T num.Float]() *sinkhorn.Pool[T] {
	p, err := sinkhorn.NewPool[T](&sinkhorn.Settings{Iterations: 2, Workers: 1, MaxMemory: 1 << 20}, 1)
	if err != nil {
		panic(err)
	}
	return p
}

// result solves a transport problem in two dimensions, between a set of 3 points and a set of 4 points.
func (s *shapes[T]) result() *sinkhorn.Result[T] {
	p := &sinkhorn.Problem[T]{X: dist.NewMatrix[T](rows, components, nil), Y: dist.NewMatrix[T](cols, components, nil), Lambda: 1}
	for i := range p.X.Data {
		p.X.Data[i], p.Y.Data[i] = T(i%3), T(i%5)
	}
	r, err := s.solver().Solve(context.Background(), p)
	if err != nil {
		panic(err)
	}
	return r
}

// fittedModel fits a model to a few samples.
func fittedModel(f *testing.F) *wda.Model {
	x := mat.NewDense(8, features, nil)
	labels := make([]int, 8)
	for i := range labels {
		labels[i] = i % 2
		x.SetRow(i, []float64{float64(i), float64(i % 3), float64(i % 2)})
	}
	m, err := wda.Fit(context.Background(), x, labels, &wda.Settings{Components: components})
	if err != nil {
		f.Fatal(err)
	}
	return m
}
