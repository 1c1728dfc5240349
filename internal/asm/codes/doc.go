// Package codes adds table entries that codes select: the distances of product quantization.
//
//	Sums8   dst_i = Σ_j table_j[c_ij]    8-bit codes, float32 tables of 256 entries
//	Sums4   dst_i = Σ_j table_j[c_ij]    4-bit codes, uint8 tables of 16 entries, uint16 sums
//
// The sum over j begins with +0 and adds one entry at a time, j ascending. Rows are the lanes, so
// that every level has the same chain. Sums4 is exact.
//
// The contract:
//
//   - Shapes: Rows come in blocks of Block rows. A block has m groups, one for each j. A group of
//     8-bit codes is a byte for each row, in their order. A group of 4-bit codes is Block/2 bytes:
//     byte r has the code of row r in its low half and the code of row r + Block/2 in its high
//     half. table has m·256 or m·16 entries. Sums4 requires an even m of at most Most4, so that no
//     sum overflows.
//   - Aliasing: dst must not overlap the others.
//   - Accuracy: Sums8: γ_m Σ_j |table_j[c_ij]|. Sums4: exact.
//   - Special values: Sums8 follows the arithmetic: a NaN or an infinity comes from the table.
//   - Cost: Sums8: a load of a code, a load of an entry and an addition for each code. Sums4: some
//     ten instructions for 64 codes (AVX2).
package codes
