// Package adjoint is the reverse sweep through the Sinkhorn iterations, each step
// in one pass over the kernel matrix like the forward step of package scale.
//
// Begin, from the transport cost W = ⟨diag(u) K diag(v), M⟩ back to u and v:
//
//	for i = 0 … m−1:   r[i] = Σ_j (K_ij M_ij) v[j]                 row sum in the lanes of the contract
//	                   s[i] = w[i] r[i]
//	                   q[j] = q[j] + K_ij (u[i] M_ij + s[i])       two FMAs, i ascending
//
// Sweep, from one iteration to the one before:
//
//	for i = 0 … m−1:   s[i] = w[i] Σ_j K_ij t[j]
//	                   q[j] = q[j] + s[i] K_ij                     one FMA, i ascending
//
// With w = −u² ⊘ a (u of that iteration), s is the adjoint of K v on the way to u
// and q the adjoint of v; t = −q ⊙ v² ⊘ b leads on to the iteration before
// (package sinkhorn calls them s^k and t^k). W = Σ_i u[i] r[i].
//
// SweepMixed is Sweep with K in float32 and the vectors in float64: the bits of Sweep
// with K widened. Begin, which is called once, is given widened rows instead.
//
// Shapes          K, M: m × n, row-major, strides ldk and ldm; v, t, q: n; u, w, r, s: m.
// Aliasing        r, s and q overlap no input and not each other.
// Accuracy        with k = ⌈n/w⌉ + log₂w and γ_k = ku/(1 − ku): r is within γ_(k+1) Σ|terms|, s within γ_(k+2) in Begin and γ_(k+1) in Sweep; q, given s, within γ_(m+1) in Begin and γ_m in Sweep.
// Special values  follow the arithmetic.
// Cost            Begin: 3·m·n FMAs, 2·m·n elements read once. Sweep: 2·m·n FMAs, m·n elements.
//
// Sweep takes the rows as package scale does, which says what was tried.
package adjoint
