// Package query compares one vector q with many rows x_i. It is for rows that are stored once and
// searched often.
//
//	SqEuclidean   dst_i = Σ_k (q_k − x_ik)²
//	Dot           dst_i = Σ_k q_k·x_ik
//
// One FMA adds the term of element k to lane k mod 16, in ascending order. num.Fold adds the lanes in
// halves. So a result depends only on q and one row.
//
// Rows have float32 elements, or elements of fewer bits. An element may be a bfloat16 or float16, or an
// integer c from −127 to 127 that stands for s·c, where s is the scale of the row. Functions with Half or
// Int8 in their names convert these elements to float32, which is exact for bfloat16 and float16. For
// integers, SqEuclideanInt8 rounds the difference q_k − s·c once, and DotInt8 rounds the factor s·c once.
// A scale from compact.QuantizeInt8 has at most 17 significant bits, so s·c is exact. The result is then
// the same as for a float32 row with the elements s·c.
//
// Functions with Far in their names are for rows that are not in a cache.
//
// Functions with Many in their names compare m vectors with all rows, where m is a multiple of Queries. The
// results are bit-identical to the results for one vector. These functions load the elements of a row once
// for three vectors.
//
// The contract:
//
//   - Shapes: q: d elements, a multiple of Unit; x: n rows of d elements, without gaps; dst: n
//     elements, a multiple of Rows. Callers pad shorter rows with zeros. Many: q has m·d elements; dst
//     is m × n with a stride.
//   - Aliasing: dst overlaps neither q nor x.
//   - Accuracy: SqEuclidean: relative error (⌈d/16⌉ + 6)·2⁻²⁴ to first order. Dot: (⌈d/16⌉ +
//     4)·2⁻²⁴·Σ|q_k·x_ik|.
//   - Special values: propagate as in ordinary arithmetic. A squared distance of finite vectors is
//     never NaN. It is 0 if q equals the row.
//   - Cost: one load and one FMA for each element, and one subtraction in SqEuclidean. A conversion to
//     float32 takes one to three operations.
package query
