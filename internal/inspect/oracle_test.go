package inspect

import (
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compared lists the packages whose oracle_test.go compares results with package oracle.
var compared = []string{"dist", "emd", "search", "sinkhorn", "vecmath", "wda", "wda/baseline"}

// notCompared contains exported functions, methods and fields that return numbers but are not
// compared with package oracle. The map values are the reasons. The name of a type stands for all
// methods and fields of the type.
var notCompared = map[string]string{
	"emd.NewSolver":     "the comparisons use a zero Solver, which has the zero settings",
	"emd.Result.Pivots": "counts work; there is no formula",
	"search.Rows.Bytes": "memory that was allocated; there is no formula",

	"wda.Candidate.Chosen":        "the choice of each fold's fit",
	"wda.Classifier.Model":        "the model that was given",
	"wda.CrossValidated.Settings": "settings that were given, with the values of the best candidate",
	"wda.Holder":                  "hands on what Load reads",
	"wda.Lambda":                  "returns the numbers that were given",
	"wda.Mixture":                 "returns the members that were given",
	"wda.Model.Schema":            "returns the schema that was given",
	"wda.Model.WithClassNames":    "changes names",
	"wda.Model.WithSchema":        "changes names",
	"wda.Report.Choice":           "compares fits of random folds; TestChoiceReport follows it step by step",
	"wda.Report.Elapsed":          "is a time",
	"wda.Report.Evaluations":      "counts work; there is no formula",
	"wda.Report.History":          "is the path of an optimizer; there is no formula",
	"wda.Report.LedTo":            "counts values of StartObjectives",
	"wda.Report.Maxima":           "has values of StartObjectives",
	"wda.Report.Settings":         "settings that were given, and defaults",
	"wda.Report.Start":            "is the path of an optimizer; there is no formula",
	"wda.Report.StartObjectives":  "J at other results than the model's, which nothing returns",
	"wda.Report.Steps":            "is the path of an optimizer; there is no formula",
	"wda.Report.ValidationError":  "the error of held-out samples, which a random draw selects",
	"wda.Report.Validations":      "the errors of held-out samples, which a random draw selects",
	"wda.Report.Warnings":         "texts; TestWarnings has the numbers in them",
	"wda.Member":                  "a candidate of a choice: see wda.Report.Choice",
	"wda.Settings":                "settings that were given, and defaults",
	"wda.Shrinkage":               "returns the number that was given",
}

// TestOracleIsComplete checks that every exported function, method and field that returns numbers
// is compared with package oracle.
func TestOracleIsComplete(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to list packages with")
	}
	var patterns []string
	for _, name := range compared {
		patterns = append(patterns, "./"+name)
	}
	l, _, err := listPackagesIn(root, append(patterns, "./internal/oracle/trial", "./internal/ending", "testing")...)
	if err != nil {
		t.Fatal(err)
	}
	used, needed := map[types.Object]bool{}, map[string]bool{}
	for _, name := range compared {
		tests, err := parser.ParseFile(l.fset, filepath.Join(root, filepath.FromSlash(name), "oracle_test.go"), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: l}
		if _, err := config.Check(name+"_test", l.fset, []*ast.File{tests}, info); err != nil {
			t.Fatal(err)
		}
		for _, o := range info.Uses {
			switch o := o.(type) {
			case *types.Func:
				used[o.Origin()] = true
			case *types.Var:
				used[o.Origin()] = true
			}
		}
	}
	for _, name := range compared {
		p, err := l.Import("github.com/gomonge/monge/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range resultsOf(p) {
			reason := notCompared[name]
			if receiver := name[:strings.LastIndex(name, ".")]; reason == "" && notCompared[receiver] != "" {
				reason = notCompared[receiver]
				needed[receiver] = true
			}
			switch needed[name] = true; {
			case !used[o] && reason == "":
				t.Errorf("%s gives numbers, and no comparison with package oracle uses it", name)
			case used[o] && notCompared[name] != "":
				t.Errorf("%s is compared; remove it from notCompared", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(notCompared)) {
		if !needed[name] {
			t.Errorf("%s does not exist, or gives no numbers", name)
		}
	}
}

// resultsOf returns the exported functions and methods of a package that return or set numbers, and
// the exported fields of the structs that they return. The keys of the map are names.
func resultsOf(p *types.Package) map[string]types.Object {
	found := map[string]types.Object{}
	var addFields func(t types.Type)
	addFields = func(t types.Type) {
		switch t := types.Unalias(t).(type) {
		case interface{ Elem() types.Type }: // a pointer, slice or map
			addFields(t.Elem())
		case *types.Named:
			o := t.Origin().Obj()
			s, ok := o.Type().Underlying().(*types.Struct)
			if !ok || o.Pkg() != p || isError(t) {
				return
			}
			for f := range s.Fields() {
				name := p.Name() + "." + o.Name() + "." + f.Name()
				if !f.Exported() || found[name] != nil || !givesNumbers(f.Type()) {
					continue
				}
				if found[name] = f; notCompared[name] == "" && notCompared[p.Name()+"."+o.Name()] == "" {
					addFields(f.Type())
				}
			}
		}
	}
	addFunction := func(name string, f *types.Func) {
		if !f.Exported() {
			return
		}
		gives := false
		for v := range f.Signature().Results().Variables() {
			gives = gives || givesNumbers(v.Type())
			addFields(v.Type())
		}
		for v := range f.Signature().Params().Variables() {
			switch t := v.Type().Underlying().(type) {
			case *types.Slice:
				gives = gives || givesNumbers(t)
			case *types.Signature: // a callback receives results
				for v := range t.Params().Variables() {
					addFields(v.Type())
				}
				gives = gives || t.Params().Len() > 0
			default:
				gives = gives || strings.Contains(v.Type().String(), "dist.Matrix[") || strings.HasSuffix(v.Type().String(), "mat.Dense")
			}
		}
		if gives {
			found[p.Name()+"."+name] = f
		}
	}
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Func:
			addFunction(name, o)
		case *types.TypeName:
			if t, ok := o.Type().(*types.Named); ok && o.Exported() {
				for m := range t.Methods() {
					addFunction(name+"."+m.Name(), m)
				}
			}
		}
	}
	return found
}

// givesNumbers reports whether t contains numbers. Errors, text, byte slices and types with an
// UnmarshalText method do not count.
func givesNumbers(t types.Type) bool {
	if isError(t) {
		return false
	}
	if o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, nil, "UnmarshalText"); o != nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsNumeric != 0
	case *types.Slice:
		return !types.Identical(u.Elem(), types.Typ[types.Byte]) && givesNumbers(u.Elem())
	case interface{ Elem() types.Type }: // a pointer or map
		return givesNumbers(u.Elem())
	case *types.Struct:
		return true
	case *types.Interface: // the constraint of a type parameter
		return !u.IsMethodSet()
	}
	return false
}

func isError(t types.Type) bool {
	errorType := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return types.Implements(t, errorType) || types.Implements(types.NewPointer(t), errorType)
}
