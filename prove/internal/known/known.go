// Package known lists the exceptions that the command prove accepts, with reasons. One list contains
// instructions and branches that no case can reach. The other list contains loops whose iterations
// may depend on the iteration number, as far as the package loops can tell. The command prove fails
// if it finds other exceptions.
package known

// Exception contains the number of exceptions of the proof in one function, and their reason.
type Exception struct {
	Count  int
	Reason string
}

const (
	fourBytes = "the last bytes of a row are stored by text that all types share; rows of float64 never have 4 bytes left"
	notFew    = "Go handles vectors of one and two elements, so a partial register at the beginning has three"
	wholeRow  = "the jump for rows without a whole step is in shared text; rows in this loop have at least rowlo bytes"
	parts     = "one macro loads or stores a vector that is whole, partial or absent; in a tail, the last vector is never whole and the first is never absent"
	fromZero  = "the tile that begins with the sums in dst is in shared text; distances of the Gibbs kernel begin at 0"
	features  = "the jump for zero features is in shared text; Go handles zero features"
	bothWays  = "the text without v or without q belongs to sweep, and all passes share it; this pass has both"
	lastOne   = "the loop over the last elements is in shared text; with float64 at most one element is left"
	oneGroup  = "the loop over groups of columns is in shared text; a tile of one vector has one group (tileAVX2 in dispatch_amd64.go)"
)

const (
	sixteen = "leftover features come before the blocks of 16: a jump tests four bits of the number of features. Every number of iterations up to 16 runs"
	vectors = "a tile has up to three vectors, whose masks are taken from an integer one after the other. One to three iterations run"
	lagging = "the first blocks of rows take another path than the others: a counter stops at 3. Passes of up to five blocks run"
)

// UnprovedLoops contains, for each function, the number of loops whose iterations may depend on the
// iteration number, as far as the package loops can tell.
var UnprovedLoops = map[string]Exception{
	"distance.gibbsAVX512F32":       {2, vectors},
	"distance.gibbsAVX512F64":       {2, vectors},
	"distance.sqEuclideanAVX512F32": {2, sixteen},
	"distance.sqEuclideanAVX512F64": {2, sixteen},
	"pass.passAVX512F32":            {1, lagging},
	"pass.passAVX512F64":            {1, lagging},
	"pass.passAVX512Mixed":          {1, lagging},
}

// Unreached lists, by function, the instructions that no case reaches and the branches that every
// case leaves in the same direction. If the number for a function changes, command prove prints the
// instructions and branches.
var Unreached = map[string]Exception{
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
	"pass.narrowAVX2Mixed":        {4, "shared text stores up to 60 bytes; a step is 32 bytes of float32, so at most 28 are left"},
	"pass.passAVX2F32":            {1, wholeRow},
	"pass.passAVX2F64":            {3, fourBytes + "; " + wholeRow},
	"pass.passAVX2Mixed":          {4, fourBytes + "; " + wholeRow + "; for this type rowlo and rowhi are 0, so every row is longer"},
	"project.tile8x1AVX2F32":      {1, oneGroup},
	"project.tile8x1AVX2F64":      {1, oneGroup},
}
