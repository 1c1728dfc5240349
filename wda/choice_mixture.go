package wda

import "math"

const (
	// Below mixedRows rows a mixture of up to mostMixed candidates is made if nothing else is asked
	// for. From so many rows on, one division into folds tells candidates apart well enough.
	mixedRows, mostMixed = choiceHeld, 3
	// mixedFinalists is the number of finalists of a mixture.
	mixedFinalists = 6
)

// finalists returns the number of the best candidates that are fitted to other numbers of
// components.
func (c *comparison) finalists() int {
	if most := c.mixture(); most > 1 {
		return max(mixedFinalists, most)
	}
	return fewFinalists
}

// mixture returns the largest number of candidates that the projection may be a mixture of. A
// mixture has lengths of its own, and all its members have the same start.
func (c *comparison) mixture() int {
	set := c.set
	method := &set.Optimizer
	switch {
	case set.Scale != ScaleAuto || set.Leading != 0 || !method.Method.traits().open || method.Init != nil || set.Validation != nil || set.Objective.Lambda.kind == lambdaMatrix:
		return 1
	case set.Mixture.most > 0:
		return set.Mixture.most
	case c.rows < mixedRows:
		return mostMixed
	}
	return 1
}

// alike returns how many of the members, best first, cannot be told apart: their losses differ from
// the least by no more than twice the standard error of the difference over the folds. Rows that
// are held out in one fold train in another, so folds are not independent, and one standard error
// would say too much.
func (c *comparison) alike(members []Member, losses [][][]loss) int {
	most, n := min(c.mixture(), len(members)), 1
	for n < most && members[n].Folds == members[0].Folds && members[n].Loss-members[0].Loss <= float64(2*c.apart(&members[0], &members[n], losses)) {
		n++
	}
	return n
}

// apart returns the standard error over the folds of the difference of the losses of two members
// with all components.
func (c *comparison) apart(a, b *Member, losses [][][]loss) float64 {
	i, j := c.index(a), c.index(b)
	var n, sum, square float64
	for _, of := range losses {
		if of[i] != nil && of[j] != nil {
			d := of[i][0].score - of[j][0].score
			n, sum, square = n+1, sum+d, square+float64(d*d)
		}
	}
	if n < 2 {
		return 0
	}
	return math.Sqrt(max(square-float64(sum*sum/n), 0) / (n * (n - 1)))
}
