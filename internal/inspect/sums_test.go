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

// bareSum is a sum or difference with a product as an operand.
type bareSum struct {
	Position token.Position
	Function string // with its receiver's type: "geometry.bytes"
	Text     string
}

func (s bareSum) String() string { return fmt.Sprintf("%v: %s", s.Position, s.Text) }

// findSums returns the sums and differences of floating-point numbers whose operand may be a
// product that no conversion rounds.
//
// Where the machine has an instruction for it, Go's compiler may compute x*y + z with one
// rounding instead of two, even if the product was kept in a variable or comes from an
// inlined function. An explicit conversion, T(x*y) + z, forbids that. Code whose results
// are to be the same bits on every machine must therefore not add a bare product.
//
// findSums follows products through local variables, and through arguments and results of the
// packages' functions. It does not follow them through memory (slices, fields, pointers)
// and ignores the order of statements. A product by a power of two is exact and does not
// count.
func findSums(packages []*goPackage) []bareSum {
	a := &analysis{bare: map[types.Object]bool{}, results: map[result]bool{}}
	for a.changed = true; a.changed; {
		a.changed, a.found = false, nil
		for _, p := range packages {
			a.p = p
			for _, f := range p.Files {
				for _, d := range f.Decls {
					a.declaration(d)
				}
			}
		}
	}
	return a.found
}

// result is a result of a function.
type result struct {
	of    types.Object
	index int
}

type analysis struct {
	p       *goPackage
	bare    map[types.Object]bool // variables that may hold a bare product
	results map[result]bool       // results that may be one
	changed bool
	found   []bareSum
	within  string // the function that is looked at
}

func (a *analysis) declaration(d ast.Decl) {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Body == nil {
		return
	}
	of := a.p.Info.Defs[f.Name]
	a.within = f.Name.Name
	if recv := of.(*types.Func).Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		a.within = t.(*types.Named).Obj().Name() + "." + a.within
	}
	a.body(f.Body, of, f.Type)
}

// body looks at the statements of a function, which of is nil for if it has no name.
func (a *analysis) body(b *ast.BlockStmt, of types.Object, signature *ast.FuncType) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			a.body(n.Body, nil, n.Type)
			return false
		case *ast.BinaryExpr:
			if (n.Op == token.ADD || n.Op == token.SUB) && a.float(n) && (a.product(n.X) || a.product(n.Y)) {
				a.report(n, n.OpPos)
			}
		case *ast.AssignStmt:
			a.assign(n)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) == len(n.Names) && a.product(n.Values[i]) {
					a.mark(a.p.Info.Defs[name])
				}
			}
		case *ast.CallExpr:
			a.call(n)
		case *ast.ReturnStmt:
			a.returns(n, of, signature)
		}
		return true
	})
}

func (a *analysis) assign(n *ast.AssignStmt) {
	switch n.Tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN:
		if a.float(n.Lhs[0]) && (a.product(n.Rhs[0]) || a.product(n.Lhs[0])) {
			a.report(n, n.TokPos)
		}
	case token.MUL_ASSIGN:
		if a.float(n.Lhs[0]) && !a.scale(n.Rhs[0]) {
			a.mark(a.variable(n.Lhs[0]))
		}
	case token.ASSIGN, token.DEFINE:
		for i, to := range n.Lhs {
			if len(n.Rhs) == len(n.Lhs) {
				if a.product(n.Rhs[i]) {
					a.mark(a.variable(to))
				}
			} else if call, ok := n.Rhs[0].(*ast.CallExpr); ok && a.results[result{a.callee(call), i}] {
				a.mark(a.variable(to))
			}
		}
	}
}

// call marks the parameters of a function that are given bare products.
func (a *analysis) call(n *ast.CallExpr) {
	f, ok := a.callee(n).(*types.Func)
	if !ok {
		return
	}
	parameters := f.Signature().Params()
	for i, arg := range n.Args {
		if i < parameters.Len() && a.product(arg) {
			a.mark(parameters.At(i))
		}
	}
}

func (a *analysis) returns(n *ast.ReturnStmt, of types.Object, signature *ast.FuncType) {
	if of == nil {
		return
	}
	for i, e := range n.Results {
		if a.product(e) {
			a.markResult(result{of, i})
		}
	}
	if len(n.Results) > 0 || signature.Results == nil {
		return
	}
	i := 0
	for _, field := range signature.Results.List {
		for _, name := range field.Names {
			if a.bare[a.p.Info.Defs[name]] {
				a.markResult(result{of, i})
			}
			i++
		}
	}
}

func (a *analysis) mark(v types.Object) {
	if v != nil && isFloat(v.Type()) && !a.bare[v] {
		a.bare[v], a.changed = true, true
	}
}

func (a *analysis) markResult(r result) {
	if !a.results[r] {
		a.results[r], a.changed = true, true
	}
}

func (a *analysis) report(n ast.Node, at token.Pos) {
	var text strings.Builder
	if err := printer.Fprint(&text, a.p.Fset, n); err != nil {
		text.WriteString(err.Error())
	}
	a.found = append(a.found, bareSum{a.p.Fset.Position(at), a.within, text.String()})
}

// product reports whether an expression may be a product that was not rounded.
func (a *analysis) product(e ast.Expr) bool {
	if tv := a.p.Info.Types[e]; tv.Value != nil {
		return false // a constant
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return a.product(e.X)
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.ADD) && a.product(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.MUL && a.float(e) && !a.scale(e.X) && !a.scale(e.Y)
	case *ast.Ident:
		return a.bare[a.variable(e)]
	case *ast.CallExpr:
		if a.p.Info.Types[e.Fun].IsType() {
			return false // a conversion
		}
		return a.results[result{a.callee(e), 0}]
	}
	return false
}

// scale reports whether an expression is a constant power of two.
func (a *analysis) scale(e ast.Expr) bool {
	v := a.p.Info.Types[e].Value
	if v == nil || v.Kind() != constant.Int && v.Kind() != constant.Float {
		return false
	}
	x, _ := constant.Float64Val(v)
	fraction, _ := math.Frexp(math.Abs(x))
	return fraction == 0.5
}

// callee returns the function that is called by its name, or nil.
func (a *analysis) callee(n *ast.CallExpr) types.Object {
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

// variable returns the local variable that an expression names, or nil.
func (a *analysis) variable(e ast.Expr) types.Object {
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

func (a *analysis) float(e ast.Expr) bool {
	tv := a.p.Info.Types[e]
	return tv.Value == nil && isFloat(tv.Type)
}

// isFloat reports whether a type is of floating-point numbers, or a type parameter that may
// be.
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
