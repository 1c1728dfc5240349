/* This file calls NumKong's functions of two vectors. It is separate from peer.c because it must be compiled
 * without -ffast-math, which breaks NumKong's sums in higher precision.
 */
#include "numkong/numkong.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

void numkong_rows(float *out, const float *x, const float *query, long n, long d)
{
	for (long i = 0; i < n; i++) {
		nk_f64_t r;
		nk_sqeuclidean_f32(query, x + i * d, d, &r);
		out[i] = r;
	}
}

/* numkong_pair computes a function of two vectors of n numbers of size bytes: the dot product for of = d, the squared
 * distance for s, the cosine for c, and the Hamming distance of bytes for h.
 */
double numkong_pair(char of, int size, const void *x, const void *y, long n)
{
	nk_f64_t r = 0;
	nk_i32_t i = 0;
	nk_u32_t u = 0;
	switch (of) {
	case 'd':
		if (size == 1)
			return nk_dot_i8(x, y, n, &i), i;
		return (size == 8 ? nk_dot_f64(x, y, n, &r) : nk_dot_f32(x, y, n, &r)), r;
	case 's':
		if (size == 1)
			return nk_sqeuclidean_i8(x, y, n, &u), u;
		return (size == 8 ? nk_sqeuclidean_f64(x, y, n, &r) : nk_sqeuclidean_f32(x, y, n, &r)), r;
	case 'c':
		return (size == 8 ? nk_angular_f64(x, y, n, &r) : nk_angular_f32(x, y, n, &r)), 1 - r;
	}
	return nk_hamming_u1(x, y, 8 * n, &u), u;
}

/* numkong_narrow converts n numbers to bfloat16, or to float16. */
void numkong_narrow(int bfloat, void *to, const float *from, long n)
{
	nk_cast(from, nk_f32_k, n, to, bfloat ? nk_bf16_k : nk_f16_k);
}

const char *numkong_version(void)
{
	return TEXT(NK_VERSION_MAJOR) "." TEXT(NK_VERSION_MINOR) "." TEXT(NK_VERSION_PATCH);
}
