package inspect

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
)

// libm are functions of package math whose last bits differ between machines, as it has
// assembly for some of them on some machines.
var libm = regexp.MustCompile(`^(A?(Cos|Sin|Tan)h?|Atan2|Cbrt|Erf\w*|Exp2?|Expm1|Gamma|Hypot|J\w+|Lgamma|Log|Log10|Log1p|Log2|Pow|Sincos|Y\w+)$`)

// random are methods of package math/rand that use such functions.
var random = regexp.MustCompile(`^(Norm|Exp)Float64$`)

// findLibm returns a line for every use of a function whose last bits differ between machines.
// internal/asm/exp and num.Log take their place.
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
				if path == "math" && libm.MatchString(used.Name()) || (path == "math/rand" || path == "math/rand/v2") && random.MatchString(used.Name()) {
					found = append(found, fmt.Sprintf("%v: %s.%s", p.Fset.Position(n.Pos()), path, used.Name()))
				}
				return true
			})
		}
	}
	return found
}
