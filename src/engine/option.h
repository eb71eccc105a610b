/* SPDX-License-Identifier: BSD-3-Clause */
/* Options: one table a source (core, plugins); set, show, completion, help and rc files read it. */
#ifndef CDBG_OPTION_H
#define CDBG_OPTION_H
#include <stdbool.h>

struct err;
struct session;
struct val;

enum option_type { OPTION_BOOL, OPTION_NUMBER, OPTION_CHOICE, OPTION_TEXT };

struct option_def {
	const char *name;                    /* "repr-limit" */
	enum option_type type;
	long number, min, max;               /* default and limits; a bool's default is number */
	const char *text;                    /* default of a choice or a text */
	const char *const *choices;          /* NULL-terminated */
	const char *help;                    /* one line */
	void (*changed)(struct session *s);  /* may be NULL */
	/* Can it have this value, which is one of the choices, here and now?  -1 with err; NULL: yes. */
	int (*check)(struct session *s, const char *value, struct err *err);
};

int option_set(struct session *s, const char *name, const char *value, struct err *err);
long option_number(const struct session *s, const char *name);       /* bools too; BUG() when there is none */
const char *option_text(const struct session *s, const char *name);
const struct option_def *option_find(const struct session *s, const char *name, struct err *err); /* prefixes */
/* The i-th of all, core's first, then plugins'; NULL past the last. */
const struct option_def *option_at(const struct session *s, int i);
void option_add(struct session *s, const struct option_def *defs);    /* ends with name NULL; kept by reference */
void option_value(const struct session *s, const struct option_def *d, char *out, int size);

#endif
