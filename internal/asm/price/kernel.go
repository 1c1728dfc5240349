package price

import (
	"math"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

const (
	turn = 16 // elements of a turn of the assembly
	few  = 32 // elements from which the assembly is faster
	cost = 8  // of an element, in the units of asm.Piece
)

// lanes are the least elements of a piece whose index is l mod turn, and the turns in which they were found.
type lanes struct {
	least, turn [turn]float64
}

// fold returns the least of least and the lanes of a piece that begins at element first, and its lowest index. It has
// few branches, because none of them could be predicted.
func (x *lanes) fold(first int, least float64, at int) (float64, int) {
	v := &x.least
	r := min(min(min(min(v[0], v[1]), min(v[2], v[3])), min(min(v[4], v[5]), min(v[6], v[7]))),
		min(min(min(v[8], v[9]), min(v[10], v[11])), min(min(v[12], v[13]), min(v[14], v[15]))))
	if r > least {
		return least, at
	}
	for l, r2 := range v {
		if r2 == r {
			if j := first + int(x.turn[l])*turn + l; r2 < least || j < at {
				least, at = r2, j
			}
		}
	}
	return least, at
}

// LeastLanes sets least[l] to the least (c_j − u) − v_j with j mod 16 = l, or +Inf if none is below that, and turns[l]
// to the first ⌊j/16⌋ that has it, or 0. len(c) must be a multiple of 16, and not 0. It is what Least is made of.
func LeastLanes[T num.Float](least, turns *[16]float64, c []T, u float64, v []float64) {
	asm.CheckVector(len(v), len(c))
	var x lanes
	if !leastTurns(&x, c, u, v) {
		leastLanesRef(&x, c, u, v)
	}
	*least, *turns = x.least, x.turn
}

// RelaxLanes sets d as Relax does, and then least and turns for d_j instead of (c_j − u) − v_j, as LeastLanes does.
func RelaxLanes[T num.Float](least, turns *[16]float64, d []float64, c []T, u float64, v []float64) {
	asm.CheckVector(len(v), len(c))
	asm.CheckVector(len(d), len(c))
	var x lanes
	if !relaxTurns(&x, d, c, u, v) {
		relaxLanesRef(&x, d, c, u, v)
	}
	*least, *turns = x.least, x.turn
}

// Least returns the least (c_j − u) − v_j and its lowest index, or +Inf and −1 if none is below +Inf. It panics
// if v is shorter than c.
func Least[T num.Float](c []T, u float64, v []float64) (float64, int) {
	asm.CheckVector(len(v), len(c))
	least, at, done := math.Inf(1), -1, 0
	for n := len(c) / turn * turn; n >= few && done < n; {
		p := min(asm.Piece(len(c), cost, turn), n-done)
		var x lanes
		if !leastTurns(&x, c[done:done+p], u, v[done:]) {
			break
		}
		least, at = x.fold(done, least, at)
		done += p
	}
	return leastRef(c, u, v, done, least, at)
}

// Relax sets d_j to the least of d_j and (c_j − u) − v_j, for j < len(c). It returns the least of these d_j and its
// lowest index, or +Inf and −1 if none is below +Inf. It panics if v or d is shorter than c.
func Relax[T num.Float](d []float64, c []T, u float64, v []float64) (float64, int) {
	asm.CheckVector(len(v), len(c))
	asm.CheckVector(len(d), len(c))
	least, at, done := math.Inf(1), -1, 0
	for n := len(c) / turn * turn; n >= few && done < n; {
		p := min(asm.Piece(len(c), cost, turn), n-done)
		var x lanes
		if !relaxTurns(&x, d[done:], c[done:done+p], u, v[done:]) {
			break
		}
		least, at = x.fold(done, least, at)
		done += p
	}
	return relaxRef(d, c, u, v, done, least, at)
}
