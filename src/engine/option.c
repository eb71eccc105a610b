/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of options, whatever tables define them.  Knows no single option and no command. */
#include "engine/option.h"
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/pick.h"
#include "engine/session.h"

struct value {
	const struct option_def *def;
	long number;
	char *text; /* owned; choices and texts */
};

struct options {
	struct value *v;
	size_t n, cap;
};

static void add_values(struct options *o, const struct option_def *d)
{
	for (; d->name; d++) {
		o->v = mem_grow(o->v, &o->cap, o->n + 1, sizeof(*o->v));
		o->v[o->n++] = (struct value){ .def = d, .number = d->number, .text = mem_str(d->text) };
	}
}

static struct options *options(const struct session *s)
{
	static struct options none;

	return s->options ? s->options : &none;
}

void option_add(struct session *s, const struct option_def *defs)
{
	if (!s->options)
		s->options = mem_alloc(sizeof(*s->options));
	add_values(s->options, defs);
}

const struct option_def *option_at(const struct session *s, int i)
{
	struct options *o = options(s);

	return i >= 0 && (size_t)i < o->n ? o->v[i].def : NULL;
}

/* Each step asks for options, by names that are constants: where the one at this address was is tried first. */
static struct value *option_exact(const struct session *s, const char *name)
{
	static unsigned char last[256];
	struct options *o = options(s);
	unsigned char *at = &last[(uint32_t)((uintptr_t)name * 0x9e3779b1u) >> 24];
	size_t i;

	if (*at < o->n && (o->v[*at].def->name == name || !strcmp(o->v[*at].def->name, name)))
		return &o->v[*at];
	for (i = 0; i < o->n; i++) {
		if (!strcmp(o->v[i].def->name, name)) {
			*at = (unsigned char)i;
			return &o->v[i];
		}
	}
	return NULL;
}

static const char *option_name_at(const void *s, int i)
{
	const struct option_def *d = option_at(s, i);

	return d ? d->name : NULL;
}

static struct value *option_stored(const struct session *s, const char *name, struct err *err)
{
	const struct pick names = {
		.what = "option", .list = "'show' lists the options", .at = option_name_at, .arg = s
	};
	int i = pick_name(&names, name, err);

	return i < 0 ? NULL : &options(s)->v[i];
}

const struct option_def *option_find(const struct session *s, const char *name, struct err *err)
{
	struct value *v = option_stored(s, name, err);

	return v ? v->def : NULL;
}

/* The choice that word means: exactly, or as an unambiguous prefix. */
static const char *choice(const struct option_def *d, const char *word)
{
	const char *found = NULL;
	int i, hits = 0;

	for (i = 0; d->choices[i]; i++) {
		if (!strcmp(d->choices[i], word))
			return d->choices[i];
		if (*word && !strncmp(d->choices[i], word, strlen(word))) {
			found = d->choices[i];
			hits++;
		}
	}
	return hits == 1 ? found : NULL;
}

static const char *choice_at(const void *arg, int i)
{
	const struct option_def *d = arg;

	return d->choices[i];
}

static int set_choice(struct session *s, struct value *v, const char *word, struct err *err)
{
	struct pick known = { .what = "value", .at = choice_at, .arg = v->def };
	const char *c = choice(v->def, word), *near;
	struct buf names = { 0 };
	int i;

	if (!c) {
		near = pick_nearest(&known, word);
		if (near)
			return err_set(err, "invalid value '%s' for '%s'; did you mean '%s'?", word, v->def->name,
				       near);
		for (i = 0; v->def->choices[i]; i++)
			buf_addf(&names, "%s%s", i ? ", " : "", v->def->choices[i]);
		err_set(err, "invalid value '%s' for '%s'; try: %s", word, v->def->name, buf_str(&names));
		buf_release(&names);
		return -1;
	}
	if (v->def->check && v->def->check(s, c, err) < 0)
		return -1;
	free(v->text);
	v->text = mem_str(c);
	return 0;
}

static int set_bool(struct value *v, const char *word, struct err *err)
{
	static const char *const words[] = { "off", "on", "no", "yes", "0", "1", "false", "true" };
	size_t i;

	if (!*word) { /* `set trace` means on, as in gdb */
		v->number = 1;
		return 0;
	}
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], word)) {
			v->number = i % 2;
			return 0;
		}
	return err_set(err, "invalid value '%s' for '%s': expected on or off", word, v->def->name);
}

static int bad_number(const struct value *v, const char *word, struct err *err)
{
	return err_set(err, "invalid value '%s' for '%s': expected a number from %ld to %ld", word, v->def->name,
		       v->def->min, v->def->max);
}

static int set_number(struct value *v, const char *word, struct err *err)
{
	return text_is_number(word, v->def->min, v->def->max, &v->number) ? 0 : bad_number(v, word, err);
}

int option_set(struct session *s, const char *name, const char *value, struct err *err)
{
	struct value *v = option_stored(s, name, err);
	int ret = 0;

	if (!v)
		return -1;
	switch (v->def->type) {
	case OPTION_BOOL:
		ret = set_bool(v, value, err);
		break;
	case OPTION_NUMBER:
		ret = set_number(v, value, err);
		break;
	case OPTION_CHOICE:
		ret = set_choice(s, v, value, err);
		break;
	case OPTION_TEXT:
		ret = v->def->check ? v->def->check(s, value, err) : 0;
		if (ret < 0)
			break;
		free(v->text);
		v->text = mem_str(value);
		break;
	}
	if (ret == 0 && v->def->changed)
		v->def->changed(s);
	return ret;
}

long option_number(const struct session *s, const char *name)
{
	struct value *v = option_exact(s, name);

	if (!v)
		BUG("no option '%s'", name);
	return v->number;
}

const char *option_text(const struct session *s, const char *name)
{
	struct value *v = option_exact(s, name);

	if (!v)
		BUG("no option '%s'", name);
	return v->text ? v->text : "";
}

/* Steps ask: most texts differ in the first character. */
bool option_is(const struct session *s, const char *name, const char *text)
{
	const char *now = option_text(s, name);

	return *now == *text && !strcmp(now, text);
}

void option_value(const struct session *s, const struct option_def *d, char *out, int size)
{
	struct value *v = option_exact(s, d->name);

	if (d->type == OPTION_BOOL)
		snprintf(out, (size_t)size, "%s", v->number ? "on" : "off");
	else if (d->type == OPTION_NUMBER)
		snprintf(out, (size_t)size, "%ld", v->number);
	else
		snprintf(out, (size_t)size, "%s", v->text ? v->text : "");
}
