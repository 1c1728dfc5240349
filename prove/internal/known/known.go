// Package known lists instructions and branches that nothing can reach, or only in one direction, and
// why. The count of what tests reach (command cover) fails if there are others, and the proof (command
// prove) if there are more in a function of the list.
package known

// Unreachable is how many instructions and jumps of a function nothing can reach, or only in one
// direction, and why.
type Unreachable struct {
	Count  int
	Reason string
}

const (
	fourBytes = "the last bytes of a row are stored by text that all types share; of float64 there are never 4 left"
	wholeRow  = "the jump for rows without a whole step is shared text; the loop has rows of at least rowlo bytes"
	parts     = "one macro loads or stores a vector whole, in part or not at all; in a tail the last one is never whole, and the first never absent"
	oneGroup  = "the loop over groups of columns is shared text; a tile of one vector has one group (tileAVX2 in dispatch_amd64.go)"
)

// Ways are the functions that have such. If a count changes, all of the function is listed.
var Ways = map[string]Unreachable{
	"exp.logColumnSumAVX2F64": {2, fourBytes},
	"exp.logPlanAVX2F64":      {2, fourBytes},
	"exp.logRowsAVX2F64":      {5, fourBytes},
	"exp.exp2NEONF32":         {8, parts},
	"exp.exp2NEONF64":         {8, parts},
	"exp.expNEONF32":          {8, parts},
	"exp.expNEONF64":          {8, parts},
	"exp.logColumnMaxNEONF32": {3, parts},
	"exp.logColumnMaxNEONF64": {3, parts},
	"exp.logColumnSumNEONF32": {16, parts},
	"exp.logColumnSumNEONF64": {16, parts},
	"exp.logPlanNEONF32":      {12, parts},
	"exp.logPlanNEONF64":      {12, parts},
	"exp.logRowsNEONF32":      {8, parts},
	"exp.logRowsNEONF64":      {8, parts},
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
