// Package price finds the least reduced cost of a row. The network simplex method uses it to choose the arc that enters the
// tree, and the algorithm of shortest augmenting paths uses it to choose the next column.
//
//	Least   least_j (c_j − u) − v_j and its lowest index
//	Two     least_j c_j − v_j and its lowest index, and the least of the other elements
//	Relax   d_j ← min(d_j, (c_j − u) − v_j), then least_j d_j and its lowest index
//	Lower   d_j ← min(d_j, (c_j − u) − v_j)
//
// The contract:
//
//   - Shapes: c, v and d have n elements; u is a number. Costs c are float64 or float32. All other
//     values are float64.
//   - Aliasing: d must not overlap c or v.
//   - Accuracy: every difference is rounded once, to float64.
//   - Special values: +Inf in c and −Inf in v make an element +Inf, which is never the least. NaN
//     is ignored and does not change d_j. If no element is below +Inf, the least is +Inf and its
//     index is −1. +0 and −0 are equal, so the zero with the lower index is the least.
//   - Cost: limited by memory. The functions load 16 or 12 bytes for each element. Relax and Lower also
//     load and store 8 bytes.
//
// The assembly processes blocks of 16 elements. Go code computes the rest.
package price
