package main

import "regexp"

// explanation explains why some cases do not reach their goal for the ratio of the lower bound to the measured time.
// The regular expression variant matches the beginning of the name of a variant of monge, such as "ours-mixed". The regular
// expression caseName matches the beginning of the name of a case.
type explanation struct{ variant, caseName, text string }

// reasons contains all explanations. missReason uses the first explanation that matches a case.
var reasons = []explanation{
	{"", "exp/", "the table look-up and the check of the range take ports that FMAs need (internal/asm/exp/NOTES.md)"},
	{"", "log/", "operations beside the FMAs: splitting off the exponent, table look-ups, rounding errors, special values"},
	{"", "softmax/", "the scaling is a pass of its own over the slice, the maximum reads it first, and sums and the look-up take ports that FMAs need (vecmath/NOTES.md)"},
	{"", "logsumexp/", "the maximum reads the slice first, and sums and the look-up take ports that FMAs need (vecmath/NOTES.md)"},
	{"", "pair/", "the call, the last elements and the folds of the lanes weigh as much as short vectors; of a cosine, a root and a division, too (internal/asm/pair/NOTES.md)"},
	{"", "query/.*/n=1000/", "the values of a call are copied, and the lanes of every row are summed behind its loads"},
	{"", "query/", "a plain loop over the same rows, in the same run, is 1.0 to 1.1 times as fast (internal/asm/query/NOTES.md); the limit is measured earlier, on other memory"},
	{"", "sqdist/.*/n=100/", "tiles of 10 features are short, and the call copies the second operand first"},
	{"", "sqdist/.*/d=(2|10)$", "a difference for each FMA; loads and stores of short tiles are not hidden (internal/asm/distance/NOTES.md)"},
	{"", "sqdist/", "packing, norms, and the search for close pairs (internal/asm/gram/NOTES.md)"},
	{"", "gibbs/.*/d=784", "packing, norms, and the search for close pairs (internal/asm/gram/NOTES.md)"},
	{"", "gibbs/", "look-up and comparisons of the power take ports that FMAs need (internal/asm/distance/NOTES.md)"},
	{"ours-mixed", "(iterate|sinkhorn)/.*/n=4000/", "a conversion for each number that is read; the limit counts loads of K alone"},
	{"ours-mixed", "(iterate|sinkhorn)", "a conversion for each number that is read, twice in an iteration (internal/asm/pass/NOTES.md)"},
	{"", "iterate/.*/n=100/", "folding of sums, one division a row and masked ends: rows have 13 vectors of 64 bytes, the last half empty"},
	{"", "(iterate|sinkhorn)/.*/n=64/", "folding of sums, divisions and checks weigh as much as short rows"},
	{"", "(iterate|sinkhorn)/", "rows are read from their cache, then again for the column sums: the two readings share the load ports and overlap in part (internal/asm/pass/NOTES.md)"},
	{"", "sinkhornlog/", "iterations on logarithms before potentials are taken into K; then as sinkhorn"},
	{"", "many/", "divisions, and K is read once for four marginals (internal/asm/block/NOTES.md)"},
	{"", "free/", "look-up and comparisons of the power take ports that FMAs need (internal/asm/distance/NOTES.md)"},
	{"", "lse/", "the maximum of a row comes first, and the exponential's look-up takes ports that FMAs need"},
	{"", "project/.*/p=(10|14)$", "columns do not fill the registers of a tile, and X is read from beyond the second-level cache (internal/asm/project/NOTES.md)"},
	{"", "project/", "X is read from beyond the second-level cache while it is multiplied (internal/asm/project/NOTES.md)"},
	{"", "wda/", "X·P and Xᵀ·G stay in float64 for both types and wait for X, products of 11 columns, Go between the passes (wda/SOLVERS.md)"},
}

// missReason returns the reason why a case is below its goal, or "not known".
func missReason(name, ours string) string {
	for _, r := range reasons {
		if matchesStart(r.variant, ours) && matchesStart(r.caseName, name) {
			return r.text
		}
	}
	return "not known"
}

func matchesStart(pattern, text string) bool {
	return regexp.MustCompile("^(?:" + pattern + ")").MatchString(text)
}
