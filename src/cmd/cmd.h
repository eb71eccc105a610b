/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: finds one by its name, runs a line, and has what several commands share.  cmd/cmd_def.h describes one. */
#ifndef CDBG_CMD_H
#define CDBG_CMD_H
#include "cmd/cmd_def.h"

struct py_obj;

/* Kinds of arguments that all commands know: N, EXPR, VALUE, TEXT, FUNC, LOCATION, VIEW. */
extern const struct cmd_kind cmd_kinds[];

/* The i-th of all commands, in the order in which the tables were added; NULL past the last. */
const struct cmd_def *cmd_at(int i);
const struct cmd_def *cmd_exact(const char *name); /* by its full name or another name of it; or NULL */
/* By name, alias or unambiguous prefix; NULL with err. */
const struct cmd_def *cmd_find(const char *name, struct err *err);
void cmd_add(const struct cmd_def *const *tables); /* NULL-terminated arrays of arrays; kept; once only */
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
/* Are the options at the begin of words in this description ("[-a] [FUNC]", or NULL)?  of: what takes them, "info asm".
   -1: err. */
int cmd_check_options(const char *of, const char *description, const char *words, struct err *err);
/* After a command that sets something for the program: it takes effect when that is started again. */
void cmd_say_ended(struct session *s, struct reply *out);
int cmd_may_run(struct session *s, const struct cmd_def *c, const char *args, struct err *err); /* may it run? */
int cmd_not_now(struct session *s, const char *what, struct err *err); /* -1: it is running, or has ended */
/* By name or unambiguous prefix; NULL with err. */
const struct cmd_sub *cmd_sub_find(const struct cmd_def *c, const char *name, struct err *err);
/* Add all possible completions of the last word of args, like cmd_def.complete. */
void cmd_sub_complete(struct session *s, const struct cmd_def *c, const char *args, const char *word, struct val *list);
/* Lines are being gathered for a command (`commands`, `python`) up to `end`: prompts show it. */
bool cmd_gathering(const struct session *s);
void cmd_gather_drop(struct session *s); /* Ctrl-C: discard them */
/* Is one of the commands of the breakpoint that stopped, which are queued, one that continues the program? */
bool cmd_queue_resumes(struct session *s);
bool cmd_is_python(struct session *s, const char *line); /* no command has that name: see cmd_execute() */
void reply_release(struct reply *r);
/* The possible completions of the word at the end of line: strings, sorted.  *start: where the word begins in line. */
const char *cmd_complete(struct session *s, const char *line, struct val *list);
/* The same with descriptions, where there are any: "text<Tab>description". */
void cmd_complete_described(struct session *s, const char *line, struct val *list);
/* Adds a completion and what it is. */
void cmd_candidate(struct val *list, const char *text, const char *about);
/* Adds the rows of a view: their column `name`, described by the columns that `about` names. */
void cmd_complete_rows(struct session *s, const char *view, const char *name, const char *about, struct val *list);
/* Why nothing completes the end of this line: the caller's text. */
char *cmd_complete_none(struct session *s, const char *line);
/* Describe the candidates for the end of this line by the tables and values that they name. */
void cmd_describe(struct session *s, const char *line, struct val *list);

/* The repr of a value, at most repr-limit bytes of it; a longer one ends with a note. */
int cmd_value(struct session *s, struct py_obj *v, struct reply *out, struct err *err);

/* In the past: a variable or $N from the record; type: with its type.  -1: err, also for other expressions. */
int cmd_past_value(struct session *s, const char *name, bool type, struct reply *out, struct err *err);

/* Shared completers. */
void cmd_complete_location(struct session *s, const char *args, const char *word, struct val *list);
void cmd_complete_name(struct session *s, const char *args, const char *word, struct val *list);
void cmd_complete_view(struct session *s, const char *args, const char *word, struct val *list);
void cmd_complete_signals(struct val *list, int but); /* those that cdbg can catch, but one; 0: all of them */

/* Argument helpers: the next word of *args, which moves past it; false at the end. */
bool cmd_word(const char **args, struct buf *word);
int cmd_count(const char *args, long *count, struct err *err); /* "" is 1; positive numbers only */

#endif
