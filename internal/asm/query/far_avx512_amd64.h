// The text of a kernel for rows that come from memory: one row after the other, and eight of them for
// a fold. The including file defines QUERY, its name, and TERM, what is added to the lanes.

// ROW sums a row in lanes.
#define ROW(rowloop, lanes) \
	MOVQ       q0, qp;           \
	MOVQ       groups, left;     \
rowloop:                         \
	VMOVUPS    (qp), Z8;         \
	TERM((xp), lanes, Z16)       \
	PREFETCHT2 4096(xp);         \
	ADDQ       $64, xp;          \
	ADDQ       $64, qp;          \
	DECQ       left;             \
	JNE        rowloop

// func query(n, d int, dst, q, x *float32)
TEXT QUERY(SB), NOSPLIT, $0-args
	MOVQ n+0(FP), rows
	MOVQ d+8(FP), groups
	MOVQ dst+16(FP), dp
	MOVQ q+24(FP), q0
	MOVQ x+32(FP), xp
	SHRQ $4, groups

eightloop:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	ROW(row0, Z0)
	ROW(row1, Z1)
	ROW(row2, Z2)
	ROW(row3, Z3)
	ROW(row4, Z4)
	ROW(row5, Z5)
	ROW(row6, Z6)
	ROW(row7, Z7)
	HALVES
	SUMS
	VMOVUPS X0, (dp)
	VMOVUPS X4, 16(dp)
	ADDQ    $32, dp
	SUBQ    $8, rows
	JNE     eightloop

	VZEROUPPER
	RET
#undef ROW
