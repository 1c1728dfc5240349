// Package block multiplies a kernel matrix K or its transpose by a block of four vectors in one pass
// over K. The four vectors belong to four problems that share K and have different marginals.
//
//	Rows     r_s[i] = Σ_j K_ij v_s[j]
//	Columns  q_s[j] = q_s[j] + Σ_i u_s[i] K_ij
//	Iterate  u_s[i] = a_s[i] / Σ_j K_ij v_s[j],   then Columns          s = 0 … 3
//
// The reference implementation is package pass, called once for each vector. The results of both
// packages have the same bits. Package block calls package pass at level Ref and for the last m mod
// 4 rows.
//
// A pass for one vector reads each element of K for two FMAs. If K is in the second-level cache,
// the loads of K limit the speed of this pass. Package block loads each element of K once for four
// vectors.
//
// A tile has four rows and four vectors. As for one vector, each lane of a row sum is a separate
// accumulator. Between two tiles of columns, the lanes are stored in scratch. At the end of the
// row, the lanes are folded into the row sum.
//
// The contract:
//
//   - Shapes: K m×n row-major, stride ldk; n a positive multiple of the lanes w; v_s, q_s: n; a_s,
//     u_s, r_s: m; scratch of Scratch elements, zero before and after.
//   - Aliasing: an output does not overlap an input or a different output.
//   - Cost: 8·m·n FMAs for Iterate, 4·m·n for Rows and Columns; K is read once from memory, and
//     Iterate reads K once more from the second-level cache.
//
// NOTES.md has measurements and rejected ideas.
package block
