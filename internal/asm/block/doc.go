// Package block has passes over the kernel matrix K for a block of four vectors: problems
// that have K in common, each with marginals of its own.
//
//	Rows     r_s[i] = Σ_j K_ij v_s[j]
//	Columns  q_s[j] = q_s[j] + Σ_i u_s[i] K_ij
//	Iterate  u_s[i] = a_s[i] / Σ_j K_ij v_s[j],   then Columns          s = 0 … 3
//
// The definition is that of package pass, one vector after the other, and so are the bits,
// the accuracy and the special values. Level Ref, levels without assembly (NEON has none
// yet) and the last m mod 4 rows are passed over in just that way.
//
// A pass for one vector reads an element of K for two FMAs: from the second-level cache
// on it takes the time of the loads. Here K goes through the registers once for four
// vectors. In the tile of four rows by four vectors every lane of every row sum is an
// accumulator, as it is for one vector; what four rows add to q_s[j] is the same chain, i
// ascending. So nothing has to be emulated. Lanes rest in scratch between one tile of
// columns and the next, and are folded when the row is over.
//
// Shapes          K m×n row-major, stride ldk; n a positive multiple of the lanes w; v_s, q_s: n; a_s, u_s, r_s: m; scratch of Scratch elements, zero before and after.
// Aliasing        what is set overlaps nothing else.
// Cost            8·m·n FMAs for Iterate, 4·m·n for the others; K is read once from memory, and once more from the second-level cache by Iterate.
package block
