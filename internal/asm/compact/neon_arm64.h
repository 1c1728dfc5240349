// Vector instructions that the assembler of Go 1.26 lacks, as macros with one WORD directive. The name of a macro is
// the GNU mnemonic and the arrangement of the result. Its arguments are register numbers in GNU order, destination
// first. neon_test.go in the parent folder checks every instruction, and that macros with the same name are the same
// in every folder.

#define SMULL_8H(d, n, m) WORD $(0x0e20c000|(m)<<16|(n)<<5|(d))
#define SMULL2_8H(d, n, m) WORD $(0x4e20c000|(m)<<16|(n)<<5|(d))
#define SSUBL_8H(d, n, m) WORD $(0x0e202000|(m)<<16|(n)<<5|(d))
#define SSUBL2_8H(d, n, m) WORD $(0x4e202000|(m)<<16|(n)<<5|(d))
#define SMLAL_4S(d, n, m) WORD $(0x0e608000|(m)<<16|(n)<<5|(d))
#define SMLAL2_4S(d, n, m) WORD $(0x4e608000|(m)<<16|(n)<<5|(d))
#define SADALP_4S(d, n) WORD $(0x4e606800|(n)<<5|(d))
#define SADDLV_D(d, n) WORD $(0x4eb03800|(n)<<5|(d))
#define UADALP_8H(d, n) WORD $(0x6e206800|(n)<<5|(d))
#define UADDLP_4S(d, n) WORD $(0x6e602800|(n)<<5|(d))
#define SABD_16B(d, n, m) WORD $(0x4e207400|(m)<<16|(n)<<5|(d))
#define SDOT_4S(d, n, m) WORD $(0x4e809400|(m)<<16|(n)<<5|(d))
#define UDOT_4S(d, n, m) WORD $(0x6e809400|(m)<<16|(n)<<5|(d))
#define FCVTL_4S(d, n) WORD $(0x0e217800|(n)<<5|(d))
#define FCVTL2_4S(d, n) WORD $(0x4e217800|(n)<<5|(d))
#define FCVTL_2D(d, n) WORD $(0x0e617800|(n)<<5|(d))
#define FCVTL2_2D(d, n) WORD $(0x4e617800|(n)<<5|(d))
#define FCVTN_4H(d, n) WORD $(0x0e216800|(n)<<5|(d))
#define FCVTN2_8H(d, n) WORD $(0x4e216800|(n)<<5|(d))
#define FMLA_2D(d, n, m) WORD $(0x4e60cc00|(m)<<16|(n)<<5|(d))
#define FADD_2D(d, n, m) WORD $(0x4e60d400|(m)<<16|(n)<<5|(d))
#define FCMGT_4S(d, n, m) WORD $(0x6ea0e400|(m)<<16|(n)<<5|(d))
#define FCMEQ_4S(d, n, m) WORD $(0x4e20e400|(m)<<16|(n)<<5|(d))
