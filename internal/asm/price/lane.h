// lane: the indices of the lanes as float64.

DATA lane<>+0(SB)/8, $0.0
DATA lane<>+8(SB)/8, $1.0
DATA lane<>+16(SB)/8, $2.0
DATA lane<>+24(SB)/8, $3.0
DATA lane<>+32(SB)/8, $4.0
DATA lane<>+40(SB)/8, $5.0
DATA lane<>+48(SB)/8, $6.0
DATA lane<>+56(SB)/8, $7.0
DATA lane<>+64(SB)/8, $8.0
DATA lane<>+72(SB)/8, $9.0
DATA lane<>+80(SB)/8, $10.0
DATA lane<>+88(SB)/8, $11.0
DATA lane<>+96(SB)/8, $12.0
DATA lane<>+104(SB)/8, $13.0
DATA lane<>+112(SB)/8, $14.0
DATA lane<>+120(SB)/8, $15.0
GLOBL lane<>(SB), RODATA|NOPTR, $128
