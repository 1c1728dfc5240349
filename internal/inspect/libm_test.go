package inspect

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
)

// libmFunction matches functions of package math whose results differ between machines in the last
// bits, because some machines use assembly.
var libmFunction = regexp.MustCompile(`^(A?(Cos|Sin|Tan)h?|Atan2|Cbrt|Erf\w*|Exp2?|Expm1|Gamma|Hypot|J\w+|Lgamma|Log|Log10|Log1p|Log2|Pow|Sincos|Y\w+)$`)

// randomMethod matches the names of the methods of math/rand that call functions such as math.Exp.
var randomMethod = regexp.MustCompile(`^(Norm|Exp)Float64$`)

// findLibm returns the uses of functions whose results differ between machines in the last bits.
func findLibm(packages []*goPackage) (found []string) {
	for _, p := range packages {
		for _, f := range p.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				name, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				used, ok := p.Info.Uses[name.Sel].(*types.Func)
				if !ok || used.Pkg() == nil {
					return true
				}
				path := used.Pkg().Path()
				if path == "math" && libmFunction.MatchString(used.Name()) || (path == "math/rand" || path == "math/rand/v2") && randomMethod.MatchString(used.Name()) {
					found = append(found, fmt.Sprintf("%v: %s.%s", p.Fset.Position(n.Pos()), path, used.Name()))
				}
				return true
			})
		}
	}
	return found
}
