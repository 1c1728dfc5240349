// The kernel of sqEuclidean, for the type that the including file defines.

	MOVQ m+0(FP), rows
	MOVQ dst+24(FP), dtile
	MOVQ x+40(FP), xtile
	MOVQ ldx+48(FP), lx
	MOVQ ldz+64(FP), lz
	SHLQ $logsize, lx
	SHLQ $logsize, lz
	LEAQ (lx)(lx*2), lx3

rowloop:
	SUBQ $8, rows
	JLT  rowtail
	MOVQ n+8(FP), cols

colloop:
	colmask
	colmask3
	CMPB more+72(FP), $0
	JNE  load

	// sums = 0
	rows3(zero3)
	JMP begin

load:
	// sums = dst
	column(dtile, p)
	offsets(second, third, zp)
	MOVQ ldd+32(FP), tmp
	rows3(load3)

begin:
	MOVQ zt+56(FP), zp
	column(zp, zp)
	MOVQ xtile, xp
	LEAQ (xtile)(lx*4), xq
	MOVQ d+16(FP), p
	CMPQ cols, $(2*lanes)
	JGT  fetch3
	CMPQ cols, $lanes
	JGT  kloop2

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
	JMP    store

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
	JMP    store

fetch3:
	// prefetch one cache line of each of the next eight rows of x
	LEAQ       (xp)(lx*8), tmp
	PREFETCHT1 (tmp)
	PREFETCHT1 (tmp)(lx*1)
	PREFETCHT1 (tmp)(lx*2)
	PREFETCHT1 (tmp)(lx3*1)
	LEAQ       (xq)(lx*8), tmp
	PREFETCHT1 (tmp)
	PREFETCHT1 (tmp)(lx*1)
	PREFETCHT1 (tmp)(lx*2)
	PREFETCHT1 (tmp)(lx3*1)

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
	TESTQ  $(lanes-1), p
	JNE    kloop3
	TESTQ  p, p
	JNE    fetch3

store:
	// dst = sums
	column(dtile, p)
	offsets(second, third, zp)
	MOVQ ldd+32(FP), tmp
	rows3(storeahead3)
	SUBQ $(3*lanes), cols
	JGT  colloop

	// x += 8 ldx, dst += 8 ldd
	LEAQ (xtile)(lx*8), xtile
	MOVQ ldd+32(FP), tmp
	SHLQ $(3+logsize), tmp
	ADDQ tmp, dtile
	JMP  rowloop

rowtail:
	ADDQ $8, rows
	JEQ  done

row1loop:
	MOVQ n+8(FP), cols

col1loop:
	// sums = 0 or dst, 1 × 3 vectors
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	CMPB more+72(FP), $0
	JEQ  begin1
	column(dtile, p)
	offsets(second, third, zp)
	load3(Z0, Z1, Z2)

begin1:
	MOVQ zt+56(FP), zp
	column(zp, zp)
	offsets(tmp, third, p)
	MOVQ xtile, xp
	MOVQ d+16(FP), p

k1loop:
	// sums += (z − x)²
	move.Z (zp), K1, z0
	move.Z (zp)(tmp*1), K2, z1
	move.Z (zp)(third*1), K3, z2
	term3((xp), Z0, Z1, Z2)
	step1
	JNE    k1loop
	column(dtile, p)
	offsets(second, third, zp)
	store3(Z0, Z1, Z2)
	SUBQ   $(3*lanes), cols
	JGT    col1loop

	// x += ldx, dst += ldd
	ADDQ lx, xtile
	MOVQ ldd+32(FP), tmp
	LEAQ (dtile)(tmp*size), dtile
	DECQ rows
	JNE  row1loop

done:
	VZEROUPPER
	RET
