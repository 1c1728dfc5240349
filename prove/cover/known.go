package main

// unreachable is how many instructions and jumps of a function nothing can reach, or only in one
// direction, and why.
type unreachable struct {
	count  int
	reason string
}

const (
	fourBytes = "the last bytes of a row are stored by text that all types share; of float64 there are never 4 left"
	wholeRow  = "the jump for rows without a whole step is shared text; the loop has rows of at least rowlo bytes"
	oneGroup  = "the loop over groups of columns is shared text; a tile of one vector has one group (tileAVX2 in dispatch_amd64.go)"
)

// known are the functions that have such. If a count changes, all of the function is listed.
var known = map[string]unreachable{
	"exp.logColumnSumAVX2F64": {2, fourBytes},
	"exp.logPlanAVX2F64":      {2, fourBytes},
	"exp.logRowsAVX2F64":      {5, fourBytes},
	"pass.beginAVX2F64":       {2, fourBytes},
	"pass.divideAVX2F64":      {2, fourBytes},
	"pass.widenAVX2Mixed":     {2, fourBytes},
	"pass.narrowAVX2Mixed":    {4, "shared text stores up to 60 bytes; a step is 32 bytes of float32, so that at most 28 are left"},
	"pass.passAVX2F32":        {1, wholeRow},
	"pass.passAVX2F64":        {3, fourBytes + "; " + wholeRow},
	"pass.passAVX2Mixed":      {4, fourBytes + "; " + wholeRow + "; for this type rowlo and rowhi are 0, so that every row is beyond them"},
	"project.tile8x1AVX2F32":  {1, oneGroup},
	"project.tile8x1AVX2F64":  {1, oneGroup},
}
