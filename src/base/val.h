/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain data trees (as in JSON) for rows, details and replies.  Knows no JSON library. */
#ifndef CDBG_VAL_H
#define CDBG_VAL_H
#include <stdbool.h>
#include <stddef.h>

enum val_type { VAL_NULL, VAL_BOOL, VAL_INT, VAL_REAL, VAL_STR, VAL_LIST, VAL_MAP };

/* A map keeps the order in which its keys were added. */
struct val {
	enum val_type type;
	union {
		bool b;
		long long i;
		double r;
		char *s; /* UTF-8, in the same block */
		struct {
			struct val **item;
			char **key;
			size_t n, cap;
		} list; /* key only in maps */
	} u;
};

struct val *val_null(void); /* this and val_bool() return constants, which val_free() leaves alone */
struct val *val_bool(bool b);
struct val *val_int(long long i);
struct val *val_real(double r);
struct val *val_str(const char *s); /* NULL makes a null */
struct val *val_list(void);
struct val *val_map(void);
void val_free(struct val *v); /* NULL is fine */
struct val *val_copy(const struct val *v);
/* val_push() and val_put() take ownership of item and return it. */
struct val *val_push(struct val *list, struct val *item);
void val_pushf(struct val *list, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* a formatted string */
struct val *val_put(struct val *map, const char *key, struct val *item);		      /* replaces */
const struct val *val_get(const struct val *map, const char *key);			      /* NULL when absent */
const char *val_text(const struct val *map, const char *key); /* "" when absent or no string */
long long val_number(const struct val *map, const char *key, long long absent);

#endif
