/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the past as text: see past.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/past.h"
#include "engine/session.h"
#include "py/record/record_read.h"
#include "py/record/record_value.h"
#include "py/record/recorder.h"
#include "py/value/format.h"

static uint32_t info_of(const struct record_value *v)
{
	return (uint32_t)(v->head >> 32);
}

const char *past_value_type(const struct record_value *v)
{
	const char *name = record_type_name(record_bits(v->head, 12, 20)), *dot = strrchr(name, '.');

	switch (record_value_kind(v)) {
	case RECORDED_UNKNOWN:
	case RECORDED_NULL:
	case RECORDED_NUMBER:
		return NULL;
	default:
		return dot ? dot + 1 : name;
	}
}

const char *past_value_kind(const struct record_value *v)
{
	switch (record_value_kind(v)) {
	case RECORDED_UNKNOWN:
		return "unknown";
	case RECORDED_NULL:
		return "null";
	case RECORDED_NUMBER:
		return "int";
	default:
		return "object";
	}
}

/* The shortest text that gives the number again, as Python writes it. */
static void float_text(double x, struct buf *out)
{
	char text[40];
	int digits;

	if (isnan(x) || isinf(x)) {
		buf_adds(out, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
		return;
	}
	for (digits = 15; digits < 18; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	buf_adds(out, text);
	if (!strpbrk(text, ".en"))
		buf_adds(out, ".0");
}

/* The first bytes of a text of n. */
static void first_text(const char *before, const struct record_value *v, struct buf *out)
{
	uint32_t n = info_of(v), i;
	unsigned char c;

	buf_addf(out, "%s'", before);
	for (i = 0; i < n && i < 8; i++) {
		c = (unsigned char)(v->payload >> 8 * i);
		if (c == '\\' || c == '\'')
			buf_addf(out, "\\%c", c);
		else if (c == '\n')
			buf_adds(out, "\\n");
		else if (c < ' ' || c > '~')
			buf_addf(out, "\\x%02x", c);
		else
			buf_addc(out, (char)c);
	}
	buf_adds(out, n > 8 ? "'..." : "'");
	if (n > 8)
		buf_addf(out, " (%u)", n);
}

/* "f32[10] cpu", and what is known of its elements: ": -1.5..2, NaN". */
static void data_text(const struct record_value *v, const char *type, struct buf *out)
{
	struct value_numbers n;
	const char *text = record_data_text(record_value_numbers(v, &n)), *sep = ": ";

	buf_adds(out, *text ? text : type);
	if (!n.known)
		return;
	if (!isnan(n.min)) {
		buf_addf(out, n.one ? "%s%.7g" : "%s%.3g", sep, n.min);
		if (!n.one && (n.min < n.max || !n.all))
			buf_addf(out, "..%.3g", n.max);
		sep = ", ";
	}
	if (n.nan)
		buf_addf(out, "%sNaN", sep);
	if (n.inf)
		buf_addf(out, "%sInf", n.nan ? ", " : sep);
	if (!n.all)
		buf_adds(out, " (a sample)");
}

void past_value_text(const struct record_value *v, struct buf *out)
{
	const char *type = past_value_type(v);
	uint32_t info = info_of(v);
	bool changes = record_bits(v->head, 10, 2) & RECORDED_CELL;
	double x;

	switch (record_value_kind(v)) {
	case RECORDED_NULL:
		buf_adds(out, "NULL");
		break;
	case RECORDED_NONE:
		buf_adds(out, "None");
		break;
	case RECORDED_FALSE:
	case RECORDED_TRUE:
		buf_adds(out, record_value_kind(v) == RECORDED_TRUE ? "True" : "False");
		break;
	case RECORDED_INT:
	case RECORDED_NUMBER:
		buf_addf(out, "%lld", (long long)v->payload);
		break;
	case RECORDED_BIG:
		buf_adds(out, "int of more than 64 bits");
		break;
	case RECORDED_FLOAT:
		memcpy(&x, &v->payload, sizeof(x));
		float_text(x, out);
		break;
	case RECORDED_STR:
		if (record_bits(v->head, 10, 2) & RECORDED_TEXT)
			first_text("", v, out);
		else
			buf_addf(out, "str of %u characters", info);
		break;
	case RECORDED_BYTES:
		first_text("b", v, out);
		break;
	case RECORDED_SIZED:
		buf_addf(out, "%s of %u", type, info);
		changes |= strcmp(type, "tuple") && strcmp(type, "frozenset");
		break;
	case RECORDED_DATA:
		data_text(v, type, out);
		changes = true;
		break;
	case RECORDED_OBJECT:
		buf_addf(out, "<%s at 0x%llx>", type, (unsigned long long)v->payload);
		break;
	default:
		buf_addc(out, '?');
	}
	buf_adds(out, changes ? "~" : "");
}

/* ---- of a frame ------------------------------------------------------------------------------------------- */

const struct record_value *past_local(const struct past_frame *f, int i)
{
	return f->frame->known && i >= 0 && (uint32_t)i < f->frame->nlocals ? &f->frame->values[i] : NULL;
}

int past_depth(const struct past_frame *f)
{
	return f->frame->known ? (int)f->frame->depth : -1;
}

const struct record_value *past_slot(const struct past_frame *f, int i)
{
	return i >= 0 && i < past_depth(f) ? &f->frame->values[f->frame->nlocals + (uint32_t)i] : NULL;
}

const char *past_local_name(const struct past_frame *f, int i)
{
	return (uint32_t)i < f->code->nlocals ?
		       record_code_text(f->code, record_code_local(f->code, (uint32_t)i)->name) :
		       NULL;
}

const struct record_value *past_named(struct session *s, const char *name, struct err *err)
{
	const struct frame *f = session_frame(s, err);
	const struct record_value *v = NULL;
	const char *local;
	long slot = -1;
	int i;

	if (!f)
		return NULL;
	if (*name == '$' && text_is_number(name + 1, 0, 100000, &slot))
		v = past_slot(f->past, (int)slot);
	for (i = 0; !v && slot < 0 && (local = past_local_name(f->past, i)); i++)
		if (!strcmp(local, name))
			v = past_local(f->past, i);
	if (v && record_value_kind(v) != RECORDED_UNKNOWN && (slot >= 0 || record_value_kind(v) != RECORDED_NULL))
		return v;
	if (v && record_value_kind(v) == RECORDED_NULL)
		err_set(err, "'%s' was not bound then", name);
	else if (v || !f->past->frame->known)
		err_set(err, "the record does not have the value of '%s' there", name);
	else if (name[strcspn(name, " .[(+-*/%<>=!&|^~,:")])
		session_present(s, err);
	else
		err_set(err, "no variable '%s' in %s then: the past has variables and slots only", name, f->qualname);
	return NULL;
}

int past_local_kind(const struct past_frame *f, int i)
{
	return (int)record_code_local(f->code, (uint32_t)i)->kind;
}

int past_operands(const struct past_frame *f)
{
	int pops = record_code_step(f->code, f->frame->unit)->pops;

	return pops < past_depth(f) ? pops : past_depth(f) < 0 ? 0 : past_depth(f);
}

const struct record_instr *past_instr(const struct past_frame *f)
{
	return record_code_instr(f->code, record_code_step(f->code, f->frame->unit)->instr);
}

void past_instr_text(const struct past_frame *f, struct buf *out)
{
	const struct record_instr *in = past_instr(f);
	const char *arg = record_code_text(f->code, in->arg);

	buf_addf(out, "%u %s%s%s", 2 * in->unit, record_code_text(f->code, in->op), *arg ? " " : "", arg);
}
