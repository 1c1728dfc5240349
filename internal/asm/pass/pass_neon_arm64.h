// One pass over a matrix, four rows at a time and then one at a time: the text of every
// kernel of this folder that reads K, for both types and for a float32 K with float64
// vectors.
//
//	s_i = Σ_j K_ij v_j           not where COLUMNS is defined: u_i is loaded
//	u_i = UPDATE4, UPDATE1       the including file's, of four rows and one
//	q_j += u_i K_ij              not where ROWS is defined: s_i is stored
//
// How K is loaded, the including file says:
//
//	KSTART4, KSTART1, KMOVE4, KNEXT4, KNEXT1    its pointers
//	LDK_A, LDK_B, LDK1, LDKPART                 K for the sums: four registers in V20–V23 or
//	                                            V24–V27, one, part of one
//	LDT_A, LDT_B, LDT1, LDTPART                 and for q, to which
//	AXPY_A, AXPY_B, AXPY1                       add it
//
// mat0–mat3 and what follows them are for a kernel that reads a second matrix.
//
// Sums: V0–V3, V4–V7, V8–V11, V12–V15 are the virtual lanes of a row. s and u are in the
// lanes of V28 (float32) or of V28 and V29 (float64).

	SUBS $4, rows
	BLT  rowtail

rowloop:
#ifdef COLUMNS
	LDROWS(ap, F28, F29)
	ADD $(4*ESIZE), ap
#else
#include "dot4_neon_arm64.h"
#ifdef ROWS
	STROWS_P(F28, F29, up)
#else
	UPDATE4
#endif
#endif
#ifndef ROWS
#include "axpy4_neon_arm64.h"
#endif
	KNEXT4
	SUBS $4, rows
	BGE  rowloop

rowtail:
	ADDS $4, rows
	BEQ  done

row1loop:
#ifdef COLUMNS
	LDE_P(ap, F28)
#else
#include "dot1_neon_arm64.h"
#ifdef ROWS
	STE_P(F28, up)
#else
	UPDATE1
#endif
#endif
#ifndef ROWS
#include "axpy1_neon_arm64.h"
#endif
	KNEXT1
	SUBS $1, rows
	BNE  row1loop

done:
	RET
