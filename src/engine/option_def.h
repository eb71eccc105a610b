/* SPDX-License-Identifier: BSD-3-Clause */
/* What an option is: a row of a table. */
#ifndef CDBG_OPTION_DEF_H
#define CDBG_OPTION_DEF_H

struct err;
struct session;

enum option_type { OPTION_BOOL, OPTION_NUMBER, OPTION_CHOICE, OPTION_TEXT };

struct option_def {
	const char *name; /* "repr-limit" */
	enum option_type type;
	long number, min, max;		    /* default and limits; a bool's default is number */
	const char *text;		    /* default of a choice or a text */
	const char *const *choices;	    /* NULL-terminated; of a text: what completes it, or NULL */
	const char *help;		    /* one line */
	void (*changed)(struct session *s); /* may be NULL */
	/* May the option be set to this choice or text now?  It is set then.  -1 with err; NULL: always. */
	int (*check)(struct session *s, const char *value, struct err *err);
};

#endif
