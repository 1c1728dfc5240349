// This code ends least and relax. It stores the lanes and the lowest index of the minimum.
	VMOVUPD Y2, 0(xp)
	VMOVUPD Y3, 32(xp)
	VMOVUPD Y4, 64(xp)
	VMOVUPD Y5, 96(xp)

	// Y6–Y9 = indices: 16·block + lane
	MOVQ $0x4030000000000000, AX // 16
	VMOVQ AX, X0
	VBROADCASTSD X0, Y0
	VFMADD213PD lane<>+0(SB), Y0, Y6
	VFMADD213PD lane<>+32(SB), Y0, Y7
	VFMADD213PD lane<>+64(SB), Y0, Y8
	VFMADD213PD lane<>+96(SB), Y0, Y9

	// Y0 = the least
	VMINPD Y2, Y4, Y0
	VMINPD Y3, Y5, Y1
	VMINPD Y0, Y1, Y0
	halve(X0, Y0, X1)
	VBROADCASTSD X0, Y0

	// the lowest index of the lanes that are equal to the least
	MOVQ $0x7ff0000000000000, AX // +Inf
	VMOVQ AX, X1
	VBROADCASTSD X1, Y1
	drop(Y2, Y6)
	drop(Y3, Y7)
	drop(Y4, Y8)
	drop(Y5, Y9)
	VMINPD Y6, Y8, Y0
	VMINPD Y7, Y9, Y1
	VMINPD Y0, Y1, Y0
	halve(X0, Y0, X1)
	VMOVSD X0, 128(xp)
