// Vector instructions between float32 and float64, as in neon_arm64.h: words named
// after the GNU mnemonic and the arrangement of the destination. Copies of this file
// in other folders are identical.

#define FCVTL_2D(d, n) WORD $(0x0e617800|(n)<<5|(d))
#define FCVTL2_2D(d, n) WORD $(0x4e617800|(n)<<5|(d))
#define FCVTN_2S(d, n) WORD $(0x0e616800|(n)<<5|(d))
#define FCVTN2_4S(d, n) WORD $(0x4e616800|(n)<<5|(d))
#define FACGT_2D(d, n, m) WORD $(0x6ee0ec00|(m)<<16|(n)<<5|(d))
