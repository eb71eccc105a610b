/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: constants that describe them, how a line finds its command, and the answer to one. */
#ifndef CDBG_CMD_H
#define CDBG_CMD_H
#include <stdbool.h>
#include <string.h>

#ifndef CDBG_BUF_H
#include "base/buf.h"
#endif

struct err;
struct py_obj;
struct rows;
struct session;
struct val;

enum cmd_flags {
	CMD_NEEDS_STOP = 1 << 0,             /* refused unless the program is stopped (and has not exited) */
	CMD_RESUMES = 1 << 1,
	CMD_CHANGES = 1 << 2,                /* changes the program */
	CMD_REPEATS = 1 << 3,                /* an empty line runs it again */
	CMD_AFTER_EXIT = 1 << 4,             /* accepted when the program has ended */
	CMD_BLOCK = 1 << 6,                  /* lines up to `end` follow; run() gets them after its arguments */
	CMD_BLOCK_BARE = 1 << 7,             /* the same, but only without arguments */
	CMD_SETS = 1 << 8,                   /* can also be typed after `set` */
	CMD_SCREEN = 1 << 9,                 /* run by the full screen itself, also while the program runs */
	CMD_RAW = 1 << 5,                    /* its arguments are Python or free text: spaces inside are kept */
};

/* Groups, in the order of `help`. */
enum cmd_group { GROUP_RUN, GROUP_BREAK, GROUP_LOOK, GROUP_CHANGE, GROUP_DYNAMO, GROUP_SUPPORT };

/* The answer to one command: text, or rows, which view_text() makes into text for people. */
struct reply {
	struct buf text;
	struct rows *rows;
	bool value;                          /* text is a value of the program: its lines are not cdbg's */
	struct val *more;                    /* owned map: further members of the answer for machines; or NULL */
};

/* What an argument named NAME in a description is; see cmd/usage.h. */
struct cmd_kind {
	const char *name;
	unsigned flags;
	/* As in struct cmd_def; may be NULL. */
	void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
	int (*check)(const char *text, struct err *err);     /* -1: text is not valid for it; may be NULL */
};
enum cmd_kind_flags {
	KIND_WORD = 1 << 0,                  /* one word, never more */
	KIND_TEXT = 1 << 1,                  /* may begin with '-' and a letter, as expressions may */
};

/* The arguments of a subcommand, parsed by its description. */
enum { CMD_ARGS_MAX = 8 };
struct cmd_args {
	const char *text;                    /* all of them as typed; never NULL */
	int n;
	struct {
		const char *name;            /* as the description writes it: "GUARD...|all", "-r"; len bytes */
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
	const char *args;                    /* the description, see cmd/usage.h; NULL: no arguments */
	const char *help;                    /* one line, no full stop */
	const char *more;                    /* further lines of `help COMMAND NAME`, or NULL */
	unsigned flags;                      /* its own flags; those of the command do not apply to it */
	/* Completes instead of the description; args: after the subcommand.  May be NULL. */
	void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
	int (*run)(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
};

struct cmd_def {
	const char *name;
	const char *alias;                   /* other names, separated by spaces; or NULL */
	const char *args;                    /* "[LOCATION] [if COND]"; NULL: none, or subs has them */
	const char *help;                    /* one line, no full stop */
	const char *more;                    /* further lines of `help NAME`, or NULL */
	enum cmd_group group;
	unsigned flags;                      /* with subs: the flags of any of them; see cmd_flags() */
	const struct cmd_sub *subs;          /* ends with name NULL; or NULL: run parses the arguments */
	const struct cmd_kind *kinds;        /* kinds of the arguments of subs, before the core's; or NULL */
	/* Add to list (strings) the possible completions of `word` (the last one of args); may be NULL. */
	void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
	/* Before lines are gathered for CMD_BLOCK: -1 refuses at once; may be NULL. */
	int (*begin)(struct session *s, const char *args, struct err *err);
	/* args: the rest of the line, never NULL.  NULL with subs. */
	int (*run)(struct session *s, const char *args, struct reply *out, struct err *err);
};

/* Kinds of arguments that all commands know: N, EXPR, VALUE, TEXT, FUNC, LOCATION, VIEW. */
extern const struct cmd_kind cmd_kinds[];

/* The i-th of all commands, in the order in which the tables were added; NULL past the last. */
const struct cmd_def *cmd_at(int i);
const struct cmd_def *cmd_exact(const char *name);           /* by its full name or another name of it; or NULL */
/* By name, alias or unambiguous prefix; NULL with err. */
const struct cmd_def *cmd_find(const char *name, struct err *err);
void cmd_add(const struct cmd_def *const *tables);           /* NULL-terminated arrays of arrays; kept; once only */
/*
 * The n bytes of a line as they were read, in the form that cmd_execute() takes; owned by the caller.  A NUL, which
 * would end the text, becomes CMD_NUL, two bytes that are not UTF-8: cmd_execute() refuses such a line.
 */
char *cmd_line(const char *s, size_t n);
#define CMD_NUL "\xc0\x80"
/*
 * Run one line.  An empty line repeats the last command that allows it; a line that is not a command is executed as
 * Python (expression or statement) when stopped.  -1: err.  s->resume: whether the program continues.
 */
int cmd_execute(struct session *s, const char *line, struct reply *out, struct err *err);
/* The flags of this command with these arguments: those of the subcommand, if args begin with one. */
unsigned cmd_flags(const struct cmd_def *c, const char *args);
/* Run it, or the subcommand that args begin with.  -1: err. */
int cmd_invoke(struct session *s, const struct cmd_def *c, const char *args, struct reply *out, struct err *err);
int cmd_may_run(struct session *s, const struct cmd_def *c, const char *args, struct err *err);  /* may it run? */
int cmd_not_now(struct session *s, const char *what, struct err *err);       /* -1: it is running, or has ended */
/* By name or unambiguous prefix; NULL with err. */
const struct cmd_sub *cmd_sub_find(const struct cmd_def *c, const char *name, struct err *err);
/* Add all possible completions of the last word of args, like cmd_def.complete. */
void cmd_sub_complete(struct session *s, const struct cmd_def *c, const char *args, const char *word, struct val *list);
/* Lines are being gathered for a command (`commands`, `python`) up to `end`: prompts show it. */
bool cmd_gathering(const struct session *s);
void cmd_gather_drop(struct session *s);     /* Ctrl-C: discard them */
bool cmd_is_python(struct session *s, const char *line);     /* no command has that name: see cmd_execute() */
void reply_release(struct reply *r);
/* The possible completions of the word at the end of line: strings, sorted.  *start: where the word begins in line. */
const char *cmd_complete(struct session *s, const char *line, struct val *list);
/* The same with descriptions, where there are any: "text<Tab>description". */
void cmd_complete_described(struct session *s, const char *line, struct val *list);
/* Describe the candidates for the end of this line by the tables and values that they name. */
void cmd_describe(struct session *s, const char *line, struct val *list);

/* The repr of a value, at most repr-limit bytes of it; a longer one ends with a note. */
int cmd_value(struct session *s, struct py_obj *v, struct reply *out, struct err *err);

/* Shared completers. */
void cmd_complete_location(struct session *s, const char *args, const char *word, struct val *list);
void cmd_complete_name(struct session *s, const char *args, const char *word, struct val *list);
void cmd_complete_view(struct session *s, const char *args, const char *word, struct val *list);

/* Argument helpers: the next word of *args, which moves past it; false at the end. */
bool cmd_word(const char **args, struct buf *word);
int cmd_count(const char *args, long *count, struct err *err);       /* "" is 1; positive numbers only */

#endif
