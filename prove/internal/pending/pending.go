// Package pending lists the functions of assembly that are not proved, and why.
package pending

import "strings"

// Reasons.
const (
	why    = "its control depends on the data"
	narrow = "its elements have one or two bytes, and the tool's memory has cells of four"
)

// Functions are the functions that are not proved, each with the reason.
var Functions = func() map[string]string {
	m := map[string]string{}
	for _, t := range []string{"F64", "F32"} {
		for _, f := range []string{"exp.exp", "exp.exp2", "exp.logColumnMax", "pass.countOutside", "lane.divide"} {
			m[f+"NEON"+t] = why
		}
		for _, level := range []string{"AVX2", "AVX512", "NEON"} {
			for _, f := range []string{"distance.gibbs", "exp.logRows", "exp.logColumnSum", "exp.logPlan", "vector.maximum", "vector.log", "vector.log2"} {
				if strings.HasPrefix(f, "exp.") && t == "F32" && level != "NEON" {
					continue
				}
				m[f+level+t] = why
			}
		}
		m["exp.expAVX512"+t] = why
	}
	m["exp.expAVX2F64"], m["exp.exp2AVX2F64"], m["exp.exp2AVX512F64"] = why, why, why
	m["pass.narrowNEONMixed"] = why
	for _, level := range []string{"AVX2", "AVX512", "NEON"} {
		for _, t := range []string{"BF16", "F16", "Int8"} {
			m["query.sqEuclidean"+level+t], m["query.dot"+level+t] = narrow, narrow
		}
	}
	return m
}()
