// The text of a kernel for rows that come from memory: one row after the other, and four of them for
// a fold. The including file defines QUERY, its name, and TERM, what is added to the lanes.

// BEGIN begins with a row.
#define BEGIN \
	MOVQ q0, qp;       \
	MOVQ groups, left

// ROW sums a row in a and b.
#define ROW(rowloop, a, b) \
	BEGIN;                                     \
rowloop:                                       \
	VMOVUPS    (qp), Y8;                       \
	VMOVUPS    32(qp), Y9;                     \
	TERM((xp), 32(xp), a, b, Y12)              \
	PREFETCHT0 512(xp);                        \
	ADDQ       $64, xp;                        \
	ADDQ       $64, qp;                        \
	DECQ       left;                           \
	JNE        rowloop

// func query(n, d int, dst, q, x *float32)
TEXT QUERY(SB), NOSPLIT, $0-args
	MOVQ n+0(FP), rows
	MOVQ d+8(FP), groups
	MOVQ dst+16(FP), dp
	MOVQ q+24(FP), q0
	MOVQ x+32(FP), xp
	SHRQ $4, groups

fourloop:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	ROW(row0, Y0, Y1)
	ROW(row1, Y2, Y3)
	ROW(row2, Y4, Y5)
	ROW(row3, Y6, Y7)
	HALVES
	QUARTERS
	SUMS
	VMOVUPS X0, (dp)
	ADDQ    $16, dp
	SUBQ    $4, rows
	JNE     fourloop

	VZEROUPPER
	RET
#undef BEGIN
#undef ROW
