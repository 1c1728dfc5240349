/* This file contains the cases for one type. peer.c includes it twice, with
 *
 *	T     the type          V(name)  the name for this type of a BLAS or vector function
 *	N(name)  the name here  EXP      the scalar exp
 */

static inline void N(scale_add_norms)(T *d, const T *xx, const T *zz, long n, long m)
{
	for (long i = 0; i < n; i++)
		for (long j = 0; j < m; j++)
			d[i * m + j] += xx[i] + zz[j];
}

static inline void N(sqdist)(job *o)
{
	long n = o->n, d = o->d;
	const T *x = o->x, *z = o->y;
	T *out = o->out, *xx = o->u, *zz = o->v;
	for (long i = 0; i < n; i++) {
		T s = 0, t = 0;
		for (long k = 0; k < d; k++) {
			s += x[i * d + k] * x[i * d + k];
			t += z[i * d + k] * z[i * d + k];
		}
		xx[i] = s;
		zz[i] = t;
	}
	V(gemm)(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, d, -2, x, d, z, d, 0, out, n);
	N(scale_add_norms)(out, xx, zz, n, n);
}

static inline void N(gibbs)(job *o)
{
	N(sqdist)(o);
	T *out = o->out;
	for (long i = 0; i < o->n; i++) { /* a row at a time stays in cache */
		T *r = out + i * o->n;
		for (long j = 0; j < o->n; j++)
			r[j] *= -(T)o->lambda;
		N(libmvec)(r, r, o->n);
	}
}

static inline void N(project)(job *o)
{
	V(gemm)(CblasRowMajor, CblasNoTrans, CblasNoTrans, o->n, o->p, o->d, 1, o->x, o->d, o->y, o->p, 0, o->out, o->p);
}

/* u = a / K v;  v = b / K'u */
static inline void N(iterate)(job *o)
{
	long n = o->n;
	T *u = o->u, *v = o->v, w = (T)1 / n;
	V(gemv)(CblasRowMajor, CblasNoTrans, n, n, 1, o->x, n, v, 1, 0, u, 1);
	for (long i = 0; i < n; i++)
		u[i] = w / u[i];
	V(gemv)(CblasRowMajor, CblasTrans, n, n, 1, o->x, n, u, 1, 0, v, 1);
	for (long i = 0; i < n; i++)
		v[i] = w / v[i];
}

/* the result of a case iterate is that of three iterations from v = 1 */
static inline void N(iterate_result)(job *o)
{
	for (long i = 0; i < o->n; i++)
		((T *)o->v)[i] = 1;
	for (int k = 0; k < 3; k++)
		N(iterate)(o);
	memcpy(o->out, o->u, o->n * sizeof(T));
}

static inline void N(sinkhorn)(job *o)
{
	long n = o->n;
	const T *m = o->x;
	T *k = o->out, *u = o->u, *v = o->v, w = (T)1 / n;
	for (long i = 0; i < n; i++) {
		for (long j = 0; j < n; j++)
			k[i * n + j] = -(T)o->lambda * m[i * n + j];
		N(libmvec)(k + i * n, k + i * n, n);
	}
	for (long i = 0; i < n; i++)
		u[i] = 1;
	for (int it = 0; it < o->iters; it++) {
		V(gemv)(CblasRowMajor, CblasTrans, n, n, 1, k, n, u, 1, 0, v, 1);
		for (long j = 0; j < n; j++)
			v[j] = w / v[j];
		V(gemv)(CblasRowMajor, CblasNoTrans, n, n, 1, k, n, v, 1, 0, u, 1);
		for (long i = 0; i < n; i++)
			u[i] = w / u[i];
	}
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++)
			k[i * n + j] *= u[i] * v[j];
}

/* sets r[j] = x_j - max over a row and returns the maximum */
static inline T N(shifted)(T *r, const T *m, T c, const T *g, long n)
{
	T top = -FLT_MAX;
	for (long j = 0; j < n; j++) {
		r[j] = (g ? g[j] : 0) + c * m[j];
		top = r[j] > top ? r[j] : top;
	}
	for (long j = 0; j < n; j++)
		r[j] -= top;
	return top;
}

static inline T N(row_lse)(T *r, const T *m, T c, const T *g, long n)
{
	T top = N(shifted)(r, m, c, g, n), s = 0;
	N(libmvec)(r, r, n);
	for (long j = 0; j < n; j++)
		s += r[j];
	return top + (T)log(s);
}

static inline void N(lse)(job *o)
{
	for (long i = 0; i < o->n; i++)
		((T *)o->out)[i] = N(row_lse)(o->u, (T *)o->x + i * o->n, 1, 0, o->n);
}

static inline void N(sinkhorn_log)(job *o)
{
	long n = o->n;
	const T *m = o->x;
	T *u = o->u, *v = o->v, *r = o->w, *h = r + n, *out = o->out, w = (T)log(1.0 / n), c = -(T)o->lambda;
	memset(u, 0, n * sizeof(T));
	for (int it = 0; it < o->iters; it++) {
		for (long j = 0; j < n; j++) {
			h[j] = -FLT_MAX;
			v[j] = 0;
		}
		for (long i = 0; i < n; i++)
			for (long j = 0; j < n; j++) {
				T x = u[i] + c * m[i * n + j];
				h[j] = x > h[j] ? x : h[j];
			}
		for (long i = 0; i < n; i++) {
			for (long j = 0; j < n; j++)
				r[j] = u[i] + c * m[i * n + j] - h[j];
			N(libmvec)(r, r, n);
			for (long j = 0; j < n; j++)
				v[j] += r[j];
		}
		for (long j = 0; j < n; j++)
			v[j] = w - h[j] - (T)log(v[j]);
		for (long i = 0; i < n; i++)
			u[i] = w - N(row_lse)(r, m + i * n, c, v, n);
	}
	for (long i = 0; i < n; i++) {
		for (long j = 0; j < n; j++)
			out[i * n + j] = u[i] + c * m[i * n + j] + v[j];
		N(libmvec)(out + i * n, out + i * n, n);
	}
}

static inline void N(exp_libmvec)(job *o) { N(libmvec)(o->out, o->x, o->n); }
static inline void N(exp_sleef)(job *o) { N(sleef)(o->out, o->x, o->n); }
static inline void N(log_libmvec)(job *o) { N(libmvec_log)(o->out, o->x, o->n); }
static inline void N(log_sleef)(job *o) { N(sleef_log)(o->out, o->x, o->n); }

static inline void N(softmax)(job *o, void (*e)(T *, const T *, long))
{
	const T *x = o->x;
	T *y = o->out, top = x[0], sum = 0;
	for (long i = 1; i < o->n; i++)
		top = x[i] > top ? x[i] : top;
	for (long i = 0; i < o->n; i++)
		y[i] = x[i] - top;
	e(y, y, o->n);
	for (long i = 0; i < o->n; i++)
		sum += y[i];
	for (long i = 0; i < o->n; i++)
		y[i] *= 1 / sum;
}
static inline void N(softmax_libmvec)(job *o) { N(softmax)(o, N(libmvec)); }
static inline void N(softmax_sleef)(job *o) { N(softmax)(o, N(sleef)); }

static inline void N(logsumexp)(job *o, void (*e)(T *, const T *, long))
{
	const T *x = o->x;
	T *y = o->u, top = x[0], sum = 0;
	for (long i = 1; i < o->n; i++)
		top = x[i] > top ? x[i] : top;
	for (long i = 0; i < o->n; i++)
		y[i] = x[i] - top;
	e(y, y, o->n);
	for (long i = 0; i < o->n; i++)
		sum += y[i];
	*(T *)o->out = top + (T)log(sum);
}
static inline void N(logsumexp_libmvec)(job *o) { N(logsumexp)(o, N(libmvec)); }
static inline void N(logsumexp_sleef)(job *o) { N(logsumexp)(o, N(sleef)); }
