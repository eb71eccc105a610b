/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain data trees: see val.h.  Knows no JSON library. */
#include "config.h"

#include "base/val.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* Most cells of long tables are one of these: every null and bool is one of three constants, never freed. */
static struct val null = { .type = VAL_NULL }, no = { .type = VAL_BOOL }, yes = { .type = VAL_BOOL, .u.b = true };

static struct val *val_new(enum val_type type)
{
	struct val *v = mem_raw(sizeof(*v));

	*v = (struct val){ .type = type };
	return v;
}

struct val *val_null(void)
{
	return &null;
}

struct val *val_bool(bool b)
{
	return b ? &yes : &no;
}

struct val *val_int(long long i)
{
	struct val *v = val_new(VAL_INT);

	v->u.i = i;
	return v;
}

struct val *val_real(double r)
{
	struct val *v = val_new(VAL_REAL);

	v->u.r = r;
	return v;
}

struct val *val_str(const char *s)
{
	size_t head = offsetof(struct val, u) + sizeof(char *), n = s ? strlen(s) + 1 : 0;
	struct val *v;

	if (!s)
		return val_null();
	v = mem_raw(head + n > sizeof(*v) ? head + n : sizeof(*v));
	v->type = VAL_STR;
	v->u.s = memcpy((char *)v + head, s, n);
	return v;
}

struct val *val_list(void)
{
	return val_new(VAL_LIST);
}

struct val *val_map(void)
{
	return val_new(VAL_MAP);
}

void val_free(struct val *v)
{
	size_t i;

	if (!v || v->type == VAL_NULL || v->type == VAL_BOOL)
		return;
	if (v->type == VAL_LIST || v->type == VAL_MAP) {
		for (i = 0; i < v->u.list.n; i++) {
			val_free(v->u.list.item[i]);
			if (v->type == VAL_MAP)
				free(v->u.list.key[i]);
		}
		free(v->u.list.item);
		free(v->u.list.key);
	}
	free(v);
}

/* Append; key is owned from here on, NULL in a list. */
static void val_append(struct val *v, char *key, struct val *item)
{
	size_t cap = v->u.list.cap;
	size_t n = v->u.list.n;

	if (v->type == VAL_MAP) {
		v->u.list.key = mem_grow(v->u.list.key, &cap, n + 1, sizeof(char *));
		v->u.list.key[n] = key;
	}
	v->u.list.item = mem_grow(v->u.list.item, &v->u.list.cap, n + 1, sizeof(struct val *));
	v->u.list.item[n] = item;
	v->u.list.n = n + 1;
}

struct val *val_copy(const struct val *v)
{
	struct val *to;
	size_t i;

	if (v->type == VAL_NULL)
		return val_null();
	if (v->type == VAL_BOOL)
		return val_bool(v->u.b);
	to = v->type == VAL_STR ? val_str(v->u.s) : val_new(v->type);
	if (v->type == VAL_LIST || v->type == VAL_MAP) {
		for (i = 0; i < v->u.list.n; i++)
			val_append(to, v->type == VAL_MAP ? mem_str(v->u.list.key[i]) : NULL,
				   val_copy(v->u.list.item[i]));
	} else if (v->type != VAL_STR) {
		to->u = v->u;
	}
	return to;
}

struct val *val_push(struct val *list, struct val *item)
{
	if (list->type != VAL_LIST)
		BUG("val_push on a val of type %d", list->type);
	val_append(list, NULL, item);
	return item;
}

void val_pushf(struct val *list, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	val_push(list, val_str(text));
	free(text);
}

/* The place of a key, or the number of items. */
static size_t val_find(const struct val *map, const char *key)
{
	size_t i;

	for (i = 0; i < map->u.list.n; i++)
		if (!strcmp(map->u.list.key[i], key))
			break;
	return i;
}

struct val *val_put(struct val *map, const char *key, struct val *item)
{
	size_t i;

	if (map->type != VAL_MAP)
		BUG("val_put of '%s' on a val of type %d", key, map->type);
	i = val_find(map, key);
	if (i < map->u.list.n) {
		val_free(map->u.list.item[i]);
		map->u.list.item[i] = item;
	} else {
		val_append(map, mem_str(key), item);
	}
	return item;
}

const struct val *val_get(const struct val *map, const char *key)
{
	size_t i;

	if (!map || map->type != VAL_MAP)
		return NULL;
	i = val_find(map, key);
	return i < map->u.list.n ? map->u.list.item[i] : NULL;
}

const char *val_text(const struct val *map, const char *key)
{
	const struct val *v = val_get(map, key);

	return v && v->type == VAL_STR ? v->u.s : "";
}

long long val_number(const struct val *map, const char *key, long long absent)
{
	const struct val *v = val_get(map, key);

	return v && v->type == VAL_INT ? v->u.i : absent;
}
