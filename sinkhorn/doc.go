// Package sinkhorn solves entropy-regularised optimal transport by Sinkhorn's
// iterations, in float64 and float32, and differentiates through them.
//
// For a cost matrix M (n × m), marginals a and b and λ > 0, let K = exp(−λM). From
// u⁰ = 1, iteration k sets
//
//	v^k = b ⊘ Kᵀu^(k−1),    u^k = a ⊘ K v^k,
//
// and the plan after L iterations is T = diag(u^L) K diag(v^L), with T1 = a. λ
// multiplies the cost; the reg or ε of other libraries is 1/λ (M. Cuturi,
// "Sinkhorn distances: lightspeed computation of optimal transport", 2013).
//
// Nothing is added to a denominator. When a scaling is about to leave the range in
// which this is accurate, the same iterations are made on logarithms instead.
//
// The answers are the same bits on every machine.
package sinkhorn
