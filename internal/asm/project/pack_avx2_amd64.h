// The body of pack_avx2_amd64.s, for the type that this file defines.

	MOVQ d+0(FP), left
	MOVQ to+8(FP), target
	MOVQ step+16(FP), stride
	SHLQ $logsize, stride
	LEAQ (stride)(stride*2), three
	MOVQ x+24(FP), p0
	MOVQ ldx+32(FP), ahead
	SHLQ $logsize, ahead
	LEAQ (p0)(ahead*1), p1
	LEAQ (p1)(ahead*1), p2
	LEAQ (p2)(ahead*1), p3
	SHLQ $2, ahead
	SUBQ $4, left
	JLT  few

kloop:
	move (p0), r0
	move (p1), r1
	move (p2), r2
	move (p3), r3
	PREFETCHT0 (p0)(ahead*1)
	PREFETCHT0 (p1)(ahead*1)
	PREFETCHT0 (p2)(ahead*1)
	PREFETCHT0 (p3)(ahead*1)
	transpose
	mul  factors, r0, r0
	mul  factors, r1, r1
	mul  factors, r2, r2
	mul  factors, r3, r3
	move r0, (target)
	move r1, (target)(stride*1)
	move r2, (target)(stride*2)
	move r3, (target)(three*1)
	LEAQ (target)(stride*4), target
	ADDQ $(4*size), p0
	ADDQ $(4*size), p1
	ADDQ $(4*size), p2
	ADDQ $(4*size), p3
	SUBQ $4, left
	JGE  kloop

few:
	ADDQ $4, left
	JEQ  done

ktail:
	one(p0, 0)
	one(p1, 1)
	one(p2, 2)
	one(p3, 3)
	ADDQ stride, target
	ADDQ $size, p0
	ADDQ $size, p1
	ADDQ $size, p2
	ADDQ $size, p3
	DECQ left
	JNE  ktail

done:
	VZEROUPPER
	RET
