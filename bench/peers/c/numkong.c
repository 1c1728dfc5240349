/* NumKong's squared distance, called from C for one row after the other. A file of its own: it
 * is compiled without -ffast-math, which its sums in higher precision would not survive.
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

const char *numkong_version(void)
{
	return TEXT(NK_VERSION_MAJOR) "." TEXT(NK_VERSION_MINOR) "." TEXT(NK_VERSION_PATCH);
}
