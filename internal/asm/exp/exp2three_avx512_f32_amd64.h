// Three vectors of 2^y, in place, by the core in exp2_avx512_amd64.h.
//
// In:       y0 y1 y2, all below the upper limit or NaN, defined before this text and
//           undefined by it; magic table.
// Changes:  Z24–Z29 K1–K3.

EXP2_UNDER_F32(y0, K1)
EXP2_UNDER_F32(y1, K2)
EXP2_UNDER_F32(y2, K3)

// f = y − k, t = magic + k
EXP2_SPLIT_F32(y0, Z24, Z27)
EXP2_SPLIT_F32(y1, Z25, Z28)
EXP2_SPLIT_F32(y2, Z26, Z29)

// S = 2^k·E
EXP2_TABLE_F32(Z24, y0)
EXP2_TABLE_F32(Z25, y1)
EXP2_TABLE_F32(Z26, y2)

// q = 2^f/E − 1
EXP2_FIRST_F32(y0)
EXP2_FIRST_F32(y1)
EXP2_FIRST_F32(y2)
EXP2_STEP3_F32(EXP2_F32_C3, y0, Z27, y1, Z28, y2, Z29)
EXP2_STEP3_F32(EXP2_F32_C2, y0, Z27, y1, Z28, y2, Z29)
EXP2_STEP3_F32(EXP2_F32_C1, y0, Z27, y1, Z28, y2, Z29)
EXP2_STEP3_F32(EXP2_F32_C0, y0, Z27, y1, Z28, y2, Z29)

// q·S + S
EXP2_LAST_F32(y0, Z24, K1)
EXP2_LAST_F32(y1, Z25, K2)
EXP2_LAST_F32(y2, Z26, K3)

#undef y0
#undef y1
#undef y2
