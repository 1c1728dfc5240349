// Package price finds least reduced costs: which arc enters a tree, and which column a shortest path reaches
// next.
//
//	Least   least_j (c_j − u) − v_j and its lowest index
//	Two     least_j c_j − v_j and its lowest index, and the least of the others
//	Relax   d_j ← min(d_j, (c_j − u) − v_j), then least_j d_j and its lowest index
//	Lower   d_j ← min(d_j, (c_j − u) − v_j)
//
// Shapes          c, v, d: n; u: a number. Costs c are float64 or float32, everything else is float64.
// Aliasing        d must not overlap c or v.
// Accuracy        two roundings: the differences are in float64.
// Special values  +Inf in c, and −Inf in v, make an element +Inf: it is never the least. A NaN is ignored, and does
// not change d_j. If no element is below +Inf, the least is +Inf and its index −1. Of +0 and −0, the first counts.
// Cost            bound by the loads: 16 or 12 bytes for each element, and 8 more that are stored by Relax.
//
// The assembly takes whole turns of 16 elements. The definition computes the rest.
package price
