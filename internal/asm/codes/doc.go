// Package codes sums the table entries that the codes of a row select. The sums are the distances
// of product quantization.
//
//	Sums8   dst_i = Σ_j table_j[c_ij]    8-bit codes, float32 tables of 256 entries
//	Sums4   dst_i = Σ_j table_j[c_ij]    4-bit codes, uint8 tables of 16 entries, uint16 sums
//
// The sum over j begins with +0 and adds one entry at a time, in ascending order of j. Each vector
// lane computes a different row, so every instruction-set level performs the same additions.
// Sums4 is exact.
//
// The contract:
//
//   - Shapes: Rows come in blocks of Block rows. A block has m groups, one for each j. A group of
//     8-bit codes has one byte for each row, in row order. A group of 4-bit codes has Block/2 bytes:
//     byte r has the code of row r in its low half and the code of row r + Block/2 in its high
//     half. table has m·256 or m·16 entries. Sums4 requires an even m of at most Most4, which
//     prevents overflow.
//   - Aliasing: dst must not overlap codes or table.
//   - Accuracy: Sums8: γ_m Σ_j |table_j[c_ij]|. Sums4: exact.
//   - Special values: NaN and infinities propagate through Sums8 as in ordinary arithmetic. Only the
//     table can contain a NaN or an infinity.
//   - Cost: Sums8: a load of a code, a load of an entry and an addition for each code. Sums4: about
//     ten instructions for 64 codes (AVX2).
package codes
