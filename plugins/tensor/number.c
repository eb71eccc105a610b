/* SPDX-License-Identifier: BSD-3-Clause */
/* Single elements of tensors by their dtype: see number.h.  Reads no memory of its own accord. */
#include "number.h"
#include <inttypes.h>
#include <string.h>

static float half_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff, bits;
	float f;

	if (!e) {
		f = (float)m / 16777216.0f;
		return sign ? -f : f;
	}
	bits = sign | (e == 31 ? 0x7f800000 : (e + 112) << 23) | m << 13;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* A float of eight bits, as its dtype lays it out. */
struct eighth {
	const char *dtype;
	int exponent, mantissa, bias; /* bits, bits, offset */
	bool infinite;		      /* the largest exponent is Inf and NaN, as in IEEE 754 */
	bool one_nan;		      /* 0x80 is NaN, and there is no -0 */
};

static const struct eighth *eighth_form(const char *dtype)
{
	static const struct eighth forms[] = {
		{ "float8_e4m3fn", 4, 3, 7, false, false },    { "float8_e5m2", 5, 2, 15, true, false },
		{ "float8_e4m3fnuz", 4, 3, 8, false, true },   { "float8_e5m2fnuz", 5, 2, 16, false, true },
		{ "float8_e8m0fnu", 8, 0, 127, false, false },
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(forms[i].dtype, dtype))
			return &forms[i];
	return NULL;
}

static double power_of_two(int n)
{
	double d = 1;

	for (; n > 0; n--)
		d *= 2;
	for (; n < 0; n++)
		d /= 2;
	return d;
}

static double eighth(unsigned char b, const char *dtype)
{
	const struct eighth *f = eighth_form(dtype);
	int e, m, most = (1 << f->exponent) - 1, full = (1 << f->mantissa) - 1;
	double d;

	if (!f->mantissa) /* a power of two without a sign */
		return b == 0xff ? __builtin_nan("") : power_of_two(b - f->bias);
	e = b >> f->mantissa & most;
	m = b & full;
	if (f->one_nan && b == 0x80)
		return __builtin_nan("");
	if (f->infinite && e == most)
		d = m ? __builtin_nan("") : __builtin_inf();
	else if (!f->infinite && !f->one_nan && e == most && m == full)
		d = __builtin_nan("");
	else if (e)
		d = (1 + (double)m / (full + 1)) * power_of_two(e - f->bias);
	else
		d = (double)m / (full + 1) * power_of_two(1 - f->bias);
	return b & 0x80 ? -d : d;
}

static void put_float(const unsigned char *b, size_t size, struct buf *out)
{
	float f;
	double d;

	if (size == sizeof(f)) {
		memcpy(&f, b, sizeof(f));
		buf_addf(out, "%.7g", (double)f);
	} else {
		memcpy(&d, b, sizeof(d));
		buf_addf(out, "%.10g", d);
	}
}

static void put_half(const unsigned char *b, bool brain, struct buf *out)
{
	uint16_t h;
	uint32_t bits;
	float f;

	memcpy(&h, b, sizeof(h));
	bits = (uint32_t)h << 16;
	memcpy(&f, &bits, sizeof(f));
	buf_addf(out, "%.4g", (double)(brain ? f : half_float(h)));
}

static void put_complex(const unsigned char *b, size_t size, struct buf *out)
{
	struct buf imaginary = { 0 };

	if (size == 4) {
		put_half(b, false, out);
		put_half(b + 2, false, &imaginary);
	} else {
		put_float(b, size / 2, out);
		put_float(b + size / 2, size / 2, &imaginary);
	}
	buf_addf(out, "%s%sj", *buf_str(&imaginary) == '-' ? "" : "+", buf_str(&imaginary));
	buf_release(&imaginary);
}

static uint64_t integer_of(const unsigned char *b, size_t size, bool is_signed)
{
	uint64_t u = 0;

	memcpy(&u, b, size); /* little-endian, as torch's memory on what cdbg runs on */
	if (is_signed && size < 8 && u >> (size * 8 - 1))
		u |= ~(uint64_t)0 << (size * 8);
	return u;
}

/* Bytes of one element by the dtype's short name; 0: how it is read is not known. */
size_t number_size(const char *dtype)
{
	static const struct {
		const char *name;
		size_t size;
	} sizes[] = {
		{ "bool", 1 }, { "u8", 1 },  { "i8", 1 },    { "i16", 2 },	 { "u16", 2 }, { "f16", 2 },
		{ "bf16", 2 }, { "i32", 4 }, { "u32", 4 },   { "f32", 4 },	 { "i64", 8 }, { "u64", 8 },
		{ "f64", 8 },  { "c64", 8 }, { "c128", 16 }, { "complex32", 4 },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!strcmp(sizes[i].name, dtype))
			return sizes[i].size;
	return eighth_form(dtype) ? 1 : 0;
}

void number_put(const unsigned char *b, const char *dtype, size_t size, struct buf *out)
{
	if (!strcmp(dtype, "bool"))
		buf_addf(out, "%s", *b ? "True" : "False");
	else if (*dtype == 'i')
		buf_addf(out, "%" PRId64, (int64_t)integer_of(b, size, true));
	else if (*dtype == 'u')
		buf_addf(out, "%" PRIu64, integer_of(b, size, false));
	else if (*dtype == 'c')
		put_complex(b, size, out);
	else if (size == 1)
		buf_addf(out, "%.4g", eighth(*b, dtype));
	else if (size == 2)
		put_half(b, *dtype == 'b', out);
	else
		put_float(b, size, out);
}

static double float_of(const unsigned char *b, size_t size, bool brain)
{
	uint16_t h;
	uint32_t bits;
	float f;
	double d;

	if (size == 8) {
		memcpy(&d, b, sizeof(d));
		return d;
	}
	if (size == 4) {
		memcpy(&f, b, sizeof(f));
		return (double)f;
	}
	memcpy(&h, b, sizeof(h));
	bits = (uint32_t)h << 16;
	memcpy(&f, &bits, sizeof(f));
	return (double)(brain ? f : half_float(h));
}

bool number_value(const unsigned char *b, const char *dtype, size_t size, double *out)
{
	double im;

	if (*dtype == 'c') {
		*out = float_of(b, size / 2, false);
		im = float_of(b + size / 2, size / 2, false);
		/* for what is counted: NaN and Inf of either part */
		*out = *out - *out != 0 ? *out : im - im != 0 ? im : *out;
		return false;
	}
	if (!strcmp(dtype, "bool"))
		*out = *b != 0;
	else if (*dtype == 'i')
		*out = (double)(int64_t)integer_of(b, size, true);
	else if (*dtype == 'u')
		*out = (double)integer_of(b, size, false);
	else
		*out = size == 1 ? eighth(*b, dtype) : float_of(b, size, *dtype == 'b');
	return true;
}
