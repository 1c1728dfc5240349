// The kernel of gibbs, for the type that the including file defines.

	MOVQ      m+0(FP), rows
	MOVQ      $8, m+0(FP)
	MOVQ      k+24(FP), ktile
	MOVQ      x+56(FP), xtile
	MOVQ      ldx+64(FP), lx
	MOVQ      ldz+80(FP), lz
	SHLQ      $logsize, lx
	SHLQ      $logsize, lz
	LEAQ      (lx)(lx*2), lx3
	bcast     exp2c+EXP2_MAGIC(SB), magic
	VMOVDQU64 exp2c+EXP2_TABLE(SB), table

rowloop:
	SUBQ $8, rows
	JLT  rowtail
	MOVQ n+8(FP), cols

colloop:
	// sums = 0
	colmask
	colmask3
	rows3(zero3)
	MOVQ  zt+72(FP), zp
	column(zp, zp)
	MOVQ  xtile, xp
	LEAQ  (xtile)(lx*4), xq
	MOVQ  d+16(FP), p // d is not 0, see Gibbs
	CMPQ  cols, $(2*lanes)
	JGT   kloop3
	CMPQ  cols, $lanes
	JGT   kloop2

kloop1:
	// sums += (z − x)², 8 × 1 vector
	move.Z (zp), K1, z0
	term1((xp), Z0)
	term1((xp)(lx*1), Z3)
	term1((xp)(lx*2), Z6)
	term1((xp)(lx3*1), Z9)
	term1((xq), Z12)
	term1((xq)(lx*1), Z15)
	term1((xq)(lx*2), Z18)
	term1((xq)(lx3*1), Z21)
	step
	JNE    kloop1
	JMP    distances

kloop2:
	// sums += (z − x)², 8 × 2 vectors
	move   (zp), z0
	move.Z 64(zp), K2, z1
	term2((xp), Z0, Z1)
	term2((xp)(lx*1), Z3, Z4)
	term2((xp)(lx*2), Z6, Z7)
	term2((xp)(lx3*1), Z9, Z10)
	term2((xq), Z12, Z13)
	term2((xq)(lx*1), Z15, Z16)
	term2((xq)(lx*2), Z18, Z19)
	term2((xq)(lx3*1), Z21, Z22)
	step
	JNE    kloop2
	JMP    distances

kloop3:
	// sums += (z − x)², 8 × 3 vectors
	move   (zp), z0
	move   64(zp), z1
	move.Z 128(zp), K3, z2
	term3((xp), Z0, Z1, Z2)
	term3((xp)(lx*1), Z3, Z4, Z5)
	term3((xp)(lx*2), Z6, Z7, Z8)
	term3((xp)(lx3*1), Z9, Z10, Z11)
	term3((xq), Z12, Z13, Z14)
	term3((xq)(lx*1), Z15, Z16, Z17)
	term3((xq)(lx*2), Z18, Z19, Z20)
	term3((xq)(lx3*1), Z21, Z22, Z23)
	step
	JNE    kloop3

distances:
	MOVQ  dist+40(FP), p
	TESTQ p, p
	JEQ   powers
	column(p, p)
	offsets(second, third, zp)
	MOVQ  ldd+48(FP), tmp
	rows3(storeahead3)

powers:
	// y = c·D, k = 2^y
	bcast      c+88(FP), factor
	rows3(scale3)
	VPXORQ     X28, X28, X28
	compareone X28, X29
	JHI        positive
	CMPQ       cols, $lanes
	JLE        powers1
	CMPQ       cols, $(2*lanes)
	JLE        powers2

	EXP2_THREE(Z0, Z1, Z2)
	EXP2_THREE(Z3, Z4, Z5)
	EXP2_THREE(Z6, Z7, Z8)
	EXP2_THREE(Z9, Z10, Z11)
	EXP2_THREE(Z12, Z13, Z14)
	EXP2_THREE(Z15, Z16, Z17)
	EXP2_THREE(Z18, Z19, Z20)
	EXP2_THREE(Z21, Z22, Z23)

	JMP store

powers2:
	EXP2_THREE(Z0, Z1, Z3)
	EXP2_THREE(Z4, Z6, Z7)
	EXP2_THREE(Z9, Z10, Z12)
	EXP2_THREE(Z13, Z15, Z16)
	EXP2_THREE(Z18, Z19, Z21)
	EXP2_THREE(Z22, Z2, Z5)

	JMP store

powers1:
	EXP2_THREE(Z0, Z3, Z6)
	EXP2_THREE(Z9, Z12, Z15)
	EXP2_THREE(Z18, Z21, Z1)

store:
	colmask
	colmask3
	column(ktile, p)
	offsets(second, third, zp)
	MOVQ ldk+32(FP), tmp
	rows3(storeahead3)

next:
	SUBQ $(3*lanes), cols
	JGT  colloop

	// x += 8 ldx, k += 8 ldk, dist += 8 ldd
	LEAQ (xtile)(lx*8), xtile
	MOVQ ldk+32(FP), tmp
	SHLQ $(3+logsize), tmp
	ADDQ tmp, ktile
	CMPQ dist+40(FP), $0
	JEQ  rowloop
	MOVQ ldd+48(FP), tmp
	SHLQ $(3+logsize), tmp
	ADDQ tmp, dist+40(FP)
	JMP  rowloop

rowtail:
	MOVQ $1, m+0(FP)
	ADDQ $8, rows
	JEQ  done

row1loop:
	MOVQ n+8(FP), cols

col1loop:
	// sums = 0, 1 × 3 vectors
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	MOVQ  zt+72(FP), zp
	column(zp, zp)
	offsets(tmp, third, p)
	MOVQ  xtile, xp
	MOVQ  d+16(FP), p

k1loop:
	// sums += (z − x)²
	move.Z (zp), K1, z0
	move.Z (zp)(tmp*1), K2, z1
	move.Z (zp)(third*1), K3, z2
	term3((xp), Z0, Z1, Z2)
	step1
	JNE    k1loop

	MOVQ  dist+40(FP), p
	TESTQ p, p
	JEQ   powers3
	column(p, p)
	offsets(second, third, zp)
	store3(Z0, Z1, Z2)

powers3:
	// y = c·D, k = 2^y
	bcast      c+88(FP), factor
	scale3(Z0, Z1, Z2)
	VPXORQ     X28, X28, X28
	compareone X28, X29
	JHI        positive1

	EXP2_THREE(Z0, Z1, Z2)

	colmask
	colmask3
	column(ktile, p)
	offsets(second, third, zp)
	store3(Z0, Z1, Z2)

next1:
	SUBQ $(3*lanes), cols
	JGT  col1loop

	// x += ldx, k += ldk, dist += ldd
	ADDQ lx, xtile
	MOVQ ldk+32(FP), tmp
	LEAQ (ktile)(tmp*size), ktile
	CMPQ dist+40(FP), $0
	JEQ  row1next
	MOVQ ldd+48(FP), tmp
	SHLQ $logsize, tmp
	ADDQ tmp, dist+40(FP)

row1next:
	DECQ rows
	JNE  row1loop

done:
	VZEROUPPER
	RET

positive:
	// c > 0: store y in k, then compute 2^y in place, one vector at a time
	column(ktile, p)
	offsets(second, third, zp)
	MOVQ ldk+32(FP), tmp
	rows3(store3)
	JMP  powertile

positive1:
	column(ktile, p)
	offsets(second, third, zp)
	store3(Z0, Z1, Z2)

powertile:
	column(ktile, xq)
	MOVQ m+0(FP), xp

powerrow:
	colmask
	MOVQ xq, zp

powerloop:
	KMOVW  p, K1
	move.Z (zp), K1, Z0

	EXP2_ONE(Z0)

	move Z0, K1, (zp)
	ADDQ $64, zp
	SHRQ $lanes, p
	JNE  powerloop

	MOVQ ldk+32(FP), tmp
	LEAQ (xq)(tmp*size), xq
	DECQ xp
	JNE  powerrow
	CMPQ m+0(FP), $1
	JEQ  next1
	JMP  next
