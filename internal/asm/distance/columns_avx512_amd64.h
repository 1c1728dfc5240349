// Macros for the masks and offsets of the columns of a tile, at most three vectors. cols is the number of columns left,
// lanes the number of lanes of a vector, and tmp the register CX.

// colmask sets bit j of AX for the columns j < min(cols, 3*lanes) of the tile, and
// colmask3 splits the bits into the masks of the three vectors.
#define colmask \
	MOVL    $(3*lanes), tmp; \
	CMPQ    tmp, cols;       \
	CMOVQGT cols, tmp;       \
	MOVL    $1, AX;          \
	SHLQ    CX, AX;          \
	DECQ    AX

#define colmask3 \
	KMOVW AX, K1;     \
	SHRQ  $lanes, AX; \
	KMOVW AX, K2;     \
	SHRQ  $lanes, AX; \
	KMOVW AX, K3

// offsets sets b and c to the offsets of the tile's second and third vectors. A vector without columns has the offset
// 0, because a load or store without elements is slow if the next page is absent. t is scratch.
#define offsets(b, c, t) \
	XORL    t, t;             \
	MOVL    $64, b;           \
	MOVL    $128, c;          \
	CMPQ    cols, $lanes;     \
	CMOVQLE t, b;             \
	CMPQ    cols, $(2*lanes); \
	CMOVQLE t, c
