package inspect

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/printer"
	"go/token"
	"go/types"
	"math"
	"strings"
)

// bareSum is a sum or difference with an unrounded product as an operand.
type bareSum struct {
	Position token.Position
	Function string // name with the receiver type, such as "geometry.bytes"
	Text     string
}

func (s bareSum) String() string { return fmt.Sprintf("%v: %s", s.Position, s.Text) }

// findSums returns the floating-point sums and differences that may have an unrounded product as an
// operand.
//
// On machines with a fused instruction, the Go compiler may compute x*y + z with one rounding
// instead of two, even if the product was stored in a variable or comes from an inlined function.
// An explicit conversion, T(x*y) + z, prevents this. Code whose results must have the same bits on
// every machine must not add an unrounded product.
//
// findSums follows products through local variables and through arguments and results of functions
// in the packages. It does not follow products through memory (slices, fields, pointers), and it
// ignores the order of statements. A product with a power of two is exact and not reported.
func findSums(packages []*goPackage) []bareSum {
	a := &analysis{bareVariables: map[types.Object]bool{}, bareResults: map[functionResult]bool{}}
	for a.changed = true; a.changed; {
		a.changed, a.found = false, nil
		for _, p := range packages {
			a.p = p
			for _, f := range p.Files {
				for _, d := range f.Decls {
					a.inspectDeclaration(d)
				}
			}
		}
	}
	return a.found
}

// functionResult is one result of a function.
type functionResult struct {
	function types.Object
	index    int
}

type analysis struct {
	p             *goPackage
	bareVariables map[types.Object]bool   // variables that may contain a product that is not explicitly converted
	bareResults   map[functionResult]bool // function results that may be a product that is not explicitly converted
	changed       bool
	found         []bareSum
	function      string // function being inspected
}

func (a *analysis) inspectDeclaration(d ast.Decl) {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Body == nil {
		return
	}
	of := a.p.Info.Defs[f.Name]
	a.function = f.Name.Name
	if recv := of.(*types.Func).Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		a.function = t.(*types.Named).Obj().Name() + "." + a.function
	}
	a.inspectBody(f.Body, of, f.Type)
}

// inspectBody inspects the statements of a function body. The second argument is the function, or
// nil for a function literal.
func (a *analysis) inspectBody(b *ast.BlockStmt, function types.Object, signature *ast.FuncType) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			a.inspectBody(n.Body, nil, n.Type)
			return false
		case *ast.BinaryExpr:
			if (n.Op == token.ADD || n.Op == token.SUB) && a.hasFloatType(n) && (a.mayBeBareProduct(n.X) || a.mayBeBareProduct(n.Y)) {
				a.report(n, n.OpPos)
			}
		case *ast.AssignStmt:
			a.inspectAssignment(n)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) == len(n.Names) && a.mayBeBareProduct(n.Values[i]) {
					a.markVariable(a.p.Info.Defs[name])
				}
			}
		case *ast.CallExpr:
			a.inspectCall(n)
		case *ast.ReturnStmt:
			a.inspectReturn(n, function, signature)
		}
		return true
	})
}

func (a *analysis) inspectAssignment(n *ast.AssignStmt) {
	switch n.Tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN:
		if a.hasFloatType(n.Lhs[0]) && (a.mayBeBareProduct(n.Rhs[0]) || a.mayBeBareProduct(n.Lhs[0])) {
			a.report(n, n.TokPos)
		}
	case token.MUL_ASSIGN:
		if a.hasFloatType(n.Lhs[0]) && !a.isPowerOfTwo(n.Rhs[0]) {
			a.markVariable(a.localVariable(n.Lhs[0]))
		}
	case token.ASSIGN, token.DEFINE:
		for i, to := range n.Lhs {
			if len(n.Rhs) == len(n.Lhs) {
				if a.mayBeBareProduct(n.Rhs[i]) {
					a.markVariable(a.localVariable(to))
				}
			} else if call, ok := n.Rhs[0].(*ast.CallExpr); ok && a.bareResults[functionResult{a.calledFunction(call), i}] {
				a.markVariable(a.localVariable(to))
			}
		}
	}
}

// inspectCall marks parameters that receive unrounded products.
func (a *analysis) inspectCall(n *ast.CallExpr) {
	f, ok := a.calledFunction(n).(*types.Func)
	if !ok {
		return
	}
	parameters := f.Signature().Params()
	for i, arg := range n.Args {
		if i < parameters.Len() && a.mayBeBareProduct(arg) {
			a.markVariable(parameters.At(i))
		}
	}
}

func (a *analysis) inspectReturn(n *ast.ReturnStmt, of types.Object, signature *ast.FuncType) {
	if of == nil {
		return
	}
	for i, e := range n.Results {
		if a.mayBeBareProduct(e) {
			a.markResult(functionResult{of, i})
		}
	}
	if len(n.Results) > 0 || signature.Results == nil {
		return
	}
	i := 0
	for _, field := range signature.Results.List {
		for _, name := range field.Names {
			if a.bareVariables[a.p.Info.Defs[name]] {
				a.markResult(functionResult{of, i})
			}
			i++
		}
	}
}

func (a *analysis) markVariable(v types.Object) {
	if v != nil && isFloat(v.Type()) && !a.bareVariables[v] {
		a.bareVariables[v], a.changed = true, true
	}
}

func (a *analysis) markResult(r functionResult) {
	if !a.bareResults[r] {
		a.bareResults[r], a.changed = true, true
	}
}

func (a *analysis) report(n ast.Node, at token.Pos) {
	var text strings.Builder
	if err := printer.Fprint(&text, a.p.Fset, n); err != nil {
		text.WriteString(err.Error())
	}
	a.found = append(a.found, bareSum{a.p.Fset.Position(at), a.function, text.String()})
}

// mayBeBareProduct reports whether e may be a product that the compiler can fuse with an addition.
func (a *analysis) mayBeBareProduct(e ast.Expr) bool {
	if tv := a.p.Info.Types[e]; tv.Value != nil {
		return false // constant
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return a.mayBeBareProduct(e.X)
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.ADD) && a.mayBeBareProduct(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.MUL && a.hasFloatType(e) && !a.isPowerOfTwo(e.X) && !a.isPowerOfTwo(e.Y)
	case *ast.Ident:
		return a.bareVariables[a.localVariable(e)]
	case *ast.CallExpr:
		if a.p.Info.Types[e.Fun].IsType() {
			return false // conversion
		}
		return a.bareResults[functionResult{a.calledFunction(e), 0}]
	}
	return false
}

// isPowerOfTwo reports whether e is a constant power of two.
func (a *analysis) isPowerOfTwo(e ast.Expr) bool {
	v := a.p.Info.Types[e].Value
	if v == nil || v.Kind() != constant.Int && v.Kind() != constant.Float {
		return false
	}
	x, _ := constant.Float64Val(v)
	fraction, _ := math.Frexp(math.Abs(x))
	return fraction == 0.5
}

// calledFunction returns the declared function or method that n calls. It returns nil for other calls, for example of a
// variable.
func (a *analysis) calledFunction(n *ast.CallExpr) types.Object {
	f := ast.Unparen(n.Fun)
	switch x := f.(type) {
	case *ast.IndexExpr:
		f = x.X
	case *ast.IndexListExpr:
		f = x.X
	}
	var name *ast.Ident
	switch f := f.(type) {
	case *ast.Ident:
		name = f
	case *ast.SelectorExpr:
		name = f.Sel
	default:
		return nil
	}
	if called, ok := a.p.Info.Uses[name].(*types.Func); ok {
		return called.Origin()
	}
	return nil
}

// localVariable returns the local variable named by e, or nil.
func (a *analysis) localVariable(e ast.Expr) types.Object {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	if v := a.p.Info.Defs[name]; v != nil {
		return v
	}
	if v, ok := a.p.Info.Uses[name].(*types.Var); ok {
		return v
	}
	return nil
}

func (a *analysis) hasFloatType(e ast.Expr) bool {
	tv := a.p.Info.Types[e]
	return tv.Value == nil && isFloat(tv.Type)
}

// isFloat reports whether t is a floating-point type or a type parameter that may be one.
func isFloat(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return mayBeFloat(p.Constraint().Underlying())
	}
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

func mayBeFloat(t types.Type) bool {
	switch t := t.(type) {
	case *types.Interface:
		for i := range t.NumEmbeddeds() {
			if mayBeFloat(t.EmbeddedType(i)) {
				return true
			}
		}
	case *types.Union:
		for i := range t.Len() {
			if mayBeFloat(t.Term(i).Type()) {
				return true
			}
		}
	default:
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Info()&types.IsFloat != 0
		case *types.Interface:
			return mayBeFloat(u)
		}
	}
	return false
}
