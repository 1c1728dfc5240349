// Package query compares one vector q with many rows x_i, for searches among rows that are
// stored once and asked often.
//
//	SqEuclidean   dst_i = Σ_k (q_k − x_ik)²
//	Dot           dst_i = Σ_k q_k·x_ik
//
// Element k goes to lane k mod 16, in ascending order, by FMA(q_k − x_ik, q_k − x_ik, lane) or
// FMA(q_k, x_ik, lane). The lanes are folded in halves, by num.Fold. So a result depends on q and
// its row alone.
//
// Shapes          q: d elements, a multiple of Unit; x: n rows of d elements, without gaps; dst: n elements, a multiple of Rows. Zeros fill up short rows.
// Aliasing        dst overlaps neither q nor x.
// Accuracy        SqEuclidean: relative error (⌈d/16⌉ + 6)·2⁻²⁴ to first order. Dot: (⌈d/16⌉ + 4)·2⁻²⁴·Σ|q_k·x_ik|.
// Special values  Follow the arithmetic. A squared distance of finite vectors is never NaN. It is 0 if q equals the row.
// Cost            One load of each element, one FMA, and one difference for SqEuclidean.
package query
