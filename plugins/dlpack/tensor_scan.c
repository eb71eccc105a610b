/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of tensors in memory: see tensor_scan.h. */
#include "dlpack/tensor_scan.h"
#include <math.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_DIMS = 64 };

typedef void (*scan_row)(const char *at, int64_t n, int64_t stride, struct tensor_sum *s);

static inline void sum_add(struct tensor_sum *s, double v)
{
	if (isnan(v)) {
		s->nan++;
		return;
	}
	if (isinf(v)) {
		s->inf++;
		return;
	}
	if (v < s->min)
		s->min = v;
	if (v > s->max)
		s->max = v;
	s->total += v;
}

static inline void add_whole(struct tensor_sum *s, int64_t v)
{
	if (v < s->imin)
		s->imin = v;
	if (v > s->imax)
		s->imax = v;
	s->total += (double)v;
}

static double half(uint16_t bits)
{
	uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = (bits >> 10) & 31, fraction = bits & 0x3ff, out;
	float f;

	if (exponent == 31)
		out = sign | 0x7f800000 | fraction << 13;
	else if (exponent)
		out = sign | (exponent + 112) << 23 | fraction << 13;
	else
		return (sign ? -1 : 1) * ldexp(fraction, -24);
	memcpy(&f, &out, sizeof(f));
	return f;
}

static double brain(uint16_t bits)
{
	uint32_t out = (uint32_t)bits << 16;
	float f;

	memcpy(&f, &out, sizeof(f));
	return f;
}

/* A float of eight bits: a sign, an exponent, and `places` bits of fraction. */
static double eight(uint8_t bits, int places, int bias)
{
	int exponent = (bits & 0x7f) >> places, fraction = bits & ((1 << places) - 1);
	double v = exponent ? ldexp(fraction + (1 << places), exponent - bias - places) :
			      ldexp(fraction, 1 - bias - places);

	return bits & 0x80 ? -v : v;
}

static double e4m3fn(uint8_t bits)
{
	return (bits & 0x7f) == 0x7f ? NAN : eight(bits, 3, 7);
}

/* Of the types without a negative zero its bits are NaN. */
static double e4m3fnuz(uint8_t bits)
{
	return bits == 0x80 ? NAN : eight(bits, 3, 8);
}

static double e5m2fnuz(uint8_t bits)
{
	return bits == 0x80 ? NAN : eight(bits, 2, 16);
}

/* An exponent only, as the scales of blocks are. */
static double e8m0fnu(uint8_t bits)
{
	return bits == 0xff ? NAN : ldexp(1, bits - 127);
}

struct c64 {
	float re, im;
};

struct c128 {
	double re, im;
};

#define SCAN(name, type, add, ...) \
	static void scan_##name(const char *at, int64_t n, int64_t stride, struct tensor_sum *s) \
	{ \
		const type *p = (const type *)(const void *)at; \
		int64_t i; \
		for (i = 0; i < n; i++, p += stride) \
			add(s, __VA_ARGS__); \
	}

/* A complex number counts as torch.isnan() and torch.isinf() count it; it is not summed up. */
static inline void add_complex(struct tensor_sum *s, double re, double im)
{
	if (isnan(re) || isnan(im))
		s->nan++;
	if (isinf(re) || isinf(im))
		s->inf++;
}

SCAN(f64, double, sum_add, *p)
SCAN(f32_apart, float, sum_add, *p)
SCAN(f16, uint16_t, sum_add, half(*p))
SCAN(bf16_apart, uint16_t, sum_add, brain(*p))
SCAN(e4m3fn, uint8_t, sum_add, e4m3fn(*p))
SCAN(e4m3fnuz, uint8_t, sum_add, e4m3fnuz(*p))
SCAN(e5m2, uint8_t, sum_add, half((uint16_t)(*p << 8)))
SCAN(e5m2fnuz, uint8_t, sum_add, e5m2fnuz(*p))
SCAN(e8m0fnu, uint8_t, sum_add, e8m0fnu(*p))
SCAN(i64, int64_t, add_whole, *p)
SCAN(i32, int32_t, add_whole, *p)
SCAN(i16, int16_t, add_whole, *p)
SCAN(i8, int8_t, add_whole, *p)
SCAN(u8, uint8_t, add_whole, *p)
SCAN(u16, uint16_t, add_whole, *p)
SCAN(u32, uint32_t, add_whole, *p)
SCAN(c64, struct c64, add_complex, (*p).re, (*p).im)
SCAN(c128, struct c128, add_complex, (*p).re, (*p).im)

/* Most values are float32 or bfloat16, side by side and finite: four at a time. */
typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef double double4 __attribute__((vector_size(32)));

static inline float4 chosen(int4 first, float4 a, float4 b)
{
	return (float4)((first & (int4)a) | (~first & (int4)b));
}

static inline bool are_finite(float4 v)
{
	int4 yes = v - v == 0;
	int64_t both[2];

	memcpy(both, &yes, sizeof(both));
	return (both[0] & both[1]) == -1;
}

static inline float4 floats_at(const float *p)
{
	float4 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline float4 brains_at(const uint16_t *p)
{
	uint32_t bits[4] = { (uint32_t)p[0] << 16, (uint32_t)p[1] << 16, (uint32_t)p[2] << 16, (uint32_t)p[3] << 16 };
	float4 v;

	memcpy(&v, bits, sizeof(v));
	return v;
}

struct four {
	float4 min, max;
	double4 total;
};

static inline bool four_add(struct four *f, float4 v)
{
	if (!are_finite(v))
		return false;
	f->min = chosen(v < f->min, v, f->min);
	f->max = chosen(v > f->max, v, f->max);
	f->total += __builtin_convertvector(v, double4);
	return true;
}

static void four_end(const struct four *f, struct tensor_sum *s)
{
	int i;

	for (i = 0; i < 4; i++) {
		s->min = f->min[i] < s->min ? f->min[i] : s->min;
		s->max = f->max[i] > s->max ? f->max[i] : s->max;
		s->total += f->total[i];
	}
}

#define SCAN_FOUR(name, type, load) \
	static void scan_##name(const char *at, int64_t n, int64_t stride, struct tensor_sum *s) \
	{ \
		const float inf = INFINITY; \
		struct four f = { .min = { inf, inf, inf, inf }, .max = { -inf, -inf, -inf, -inf } }; \
		const type *p = (const type *)(const void *)at; \
		int64_t i; \
		for (i = 0; stride == 1 && n - i >= 4; i += 4) \
			if (!four_add(&f, load(p + i))) \
				scan_##name##_apart((const char *)(p + i), 4, 1, s); \
		four_end(&f, s); \
		scan_##name##_apart((const char *)(p + i), n - i, stride, s); \
	}

SCAN_FOUR(f32, float, floats_at)
SCAN_FOUR(bf16, uint16_t, brains_at)

/* The types that can be scanned, with the number of their bits. */
static const struct {
	uint8_t code, bits;
	bool is_float;
	scan_row scan;
} types[] = {
	{ DL_FLOAT, 64, true, scan_f64 },      { DL_FLOAT, 32, true, scan_f32 },
	{ DL_FLOAT, 16, true, scan_f16 },      { DL_BFLOAT, 16, true, scan_bf16 },
	{ DL_INT, 64, false, scan_i64 },       { DL_INT, 32, false, scan_i32 },
	{ DL_INT, 16, false, scan_i16 },       { DL_INT, 8, false, scan_i8 },
	{ DL_UINT, 32, false, scan_u32 },      { DL_UINT, 16, false, scan_u16 },
	{ DL_UINT, 8, false, scan_u8 },	       { DL_BOOL, 8, false, scan_u8 },
	{ DL_COMPLEX, 128, false, scan_c128 }, { DL_COMPLEX, 64, false, scan_c64 },
	{ DL_E4M3FN, 8, true, scan_e4m3fn },   { DL_E4M3FNUZ, 8, true, scan_e4m3fnuz },
	{ DL_E5M2, 8, true, scan_e5m2 },       { DL_E5M2FNUZ, 8, true, scan_e5m2fnuz },
	{ DL_E8M0FNU, 8, true, scan_e8m0fnu },
};

enum { TYPES = sizeof(types) / sizeof(*types) };

bool tensor_scan_is_float(uint8_t code)
{
	int i;

	for (i = 0; i < TYPES; i++)
		if (types[i].code == code)
			return types[i].is_float;
	return false;
}

static scan_row scan_of(const struct dl_tensor *t)
{
	int i;

	for (i = 0; i < TYPES; i++)
		if (types[i].code == t->dtype.code && types[i].bits == t->dtype.bits)
			return types[i].scan;
	return NULL;
}

/* A tensor's dimensions, innermost first.  Adjacent ones that are contiguous are one. */
struct extent {
	int64_t shape[MOST_DIMS], stride[MOST_DIMS]; /* in elements */
	int n;
};

/* Elements that expand() repeats count once: their number may be too large. */
static void extent_of(const struct dl_tensor *t, struct extent *e, struct tensor_sum *s)
{
	int64_t inner = 1;
	int i, n = 0;

	for (i = t->ndim - 1; i >= 0; i--) {
		int64_t step = t->strides ? t->strides[i] : inner;

		inner *= t->shape[i];
		if (t->shape[i] == 1)
			continue;
		if (!step) {
			s->times *= t->shape[i];
			continue;
		}
		if (n && step == e->stride[n - 1] * e->shape[n - 1]) {
			e->shape[n - 1] *= t->shape[i];
			continue;
		}
		e->shape[n] = t->shape[i];
		e->stride[n++] = step;
	}
	e->n = n;
}

/* All elements, a row of the last dimension at a time. */
static void scan_all(const struct dl_tensor *t, scan_row scan, struct tensor_sum *s)
{
	int64_t at[MOST_DIMS] = { 0 }, size = t->dtype.bits / 8;
	const char *p = (const char *)t->data + t->offset;
	struct extent e;
	int i;

	extent_of(t, &e, s);
	if (!e.n) {
		scan(p, 1, 1, s);
		return;
	}
	for (;;) {
		scan(p, e.shape[0], e.stride[0], s);
		for (i = 1; i < e.n; i++) {
			p += e.stride[i] * size;
			if (++at[i] < e.shape[i])
				break;
			p -= e.stride[i] * size * e.shape[i];
			at[i] = 0;
		}
		if (i >= e.n)
			return;
	}
}

bool tensor_scan_can(const struct dl_tensor *t)
{
	return scan_of(t) && t->dtype.lanes == 1 && t->ndim <= MOST_DIMS;
}

bool tensor_scan(const struct dl_tensor *t, struct tensor_sum *s)
{
	if (!tensor_scan_can(t) || !t->data)
		return false;
	scan_all(t, scan_of(t), s);
	return true;
}

/* ---- some of them ----------------------------------------------------------------------------------------- */

enum { PIECES = 8, ROWS = 256 };

/* Rows, or parts of them, that are to be read. */
struct chosen {
	struct extent e;
	int64_t size, stride; /* bytes of an element; of a row, in elements */
	int64_t total;	      /* elements of the tensor */
	struct iovec row[ROWS];
	int64_t elements[ROWS]; /* of the row */
	int n;
	size_t bytes;
};

/* The bytes from the tensor's first element to this one, counted as the rows lie. */
static int64_t place_of(const struct extent *e, int64_t element)
{
	int64_t at = 0;
	int i;

	for (i = 0; i < e->n; i++) {
		at += element % e->shape[i] * e->stride[i];
		element /= e->shape[i];
	}
	return at;
}

/* From this element on, until `room` bytes or so many rows are taken: where it ended. */
static int64_t choose(struct chosen *c, const char *from, int64_t element, size_t room, int rows)
{
	int64_t row = c->e.n ? c->e.shape[0] : 1, n, most;
	size_t bytes;

	while (element < c->total && rows--) {
		n = row - element % row;
		most = (int64_t)(room / (size_t)c->size);
		if (most < 1)
			break;
		most = (most - 1) / c->stride + 1;
		n = n < most ? n : most;
		bytes = (size_t)(((n - 1) * c->stride + 1) * c->size);
		c->row[c->n].iov_base = (void *)(uintptr_t)(from + place_of(&c->e, element) * c->size);
		c->row[c->n].iov_len = bytes;
		c->elements[c->n++] = n;
		c->bytes += bytes;
		room -= bytes;
		element += n;
	}
	return element;
}

/* All if they fit; else the first and the last, and others between them. */
static bool choose_all(struct chosen *c, const char *from, size_t room)
{
	int64_t i, at = 0, begin, piece = (int64_t)room / PIECES / c->size;

	if (c->total <= (int64_t)(room / (size_t)c->size) && choose(c, from, 0, room, ROWS) == c->total)
		return true;
	c->n = 0;
	c->bytes = 0;
	for (i = 0; i < PIECES; i++) {
		begin = (int64_t)((double)(c->total - piece) / (PIECES - 1) * (double)i);
		begin = i == PIECES - 1 ? c->total - piece : begin;
		if (begin >= at)
			at = choose(c, from, begin, room / PIECES, ROWS / PIECES);
	}
	return false;
}

int64_t tensor_scan_some(const struct dl_tensor *t, void *to, size_t room, struct tensor_sum *s, bool *all)
{
	scan_row row = scan_of(t);
	struct chosen c = { .size = t->dtype.bits / 8, .total = 1 };
	struct iovec here = { .iov_base = to };
	const char *at = to;
	int64_t done = 0;
	int i;

	if (!tensor_scan_can(t) || !t->data)
		return 0;
	extent_of(t, &c.e, s);
	for (i = 0; i < c.e.n; i++)
		c.total *= c.e.shape[i];
	c.stride = c.e.n ? c.e.stride[0] : 1;
	if (c.total <= 0 || c.stride < 0)
		return 0;
	*all = choose_all(&c, (const char *)t->data + t->offset, room);
	here.iov_len = c.bytes;
	if (process_vm_readv(getpid(), &here, 1, c.row, (unsigned long)c.n, 0) != (ssize_t)c.bytes)
		return 0;
	for (i = 0; i < c.n; i++) {
		row(at, c.elements[i], c.stride, s);
		at += c.row[i].iov_len;
		done += c.elements[i];
	}
	return done;
}

/* ---- their memory ----------------------------------------------------------------------------------------- */

/* torch has no negative strides. */
bool tensor_scan_memory(const struct dl_tensor *t, const char **from, const char **to)
{
	int64_t last = 0, inner = 1;
	int i;

	for (i = t->ndim - 1; i >= 0; i--) {
		if (!t->shape[i])
			return false;
		last += (t->shape[i] - 1) * (t->strides ? t->strides[i] : inner);
		inner *= t->shape[i];
	}
	*from = (const char *)t->data + t->offset;
	*to = *from + (last + 1) * (t->dtype.bits * t->dtype.lanes / 8);
	return true;
}

void tensor_sum_negate(struct tensor_sum *s)
{
	struct tensor_sum was = *s;

	s->min = -was.max;
	s->max = -was.min;
	s->total = -was.total;
	if (was.imin > was.imax)
		return;
	s->imin = was.imax == INT64_MIN ? INT64_MIN : -was.imax; /* as torch's integers wrap */
	s->imax = was.imin == INT64_MIN ? INT64_MAX : -was.imin;
}
