/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command is: a constant with its names, its help, its arguments and its function.  Declares data only, for
   plugins too. */
#ifndef CDBG_CMD_DEF_H
#define CDBG_CMD_DEF_H
#include <stdbool.h>
#include <string.h>

#ifndef CDBG_BUF_H
#include "base/buf.h"
#endif

struct err;
struct rows;
struct session;
struct val;

enum cmd_flags {
	CMD_NEEDS_STOP = 1 << 0, /* refused unless the program is stopped (and has not exited) */
	CMD_RESUMES = 1 << 1,
	CMD_CHANGES = 1 << 2,	 /* changes the program */
	CMD_REPEATS = 1 << 3,	 /* an empty line runs it again */
	CMD_AFTER_EXIT = 1 << 4, /* accepted when the program has ended */
	CMD_BLOCK = 1 << 6,	 /* lines up to `end` follow; run() gets them after its arguments */
	CMD_BLOCK_BARE = 1 << 7, /* the same, but only without arguments */
	CMD_SETS = 1 << 8,	 /* can also be typed after `set` */
	CMD_SCREEN = 1 << 9,	 /* run by the full screen itself, also while the program runs */
	CMD_PAST = 1 << 10,	 /* accepted in the past though it resumes: it goes forward in the record */
	CMD_GONE = 1 << 12,	 /* needs no process: the record of one that is gone is sufficient */
	CMD_BARE = 1 << 11,	 /* of a subcommand: it is meant where none is named */
	CMD_RAW = 1 << 5,	 /* its arguments are Python or free text: spaces inside are kept */
};

/* Groups, in the order of `help`. */
enum cmd_group { GROUP_RUN, GROUP_BREAK, GROUP_LOOK, GROUP_CHANGE, GROUP_DYNAMO, GROUP_SUPPORT };

/* The answer to one command: text, or rows, which view_text() makes into text for people. */
struct reply {
	struct buf text;
	struct rows *rows;
	bool value;	  /* text is a value of the program: its lines are not cdbg's */
	struct val *more; /* owned map: further members of the answer for machines; or NULL */
};

/* What an argument named NAME in a description is; see cmd/usage.h. */
struct cmd_kind {
	const char *name;
	unsigned flags;
	/* As in struct cmd_def; may be NULL. */
	void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
	int (*check)(const char *text, struct err *err); /* -1: text is not valid for it; may be NULL */
};
enum cmd_kind_flags {
	KIND_WORD = 1 << 0, /* one word, never more */
	KIND_TEXT = 1 << 1, /* may begin with '-' and a letter, as expressions may */
};

/* The arguments of a subcommand, parsed by its description. */
enum { CMD_ARGS_MAX = 8 };
struct cmd_args {
	const char *text; /* all of them as typed; never NULL */
	int n;
	struct {
		const char *name; /* as the description writes it: "GUARD...|all", "-r"; len bytes */
		size_t len;
		char *text;
	} item[CMD_ARGS_MAX];
};

/* The argument of this name ("GUARD...|all", "-r"); NULL: it was not given. */
static inline const char *cmd_arg(const struct cmd_args *a, const char *name)
{
	int i;

	for (i = 0; i < a->n; i++)
		if (strlen(name) == a->item[i].len && !strncmp(name, a->item[i].name, a->item[i].len))
			return a->item[i].text;
	return NULL;
}

/* A subcommand: `guard drop`.  Its description is used to parse, complete and explain its arguments. */
struct cmd_sub {
	const char *name;
	const char *args; /* the description, see cmd/usage.h; NULL: no arguments */
	const char *help; /* one line, no full stop */
	const char *more; /* further lines of `help COMMAND NAME`, or NULL */
	unsigned flags;	  /* its own flags; those of the command do not apply to it */
	/* Completes instead of the description; args: after the subcommand.  May be NULL. */
	void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
	int (*run)(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
};

struct cmd_def {
	const char *name;
	const char *alias; /* other names, separated by spaces; or NULL */
	const char *args;  /* "[LOCATION] [if COND]"; NULL: none, or subs has them */
	const char *help;  /* one line, no full stop */
	const char *more;  /* further lines of `help NAME`, or NULL */
	enum cmd_group group;
	unsigned flags;		      /* with subs: the flags of any of them; see cmd_flags() */
	const struct cmd_sub *subs;   /* ends with name NULL; or NULL: run parses the arguments */
	const struct cmd_kind *kinds; /* kinds of the arguments of subs, before the core's; or NULL */
	/* Add to list (strings) the possible completions of `word` (the last one of args); may be NULL. */
	void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
	/* Before lines are gathered for CMD_BLOCK: -1 refuses at once; may be NULL. */
	int (*begin)(struct session *s, const char *args, struct err *err);
	/* args: the rest of the line, never NULL.  NULL with subs. */
	int (*run)(struct session *s, const char *args, struct reply *out, struct err *err);
};

#endif
