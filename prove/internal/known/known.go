// Package known lists instructions and branches that nothing can reach, or only in one direction, and
// why, and the loops of which package turns does not show enough. The proof (command prove) fails if
// there are others.
package known

// Unreachable is how many instructions and jumps of a function nothing can reach, or only in one
// direction, or how many of its loops are not shown, and why.
type Unreachable struct {
	Count  int
	Reason string
}

const (
	fourBytes = "the last bytes of a row are stored by text that all types share; of float64 there are never 4 left"
	notFew    = "vectors of one and two elements are Go's, and so a short register at the beginning has three"
	wholeRow  = "the jump for rows without a whole step is shared text; the loop has rows of at least rowlo bytes"
	parts     = "one macro loads or stores a vector whole, in part or not at all; in a tail the last one is never whole, and the first never absent"
	fromZero  = "the tile that begins at the sums in dst is shared text; distances of the Gibbs kernel begin at 0"
	features  = "the jump for no feature is shared text; without features, Go does the work"
	bothWays  = "the text without v or without q is that of sweep, which all passes share; this one has both"
	lastOne   = "the loop over the last elements is shared text; of float64 one is left at most"
	oneGroup  = "the loop over groups of columns is shared text; a tile of one vector has one group (tileAVX2 in dispatch_amd64.go)"
)

const (
	sixteen = "features are taken in blocks of 16, after what is left: a jump asks for four bits of their number. Every number of turns up to 16 runs"
	vectors = "a tile has up to three vectors, whose masks are taken one after the other from an integer. One to three turns run"
	lagging = "the first blocks of rows take another way than the others: a counter stops at 3. Passes of up to five blocks run"
)

// Loops are the functions with loops whose turns are not shown to be independent of their number.
var Loops = map[string]Unreachable{
	"distance.gibbsAVX512F32":       {2, vectors},
	"distance.gibbsAVX512F64":       {2, vectors},
	"distance.sqEuclideanAVX512F32": {2, sixteen},
	"distance.sqEuclideanAVX512F64": {2, sixteen},
	"pass.passAVX512F32":            {1, lagging},
	"pass.passAVX512F64":            {1, lagging},
	"pass.passAVX512Mixed":          {1, lagging},
}

// Ways are the functions that have such. If a count changes, all of the function is listed.
var Ways = map[string]Unreachable{
	"exp.logColumnSumAVX2F64":     {2, fourBytes},
	"exp.logPlanAVX2F64":          {2, fourBytes},
	"exp.logRowsAVX2F64":          {5, fourBytes},
	"exp.exp2NEONF32":             {8, parts},
	"exp.exp2NEONF64":             {8, parts},
	"exp.expNEONF32":              {8, parts},
	"exp.expNEONF64":              {8, parts},
	"exp.sumExpNEONF32":           {8, parts},
	"exp.sumExpNEONF64":           {8, parts},
	"exp.logColumnMaxNEONF32":     {3, parts},
	"exp.logColumnMaxNEONF64":     {3, parts},
	"exp.logColumnSumNEONF32":     {16, parts},
	"exp.logColumnSumNEONF64":     {16, parts},
	"exp.logPlanNEONF32":          {12, parts},
	"exp.logPlanNEONF64":          {12, parts},
	"exp.logRowsNEONF32":          {8, parts},
	"exp.logRowsNEONF64":          {8, parts},
	"distance.gibbsNEONF32":       {60, fromZero + "; " + features + "; " + parts},
	"distance.gibbsNEONF64":       {36, fromZero + "; " + features + "; " + parts},
	"distance.sqEuclideanNEONF32": {4, features},
	"distance.sqEuclideanNEONF64": {4, features},
	"pair.dotNEONF32":             {6, notFew},
	"pair.dotNEONF64":             {8, notFew},
	"pair.manhattanNEONF32":       {6, notFew},
	"pair.manhattanNEONF64":       {9, notFew},
	"pair.sqEuclideanNEONF32":     {6, notFew},
	"pair.sqEuclideanNEONF64":     {9, notFew},
	"pair.squaresNEONF32":         {3, notFew},
	"pair.squaresNEONF64":         {6, notFew},
	"pair.sumNEONF32":             {3, notFew},
	"pair.sumNEONF64":             {6, notFew},
	"pass.beginAVX2F64":           {2, fourBytes},
	"pass.beginNEONF32":           {13, bothWays},
	"pass.beginNEONF64":           {13, bothWays},
	"pass.countOutsideNEONF64":    {1, lastOne},
	"pass.divideAVX2F64":          {2, fourBytes},
	"pass.widenAVX2Mixed":         {2, fourBytes},
	"pass.iterateNEONF32":         {13, bothWays},
	"pass.iterateNEONF64":         {13, bothWays},
	"pass.iterateNEONMixed":       {13, bothWays},
	"pass.narrowAVX2Mixed":        {4, "shared text stores up to 60 bytes; a step is 32 bytes of float32, so that at most 28 are left"},
	"pass.passAVX2F32":            {1, wholeRow},
	"pass.passAVX2F64":            {3, fourBytes + "; " + wholeRow},
	"pass.passAVX2Mixed":          {4, fourBytes + "; " + wholeRow + "; for this type rowlo and rowhi are 0, so that every row is beyond them"},
	"project.tile8x1AVX2F32":      {1, oneGroup},
	"project.tile8x1AVX2F64":      {1, oneGroup},
}
