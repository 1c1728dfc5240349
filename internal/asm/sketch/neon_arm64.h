// Macros for vector instructions that the assembler of Go 1.26 lacks, one WORD directive each. The name of a macro is the
// GNU mnemonic. The arguments are register numbers in GNU order, destination first. A name without an arrangement takes the
// arrangement .2d if DOUBLE is 1, and .4s if DOUBLE is 0. neon_test.go in the parent folder checks every instruction.

#define FADD(d, n, m) WORD $(0x4e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FSUB(d, n, m) WORD $(0x4ea0d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMUL(d, n, m) WORD $(0x6e20dc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA(d, n, m) WORD $(0x4e20cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLS(d, n, m) WORD $(0x4ea0cc00|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FMLA_E(d, n, m, i) WORD $(0x4f801000|DOUBLE<<22|(((i)<<DOUBLE)&1)<<21|(((i)<<DOUBLE)>>1)<<11|(m)<<16|(n)<<5|(d))
#define FCMGT(d, n, m) WORD $(0x6ea0e400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define FADDP(d, n, m) WORD $(0x6e20d400|DOUBLE<<22|(m)<<16|(n)<<5|(d))
#define BIC_16B(d, n, m) WORD $(0x4e601c00|(m)<<16|(n)<<5|(d))
#define SCVTF_4S(d, n) WORD $(0x4e21d800|(n)<<5|(d))
#define FCVTL_2D(d, n) WORD $(0x0e617800|(n)<<5|(d))
#define FCVTL2_2D(d, n) WORD $(0x4e617800|(n)<<5|(d))
#define SDOT_4S_E(d, n, m, i) WORD $(0x4f80e000|((i)&1)<<21|((i)>>1)<<11|(m)<<16|(n)<<5|(d))
#define SMULL_8H(d, n, m) WORD $(0x0e20c000|(m)<<16|(n)<<5|(d))
#define SMULL2_8H(d, n, m) WORD $(0x4e20c000|(m)<<16|(n)<<5|(d))
#define SADALP_4S(d, n) WORD $(0x4e606800|(n)<<5|(d))
