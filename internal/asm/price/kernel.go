package price

import (
	"math"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

const (
	blockSize   = 16 // number of elements in one iteration of the assembly loop
	minAssembly = 16 // smallest number of elements for which the assembly is faster than Go
	elementCost = 8  // cost per element, in the units of asm.Piece
)

// lanes is the result of one call of assembly, for a piece of a row. Element l of least is the minimum of the elements whose
// index j satisfies j mod blockSize = l. index is the lowest index of the minimum in the piece. If no element is below +Inf,
// index is arbitrary.
type lanes struct {
	least [blockSize]float64
	index float64
}

// lowerLeast returns the minimum of all pieces of a row so far, and its index in the row. x contains the minimum
// of the latest piece, which begins at index first of the row. For the preceding pieces, least is the minimum and index is
// its index in the row.
func (x *lanes) lowerLeast(first int, least float64, index int) (float64, int) {
	j := int(x.index)
	if r := x.least[j&(blockSize-1)]; r < least {
		return r, first + j
	}
	return least, index
}

// minLane returns the least element of all lanes.
func (x *lanes) minLane() float64 {
	v := &x.least
	return min(min(min(min(v[0], v[1]), min(v[2], v[3])), min(min(v[4], v[5]), min(v[6], v[7]))),
		min(min(min(v[8], v[9]), min(v[10], v[11])), min(min(v[12], v[13]), min(v[14], v[15]))))
}

// LeastLanes calls the assembly that Least uses. Only tests call LeastLanes. It sets least[l] to the minimum of
// (c_j − u) − v_j over all j with j mod 16 = l, or to +Inf if these values are all +Inf or NaN. It sets *index to the lowest j
// at which the minimum of all values occurs. len(c) must be a positive multiple of 16.
func LeastLanes[T num.Float](least *[16]float64, index *float64, c []T, u float64, v []float64) {
	asm.CheckVector(len(v), len(c))
	var x lanes
	if !leastBlocks(&x, c, u, v) {
		leastLanesRef(&x, c, u, v)
	}
	*least, *index = x.least, x.index
}

// RelaxLanes calls the assembly that Relax uses. Only tests call RelaxLanes. It updates d like Relax. Then it sets
// *least and *index for the new values d_j, as LeastLanes does for the values (c_j − u) − v_j.
func RelaxLanes[T num.Float](least *[16]float64, index *float64, d []float64, c []T, u float64, v []float64) {
	asm.CheckVector(len(v), len(c))
	asm.CheckVector(len(d), len(c))
	var x lanes
	if !relaxBlocks(&x, d, c, u, v) {
		relaxLanesRef(&x, d, c, u, v)
	}
	*least, *index = x.least, x.index
}

// Least returns the minimum of (c_j − u) − v_j over j < len(c), and the lowest index j of the minimum. It returns +Inf and −1
// if no element is below +Inf. Least panics if v is shorter than c.
func Least[T num.Float](c []T, u float64, v []float64) (float64, int) {
	asm.CheckVector(len(v), len(c))
	least, index, done := math.Inf(1), -1, 0
	for n := len(c) / blockSize * blockSize; n >= minAssembly && done < n; {
		p := min(asm.Piece(len(c), elementCost, blockSize), n-done)
		var x lanes
		if !leastBlocks(&x, c[done:done+p], u, v[done:]) {
			break
		}
		least, index = x.lowerLeast(done, least, index)
		done += p
	}
	return leastRef(c, u, v, done, least, index)
}

// Two returns the minimum of c_j − v_j and the lowest index j of the minimum, like Least with u = 0. It also returns the
// minimum of all other elements as second, or +Inf if there are no other elements. Two panics if v is shorter than c.
func Two[T num.Float](c []T, v []float64) (least float64, index int, second float64) {
	asm.CheckVector(len(v), len(c))
	least, index, second = math.Inf(1), -1, math.Inf(1)
	done := 0
	for n := len(c) / blockSize * blockSize; n >= minAssembly && done < n; {
		p := min(asm.Piece(len(c), elementCost, blockSize), n-done)
		var x lanes
		if !leastBlocks(&x, c[done:done+p], 0, v[done:]) {
			break
		}
		oldLeast, oldIndex := least, index
		least, index = x.lowerLeast(done, least, index)
		if index != oldIndex { // the second smallest value may be the old minimum, or a value in the lane of the new minimum
			second = min(second, oldLeast)
			l := index % blockSize
			x.least[l] = math.Inf(1)
			for j := done + l; j < done+p; j += blockSize {
				if r := float64(c[j]) - v[j]; r < second && j != index {
					second = r
				}
			}
		}
		second = min(second, x.minLane())
		done += p
	}
	return twoRef(c, v, done, least, index, second)
}

// Lower sets d_j to min(d_j, (c_j − u) − v_j) for j < len(c). It panics if v or d is shorter than c.
func Lower[T num.Float](d []float64, c []T, u float64, v []float64) {
	asm.CheckVector(len(v), len(c))
	asm.CheckVector(len(d), len(c))
	done := 0
	for n := len(c) / blockSize * blockSize; done < n; {
		p := min(asm.Piece(len(c), elementCost, blockSize), n-done)
		var x lanes
		if !relaxBlocks(&x, d[done:], c[done:done+p], u, v[done:]) {
			break
		}
		done += p
	}
	relaxRef(d, c, u, v, done, math.Inf(1), -1)
}

// Relax sets d_j to min(d_j, (c_j − u) − v_j) for j < len(c). It returns the minimum of the new d_j and the lowest
// index j of the minimum. It returns +Inf and −1 if no d_j is below +Inf. Relax panics if v or d is shorter than c.
func Relax[T num.Float](d []float64, c []T, u float64, v []float64) (float64, int) {
	asm.CheckVector(len(v), len(c))
	asm.CheckVector(len(d), len(c))
	least, index, done := math.Inf(1), -1, 0
	for n := len(c) / blockSize * blockSize; n >= minAssembly && done < n; {
		p := min(asm.Piece(len(c), elementCost, blockSize), n-done)
		var x lanes
		if !relaxBlocks(&x, d[done:], c[done:done+p], u, v[done:]) {
			break
		}
		least, index = x.lowerLeast(done, least, index)
		done += p
	}
	return relaxRef(d, c, u, v, done, least, index)
}
