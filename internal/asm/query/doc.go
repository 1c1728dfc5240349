// Package query compares one vector q with many rows x_i, for searches among rows that are
// stored once and searched often.
//
//	SqEuclidean   dst_i = Σ_k (q_k − x_ik)²
//	Dot           dst_i = Σ_k q_k·x_ik
//
// Element k goes to lane k mod 16, in ascending order, by FMA(q_k − x_ik, q_k − x_ik, lane) or
// FMA(q_k, x_ik, lane). The lanes are folded in halves, by num.Fold. So a result depends on q and
// its row alone.
//
// Rows are float32, or stored in fewer bits: as bfloat16 or float16, or as integers c from −127 to
// 127 with a scale s for each row, for the numbers s·c. Functions named Half and Int8 widen these to
// float32, which is exact for halves, and then do the same. For integers the difference is
// FMA(−s, c, q_k), and a factor is s·c, rounded. Scales of compact.QuantizeInt8 have 17 bits at most, for
// which s·c is exact. So a stored row gives the result of the float32 row s·c.
//
// Functions named Far do the same for rows in memory.
//
// Functions named Many do the same for m vectors at once, a multiple of Queries, and give each pair the
// same bits. They load the elements of a row once for three vectors.
//
// The contract:
//
//   - Shapes: q: d elements, a multiple of Unit; x: n rows of d elements, without gaps; dst: n
//     elements, a multiple of Rows. Zeros fill up short rows. Many: q has m·d elements; dst is m ×
//     n with a stride.
//   - Aliasing: dst overlaps neither q nor x.
//   - Accuracy: SqEuclidean: relative error (⌈d/16⌉ + 6)·2⁻²⁴ to first order. Dot: (⌈d/16⌉ +
//     4)·2⁻²⁴·Σ|q_k·x_ik|.
//   - Special values: follow the arithmetic. A squared distance of finite vectors is never NaN. It
//     is 0 if q equals the row.
//   - Cost: one load of each element, one FMA, and one difference for SqEuclidean; one to three
//     operations to widen.
package query
