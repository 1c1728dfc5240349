// Package sketch finds the rows that may be among the nearest rows of a query. It reads a sketch of every row. A sketch has
// one byte for each element.
//
// The sketch of a row x is s·c with integers c from −63 to 63 and a scale s. The sketch of a query q is u·p with integers p
// from −127 to 127 and a scale u. Filter computes Σ c·p exactly. For row i of a group and query j, Filter computes a number t
// from this sum. It compares t with a threshold, and sets one bit of a mask:
//
//	t    = start_j + Σ_k (c_ik + 64)·p_jk     an integer, rounded to float32
//	t    = t·Scale_i
//	t    = FMA(Rest_i, Rest_j, t)
//	t    = FMA(Norm_i, Norm_j, t)
//	t    = FMA(Norm_i², Square_j, t)          the square is rounded
//	bit  = !(t < Threshold_j)                 NaN sets the bit
//
// If start_j = −64·Σ_k p_jk, the integer is Σ_k c_ik·p_jk. The caller chooses the coefficients so that t is an upper bound of
// an inner product, or of the negative of a distance. So a row whose bit is 0 cannot be among the nearest rows.
//
// Rows are stored in groups of Rows rows, and features in steps of Step features. Step l of a group is the 128 bytes at
// offset 128·l. Bytes 4i to 4i+3 of a step belong to row i. They are the integers c + 64 of features 4l to 4l+3. So a register
// holds one step of several rows, every lane sums one row, and the kernels fold no lanes. In the same way, step l of a block of
// Queries queries is 48 bytes, and bytes 4j to 4j+3 belong to query j. The bytes of a query of FilterOne are adjacent.
//
// QuantizeRow and QuantizeQuery compute these integers, and two sums in float64:
//
//	m    = max_k |x_k|
//	s    = m/127 or, for rows, m/63           rounded to float32
//	c_k  = x_k·r, with r = 127/m or 63/m      in float64, rounded to the nearest integer (ties to even): one FMA
//	e_k  = FMA(−s, c_k, x_k)                  in float64, exact
//	Σ_k x_k² and Σ_k e_k²
//
// One FMA adds the term of element k to lane k mod 8, in ascending order. num.Fold adds the lanes in halves. The integers of
// a row of zeros are zero.
//
// The contract:
//
//   - Shapes: codes: groups of Rows rows, d features, a multiple of Step and at most MaxFeatures;
//     masks: one for each group and query.
//   - Aliasing: masks and codes that a function sets overlap no argument.
//   - Accuracy: t differs from its formula by at most 5.01·2⁻²⁴·(|Scale·Σc·p| + |Rest_i·Rest_j| +
//     |Norm_i·Norm_j| + |Norm_i²·Square_j|) + 2⁻¹⁴⁷, unless it overflows. The sums of squares:
//     relative error (⌈d/8⌉ + 5)·2⁻⁵³.
//   - Special values: in Filter, they propagate as in ordinary arithmetic. Codes of rows are at most
//     127. Elements of quantized vectors are finite.
//   - Cost: one integer product of bytes for each feature of a row and query.
package sketch
