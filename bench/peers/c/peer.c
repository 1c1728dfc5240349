/* This program offers the C peers glibc's libmvec, SLEEF and a BLAS by the line protocol of
 * bench/peers/README.md. It is built twice, with OpenBLAS and with BLIS. The macro BLAS is the
 * name of the library.
 */
#define _GNU_SOURCE
#include <cblas.h>
#include <float.h>
#include <gnu/libc-version.h>
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WITH_SLEEF
#include <sleef.h>
#endif

typedef struct job job;
struct job {
	long n, d, p;
	int iters;
	double lambda;
	long k;
	void *x, *y, *out, *u, *v, *w;
	void (*run)(job *), (*result)(job *);
	int size; /* of an element */
	char of;  /* parameter of numkong_pair, or the type of a conversion: f(loat16) or b(float16) */
	long outlen;
};

/* Each library has two functions, one for the widest vectors and one for the last vector, which
 * is padded with zeros. */
#ifdef __AVX512F__
#define WIDTH 64
typedef __m512d vd;
typedef __m512 vf;
vd _ZGVeN8v_exp(vd);
vf _ZGVeN16v_expf(vf);
vd _ZGVeN8v_log(vd);
vf _ZGVeN16v_logf(vf);
#define libmvec_log _ZGVeN8v_log
#define libmvec_logf _ZGVeN16v_logf
#define sleef_log Sleef_logd8_u10avx512f
#define sleef_logf Sleef_logf16_u10avx512f
#define libmvec_exp _ZGVeN8v_exp
#define libmvec_expf _ZGVeN16v_expf
#define sleef_exp Sleef_expd8_u10avx512f
#define sleef_expf Sleef_expf16_u10avx512f
#else
#define WIDTH 32
typedef __m256d vd;
typedef __m256 vf;
vd _ZGVdN4v_exp(vd);
vf _ZGVdN8v_expf(vf);
vd _ZGVdN4v_log(vd);
vf _ZGVdN8v_logf(vf);
#define libmvec_log _ZGVdN4v_log
#define libmvec_logf _ZGVdN8v_logf
#define sleef_log Sleef_logd4_u10avx2
#define sleef_logf Sleef_logf8_u10avx2
#define libmvec_exp _ZGVdN4v_exp
#define libmvec_expf _ZGVdN8v_expf
#define sleef_exp Sleef_expd4_u10avx2
#define sleef_expf Sleef_expf8_u10avx2
#endif

#define VECTORIZED(name, T, vec, f)                      \
	static inline void name(T *y, const T *x, long n) \
	{                                                \
		const long w = WIDTH / sizeof(T);        \
		long i = 0;                              \
		for (; i + w <= n; i += w) {             \
			vec a;                           \
			memcpy(&a, x + i, WIDTH);        \
			a = f(a);                        \
			memcpy(y + i, &a, WIDTH);        \
		}                                        \
		if (i < n) {                             \
			vec a;                           \
			memset(&a, 0, WIDTH);            \
			memcpy(&a, x + i, (n - i) * sizeof(T)); \
			a = f(a);                        \
			memcpy(y + i, &a, (n - i) * sizeof(T)); \
		}                                        \
	}

VECTORIZED(libmvec_d, double, vd, libmvec_exp)
VECTORIZED(libmvec_f, float, vf, libmvec_expf)
VECTORIZED(libmvec_log_d, double, vd, libmvec_log)
VECTORIZED(libmvec_log_f, float, vf, libmvec_logf)
#ifdef WITH_SLEEF
VECTORIZED(sleef_d, double, vd, sleef_exp)
VECTORIZED(sleef_f, float, vf, sleef_expf)
VECTORIZED(sleef_log_d, double, vd, sleef_log)
VECTORIZED(sleef_log_f, float, vf, sleef_logf)
#else
#define sleef_d libmvec_d
#define sleef_f libmvec_f
#define sleef_log_d libmvec_log_d
#define sleef_log_f libmvec_log_f
#endif

/* smallest keeps the k smallest of n values in a sorted list, in the obvious way. */
static void smallest(float *best, long k, const float *x, long n)
{
	long have = 0;
	for (long i = 0; i < n; i++) {
		if (have == k && x[i] >= best[k - 1])
			continue;
		long j = have < k ? have++ : k - 1;
		for (; j > 0 && x[i] < best[j - 1]; j--)
			best[j] = best[j - 1];
		best[j] = x[i];
	}
}

/* Rows and the query have length 1. */
static void query_blas(job *o)
{
	float *out = o->k ? o->w : o->out;
	cblas_sgemv(CblasRowMajor, CblasNoTrans, o->n, o->d, -2, o->x, o->d, o->y, 1, 0, out, 1);
	for (long i = 0; i < o->n; i++)
		out[i] += 2;
	if (o->k)
		smallest(o->out, o->k, out, o->n);
}

#ifdef WITH_NUMKONG
void numkong_rows(float *out, const float *x, const float *query, long n, long d); /* numkong.c */
double numkong_pair(char of, int size, const void *x, const void *y, long n);
void numkong_narrow(int bfloat, void *to, const float *from, long n);
const char *numkong_version(void);

static void pair_numkong(job *o)
{
	double r = numkong_pair(o->of, o->size, o->x, o->y, o->n);
	if (o->size == 8)
		*(double *)o->out = r;
	else
		*(float *)o->out = r;
}

static void bytes_numkong(job *o)
{
	*(float *)o->out = numkong_pair(o->of, 1, o->x, o->y, o->n);
}

static void narrow_numkong(job *o)
{
	numkong_narrow(o->of == 'b', o->w, o->x, o->n);
}

static void narrow_result(job *o)
{
	narrow_numkong(o);
	for (long i = 0; i < o->n; i++)
		((float *)o->out)[i] = ((unsigned short *)o->w)[i];
}

static void to_bytes(void *x, long n)
{
	for (long i = 0; i < n; i++)
		((signed char *)x)[i] = ((float *)x)[i];
}

static void query_numkong(job *o)
{
	numkong_rows(o->k ? o->w : o->out, o->x, o->y, o->n, o->d);
	if (o->k)
		smallest(o->out, o->k, o->w, o->n);
}
#endif

#define T double
#define N(name) name##_d
#define V(name) cblas_d##name
#include "peer_type.h"
#undef T
#undef N
#undef V
#define T float
#define N(name) name##_f
#define V(name) cblas_s##name
#include "peer_type.h"

static long number(const char *spec, const char *key, long otherwise)
{
	char pattern[32];
	snprintf(pattern, sizeof pattern, "/%s=", key);
	const char *at = strstr(spec, pattern);
	return at ? atol(at + strlen(pattern)) : otherwise;
}

static void *load(const char *dir, const char *name, int size)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.f%d", dir, name, size * 8);
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	long len = ftell(f);
	rewind(f);
	void *b = aligned_alloc(64, (len + 63) / 64 * 64);
	if (fread(b, 1, len, f) != (size_t)len)
		abort();
	fclose(f);
	return b;
}

#define BOTH(f) (is64 ? f##_d : f##_f)

static int open_job(job *o, const char *impl, const char *spec, const char *dir)
{
	int is64 = strstr(spec, "/type=f64") != NULL, blas = !strcmp(impl, BLAS);
	char kind[64];
	snprintf(kind, sizeof kind, "%.*s", (int)strcspn(spec, "/"), spec);
	memset(o, 0, sizeof *o);
	o->size = is64 ? 8 : 4;
	o->n = number(spec, "n", 0);
	o->d = number(spec, "d", 0);
	o->p = number(spec, "p", 0);
	o->k = number(spec, "k", 0);
	o->iters = number(spec, "iters", 0);
	const char *l = strstr(spec, "/lambda=");
	o->lambda = l ? atof(l + 8) : 0;
	o->of = strstr(spec, "/of=dot/") ? 'd' : strstr(spec, "/of=sqeuclidean/") ? 's' : strstr(spec, "/of=cosine/") ? 'c' : strstr(spec, "/of=hamming/") ? 'h' : strstr(spec, "/of=float16/") ? 'f' : strstr(spec, "/of=bfloat16/") ? 'b' : 0;
	o->outlen = o->n * o->n;
	if (!strcmp(kind, "exp") && !strcmp(impl, "libmvec"))
		o->run = BOTH(exp_libmvec), o->outlen = o->n;
#ifdef WITH_SLEEF
	else if (!strcmp(kind, "exp") && !strcmp(impl, "sleef"))
		o->run = BOTH(exp_sleef), o->outlen = o->n;
	else if (!strcmp(kind, "log") && !strcmp(impl, "libmvec"))
		o->run = BOTH(log_libmvec), o->outlen = o->n;
	else if (!strcmp(kind, "log") && !strcmp(impl, "sleef"))
		o->run = BOTH(log_sleef), o->outlen = o->n;
	else if (!strcmp(kind, "softmax") && !strcmp(impl, "libmvec"))
		o->run = BOTH(softmax_libmvec), o->outlen = o->n;
	else if (!strcmp(kind, "softmax") && !strcmp(impl, "sleef"))
		o->run = BOTH(softmax_sleef), o->outlen = o->n;
	else if (!strcmp(kind, "logsumexp") && !strcmp(impl, "libmvec"))
		o->run = BOTH(logsumexp_libmvec), o->outlen = 1;
	else if (!strcmp(kind, "logsumexp") && !strcmp(impl, "sleef"))
		o->run = BOTH(logsumexp_sleef), o->outlen = 1;
	else if (!strcmp(kind, "lse") && !strcmp(impl, "libmvec"))
		o->run = BOTH(lse), o->outlen = o->n;
	else if (!strcmp(kind, "sinkhornlog") && !strcmp(impl, "libmvec"))
		o->run = BOTH(sinkhorn_log);
#endif
	else if (!strcmp(kind, "query") && blas)
		o->run = query_blas, o->outlen = o->n;
	else if (!strcmp(kind, "nearest") && blas)
		o->run = query_blas, o->outlen = o->k;
#ifdef WITH_NUMKONG
	else if (!strcmp(kind, "query") && !strcmp(impl, "numkong"))
		o->run = query_numkong, o->outlen = o->n;
	else if (!strcmp(kind, "nearest") && !strcmp(impl, "numkong"))
		o->run = query_numkong, o->outlen = o->k;
	else if (!strcmp(kind, "pair") && !strcmp(impl, "numkong") && o->of)
		o->run = pair_numkong, o->outlen = 1;
	else if (!strcmp(kind, "bytes") && !strcmp(impl, "numkong") && o->of)
		o->run = bytes_numkong, o->outlen = 1;
	else if (!strcmp(kind, "convert") && !strcmp(impl, "numkong") && o->of)
		o->run = narrow_numkong, o->result = narrow_result, o->outlen = o->n;
#endif
	else if (!strcmp(kind, "project") && blas)
		o->run = BOTH(project), o->outlen = o->n * o->p;
	else if (!strcmp(kind, "sqdist") && blas)
		o->run = BOTH(sqdist);
	else if (!strcmp(kind, "gibbs") && blas)
		o->run = BOTH(gibbs);
	else if (!strcmp(kind, "iterate") && blas)
		o->run = BOTH(iterate), o->result = BOTH(iterate_result), o->outlen = o->n;
	else if (!strcmp(kind, "sinkhorn") && blas)
		o->run = BOTH(sinkhorn);
	else
		return 0;
	o->x = load(dir, "x", o->size);
	o->y = load(dir, "y", o->size);
#ifdef WITH_NUMKONG
	if (o->run == bytes_numkong)
		to_bytes(o->x, o->n), to_bytes(o->y, o->n);
#endif
	long vector = (2 * o->n * o->size + 127) / 64 * 64;
	o->u = aligned_alloc(64, vector);
	o->v = aligned_alloc(64, vector);
	o->w = aligned_alloc(64, vector);
	o->out = aligned_alloc(64, (o->outlen * o->size + 63) / 64 * 64);
	(o->result ? o->result : o->run)(o);
	return 1;
}

static void close_job(job *o)
{
	void *all[] = {o->x, o->y, o->u, o->v, o->w, o->out};
	for (int i = 0; i < 6; i++)
		free(all[i]);
	memset(o, 0, sizeof *o);
}

static void write_result(job *o, const char *path, long stride)
{
	FILE *f = fopen(path, "wb");
	for (long i = 0; i < o->outlen; i += stride) {
		double x = o->size == 8 ? ((double *)o->out)[i] : ((float *)o->out)[i];
		fwrite(&x, 8, 1, f);
	}
	fclose(f);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static const char *impls[] = {BLAS,
#ifdef WITH_SLEEF
			      "libmvec", "sleef",
#endif
#ifdef WITH_NUMKONG
			      "numkong",
#endif
			      NULL};

int main(void)
{
	job jobs[8] = {0};
	char line[8192], command[16], impl[64], spec[256], dir[4096], out[4096];
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof line, stdin)) {
		int k = -1;
		if (sscanf(line, "%15s %63s", command, impl) < 1)
			continue;
		for (int i = 0; impls[i]; i++)
			if (!strcmp(impls[i], impl))
				k = i;
		if (!strcmp(command, "hello")) {
			printf("%s=%s", BLAS, VERSION);
#ifdef WITH_SLEEF
			printf(" libmvec=glibc-%s sleef=%d.%d.%d", gnu_get_libc_version(), SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR, SLEEF_VERSION_PATCHLEVEL);
#endif
#ifdef WITH_NUMKONG
			printf(" numkong=%s", numkong_version());
#endif
			printf("\n");
		} else if (k < 0) {
			printf("no\n");
		} else if (!strcmp(command, "open")) {
			long stride;
			sscanf(line, "%*s %*s %255s %4095s %4095s %ld", spec, dir, out, &stride);
			if (open_job(&jobs[k], impl, spec, dir)) {
				write_result(&jobs[k], out, stride);
				printf("ok\n");
			} else
				printf("no\n");
		} else if (!strcmp(command, "time")) {
			long reps, warm;
			sscanf(line, "%*s %*s %ld %ld", &reps, &warm);
			for (long i = 0; i < warm; i++)
				jobs[k].run(&jobs[k]);
			double begin = now();
			for (long i = 0; i < reps; i++)
				jobs[k].run(&jobs[k]);
			printf("%.3f\n", (now() - begin) / reps);
		} else if (!strcmp(command, "close")) {
			close_job(&jobs[k]);
			printf("ok\n");
		}
	}
	return 0;
}
