// This code ends least and relax. It stores the lanes and the lowest index of the minimum.
	VMOVUPD Z2, 0(xp)
	VMOVUPD Z3, 64(xp)

	// Z4, Z5 = indices: 16·block + lane
	MOVQ $0x4030000000000000, AX // 16
	VMOVQ AX, X0
	VBROADCASTSD X0, Z0
	VFMADD213PD lane<>+0(SB), Z0, Z4
	VFMADD213PD lane<>+64(SB), Z0, Z5

	// Z0 = the least
	VMINPD Z2, Z3, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VMINPD Y0, Y1, Y0
	halve(X0, Y0, X1)
	VBROADCASTSD X0, Z0

	// the lowest index of the lanes that are equal to the least
	MOVQ $0x7ff0000000000000, AX // +Inf
	VMOVQ AX, X1
	VBROADCASTSD X1, Z1
	VCMPPD $0x11, Z2, Z0, K1
	VMOVAPD Z1, K1, Z4
	VCMPPD $0x11, Z3, Z0, K1
	VMOVAPD Z1, K1, Z5
	VMINPD Z4, Z5, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VMINPD Y0, Y1, Y0
	halve(X0, Y0, X1)
	VMOVSD X0, 128(xp)
