/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: what the user can say, as constants; how a line finds its command; what an answer is. */
#ifndef CDBG_CMD_H
#define CDBG_CMD_H
#include <stdbool.h>

#ifndef CDBG_BUF_H
#include "base/buf.h"
#endif

struct err;
struct py_obj;
struct rows;
struct session;
struct val;

enum cmd_flags {
	CMD_NEEDS_STOP = 1 << 0,             /* refused unless the program is stopped (and not exited) */
	CMD_RESUMES = 1 << 1,
	CMD_CHANGES = 1 << 2,                /* changes the program */
	CMD_REPEATS = 1 << 3,                /* an empty line runs it again */
	CMD_AFTER_EXIT = 1 << 4,             /* taken when the program has ended */
	CMD_BLOCK = 1 << 6,                  /* lines up to `end` follow; run() gets them behind its arguments */
	CMD_BLOCK_BARE = 1 << 7,             /* the same, but only without arguments */
	CMD_SETS = 1 << 8,                   /* also said behind `set` */
	CMD_RAW = 1 << 5,                    /* its arguments are Python or free text: nothing is trimmed inside */
};

/* Groups, in the order of `help`. */
enum cmd_group { GROUP_RUN, GROUP_BREAK, GROUP_LOOK, GROUP_CHANGE, GROUP_DYNAMO, GROUP_SUPPORT };

/* The answer to one command, its own: text, or rows, of which who wants text makes it (view_text()). */
struct reply {
	struct buf text;
	struct rows *rows;
	bool value;                          /* text is a value's own: its lines are the program's, not cdbg's */
	struct val *more;                    /* owned map: further members of the answer for machines; or NULL */
};

struct cmd_def {
	const char *name;
	const char *alias;                   /* other names, by spaces; or NULL */
	const char *args;                    /* "[LOCATION] [if COND]", or NULL */
	const char *help;                    /* one line, no full stop */
	const char *more;                    /* further lines of `help NAME`, or NULL */
	enum cmd_group group;
	unsigned flags;
	/* Add to list (strings) what may stand where `word` (the last one of args) is; may be NULL. */
	void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
	/* Before lines are gathered for CMD_BLOCK: -1 refuses at once; may be NULL. */
	int (*begin)(struct session *s, const char *args, struct err *err);
	/* args: the rest of the line, never NULL. */
	int (*run)(struct session *s, const char *args, struct reply *out, struct err *err);
};

/* The i-th of all commands, in the order in which the tables were added; NULL past the last. */
const struct cmd_def *cmd_at(int i);
/* By name, alias or unambiguous prefix; NULL with err ("ambiguous: ..."). */
const struct cmd_def *cmd_find(const char *name, struct err *err);
void cmd_add(const struct cmd_def *const *tables);           /* NULL-terminated arrays of arrays; kept; once only */
/*
 * The n bytes of a line as they were read, as cmd_execute() takes them; the caller's.  A NUL, which would end the text,
 * becomes two bytes that are no UTF-8, CMD_NUL: cmd_execute() refuses such a line.
 */
char *cmd_line(const char *s, size_t n);
#define CMD_NUL "\xc0\x80"
/*
 * Run one line.  The empty line repeats the last that may be; a line that is no command is Python (bare
 * expression or statement) when stopped.  -1: err.  s->resume tells whether the program goes on.
 */
int cmd_execute(struct session *s, const char *line, struct reply *out, struct err *err);
int cmd_may_run(struct session *s, const struct cmd_def *c, struct err *err);        /* now; -1: err says when */
/* Lines are being gathered for a command (`commands`, `python`) up to `end`: a prompt shows it. */
bool cmd_gathering(const struct session *s);
void cmd_gather_drop(struct session *s);     /* Ctrl-C: forget them */
bool cmd_is_python(struct session *s, const char *line);     /* no command has that name: see cmd_execute() */
void reply_release(struct reply *r);
/* Everything that may complete the word at the end of line: strings, sorted.  Where in line the word begins. */
const char *cmd_complete(struct session *s, const char *line, struct val *list);
/* The same with descriptions: "text<Tab>what it is", where something is known of it. */
void cmd_complete_described(struct session *s, const char *line, struct val *list);
/* Describe the candidates for the end of this line by the tables and values that they name. */
void cmd_describe(struct session *s, const char *line, struct val *list);

/* A value as the program itself shows it, at most repr-limit bytes of it, the bound said. */
int cmd_value(struct session *s, struct py_obj *v, struct reply *out, struct err *err);

/* Shared completers. */
void cmd_complete_location(struct session *s, const char *args, const char *word, struct val *list);
void cmd_complete_name(struct session *s, const char *args, const char *word, struct val *list);
void cmd_complete_view(struct session *s, const char *args, const char *word, struct val *list);

/* Argument helpers: the next word of *args (moves it on); false at the end. */
bool cmd_word(const char **args, struct buf *word);
int cmd_count(const char *args, long *count, struct err *err);       /* "" is 1; positive numbers only */

#endif
