// Package pending lists the functions of assembly that are not proved, and why.
package pending

// Reasons.
const (
	addresses = "its addresses depend on the data"
	narrow    = "its elements have one or two bytes, and the tool's memory has cells of four"
)

// Functions are the functions that are not proved, each with the reason.
var Functions = func() map[string]string {
	m := map[string]string{
		"codes.sums8AVX2": addresses, "codes.sums8NEON": addresses,
		"codes.sums4AVX2": narrow, "codes.sums4AVX512": narrow, "codes.sums4NEON": narrow,
	}
	for _, level := range []string{"AVX2", "AVX512", "NEON"} {
		for _, t := range []string{"BF16", "F16", "Int8"} {
			m["query.sqEuclidean"+level+t], m["query.dot"+level+t] = narrow, narrow
		}
	}
	return m
}()
