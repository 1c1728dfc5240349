// This code ends least and relax. It stores the lanes and the lowest index of the minimum.
	FSTPQ (F16, F17), 0(xp)
	FSTPQ (F18, F19), 32(xp)
	FSTPQ (F20, F21), 64(xp)
	FSTPQ (F22, F23), 96(xp)

	// V0 = the least
	VMOV V16.B16, V0.B16
	VMOV V17.B16, V1.B16
	VMOV V18.B16, V2.B16
	VMOV V19.B16, V3.B16
	OF4(FCMGT, 4, 16, 20)
	OF4(BIT_16B, 0, 20, 4)
	least(0, 2)
	least(1, 3)
	least(0, 1)
	VDUP V0.D[1], V1.D2
	least(0, 1)
	VDUP V0.D[0], V0.D2

	// V12–V15, V24–V27 = indices: 16·block + lane
	MOVD $0x4030000000000000, bits // 16
	VDUP bits, V10.D2
	MOVD $lane<>(SB), bits
	FLDPQ 0(bits), (F12, F13)
	FLDPQ 32(bits), (F14, F15)
	VFMLA V24.D2, V10.D2, V12.D2
	VFMLA V25.D2, V10.D2, V13.D2
	VFMLA V26.D2, V10.D2, V14.D2
	VFMLA V27.D2, V10.D2, V15.D2
	FLDPQ 64(bits), (F24, F25)
	FLDPQ 96(bits), (F26, F27)
	VFMLA V28.D2, V10.D2, V24.D2
	VFMLA V29.D2, V10.D2, V25.D2
	VFMLA V30.D2, V10.D2, V26.D2
	VFMLA V31.D2, V10.D2, V27.D2

	// the lowest index of the lanes that are equal to the least
	MOVD $0x7ff0000000000000, bits // +Inf
	VDUP bits, V11.D2
	drop(12, 16)
	drop(13, 17)
	drop(14, 18)
	drop(15, 19)
	drop(24, 20)
	drop(25, 21)
	drop(26, 22)
	drop(27, 23)
	least(12, 24)
	least(13, 25)
	least(14, 26)
	least(15, 27)
	least(12, 14)
	least(13, 15)
	least(12, 13)
	VDUP V12.D[1], V13.D2
	least(12, 13)
	FMOVD F12, 128(xp)
