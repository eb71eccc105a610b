/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests about breakpoints, and events about those that change.  The client sets all of one kind, or of one file, at
   once; those that it wants again stay as they are, with their counts. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "engine/bp.h"
#include "engine/option.h"
#include "engine/pending.h"
#include "engine/python_lines.h"
#include "engine/session.h"
#include "engine/stack.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_message.h"
#include "ui/dap/dap_state.h"

enum { AWAITED = -1 };
enum { SEPARATE = '\x1f' }; /* between the parts of a specification */

/* So many hits do not stop, and so many after each stop. */
struct hit_condition {
	long ignore, again;
};

/* A breakpoint that the client knows. */
struct known {
	long long id;
	int number; /* of cdbg's; 0: it could not be made; AWAITED: see dap_breaks_expect() */
	char *set;  /* owned; what it was set with: "line /a/b.py", "function"; "": by somebody else */
	char *spec; /* owned; all that was asked for */
	bool verified, wanted;
	int line; /* 0: none */
	struct hit_condition hit;
	char *command; /* owned; of one that is awaited; else NULL */
};

static struct {
	struct known *of;
	size_t n, cap;
} known;

static _Atomic long long last_id;
static bool serving; /* the client's own request changes the table */

static void known_drop(size_t i)
{
	free(known.of[i].set);
	free(known.of[i].spec);
	free(known.of[i].command);
	memmove(&known.of[i], &known.of[i + 1], (--known.n - i) * sizeof(*known.of));
}

void dap_breaks_forget(void)
{
	while (known.n)
		known_drop(known.n - 1);
}

long long dap_breaks_id(int number)
{
	size_t i;

	for (i = 0; i < known.n; i++)
		if (known.of[i].number == number)
			return known.of[i].id;
	return 0;
}

/* ---- as the client sees one ------------------------------------------------------------------------------------- */

static const struct place *first_place(const struct bp *b)
{
	return b->type == BP_BREAK && b->places.n ? &b->places.place[0] : NULL;
}

static bool bp_verified(const struct bp *b)
{
	return b->type != BP_BREAK || b->places.n > 0;
}

/* Where it is in a text; a place in code, as that of a function, is shown where its line is.  The file is borrowed;
   NULL: not known. */
static const char *file_of(const struct bp *b)
{
	const struct place *p = first_place(b);

	if (b->type != BP_BREAK || b->loc->type == LOC_LINE)
		return b->type == BP_BREAK ? b->loc->file : NULL;
	return p ? code_file(p->code) : NULL;
}

/* One that was set in the text of an entry is shown there; the caller's.  NULL: it is another one. */
static struct val *source_of_entry(const struct bp *b)
{
	bool entry = b->type == BP_BREAK && b->loc->type == LOC_PYTHON && b->loc->func;

	return entry ? dap_sources_of_entry(b->loc->func) : NULL;
}

static int line_of(struct session *s, const struct bp *b)
{
	const struct place *p = first_place(b);
	struct val *entry = source_of_entry(b);

	val_free(entry);
	if (entry)
		return p ? python_line(s, p->code, p->index) : 0;
	if (b->type == BP_BREAK && b->loc->type == LOC_LINE)
		return p && p->line > 0 ? p->line : p ? b->loc->line : 0;
	return p ? p->line > 0 ? p->line : stack_line(s, p->code, p->index) : 0;
}

static void put_message(struct session *s, struct val *v, const struct bp *b)
{
	struct buf notes = { 0 };
	char *why;

	if (!bp_verified(b)) {
		why = pending_why(s, b->loc);
		val_put(v, "reason", val_str("pending"));
		val_put(v, "message", val_str(why ? why : b->loc->text));
		free(why);
		return;
	}
	bp_notes(b, &notes);
	if (notes.len)
		val_put(v, "message", val_str(notes.s));
	buf_release(&notes);
}

static void put_source(struct session *s, struct val *v, const struct bp *b)
{
	struct val *source = source_of_entry(b);
	bool entry = source != NULL;

	source = entry ? source : val_map();
	if (entry || dap_sources_put(s, file_of(b), source))
		val_put(v, "source", source);
	else
		val_free(source);
}

static struct val *breakpoint_map(struct session *s, const struct known *k, const struct bp *b)
{
	const struct place *p = first_place(b);
	struct val *v = val_map();
	struct buf at = { 0 };

	val_put(v, "id", val_int(k->id));
	val_put(v, "verified", val_bool(bp_verified(b)));
	put_source(s, v, b);
	if (line_of(s, b) > 0)
		val_put(v, "line", val_int(line_of(s, b) - 1 + dap.first_line));
	if (p && p->index >= 0 && p->code->instr) {
		dap_addresses_add(&at, p->code, p->code->instr[p->index].offset);
		val_put(v, "instructionReference", val_str(at.s));
	}
	buf_release(&at);
	put_message(s, v, b);
	return v;
}

static struct val *failed_map(long long id, const char *why)
{
	struct val *v = val_map();

	val_put(v, "id", val_int(id));
	val_put(v, "verified", val_bool(false));
	val_put(v, "reason", val_str("failed"));
	val_put(v, "message", val_str(why));
	return v;
}

static void note_state(struct session *s, struct known *k, const struct bp *b)
{
	k->verified = bp_verified(b);
	k->line = line_of(s, b);
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

static void tell(const char *reason, struct val *breakpoint)
{
	struct val *body = val_map();

	val_put(body, "reason", val_str(reason));
	val_put(body, "breakpoint", breakpoint);
	dap_event("breakpoint", body);
}

static struct known *known_add(const char *set, const char *spec, long long id)
{
	known.of = mem_grow(known.of, &known.cap, known.n + 1, sizeof(*known.of));
	known.of[known.n] = (struct known){ .id = id, .set = mem_str(set), .spec = mem_str(spec) };
	return &known.of[known.n++];
}

/* One that somebody else has set. */
static void tell_new(struct session *s, const struct bp *b)
{
	struct known *k;

	if (dap.phase != DAP_CONFIGURED || b->type != BP_BREAK || b->temporary)
		return;
	k = known_add("", "", ++last_id);
	k->number = b->number;
	note_state(s, k, b);
	tell("new", breakpoint_map(s, k, b));
}

static struct known *known_number(int number)
{
	size_t i;

	for (i = 0; i < known.n; i++)
		if (known.of[i].number == number)
			return &known.of[i];
	return NULL;
}

void dap_breaks_tell_all(struct session *s)
{
	const struct bp *b;

	for (b = bp_first(s); b; b = b->next)
		if (!known_number(b->number))
			tell_new(s, b);
}

/* ---- the program is run again ----------------------------------------------------------------------------------- */

void dap_breaks_rewind(struct session *s)
{
	struct bp *b;
	size_t i;

	for (i = 0; i < known.n; i++) {
		b = bp_find(s, known.of[i].number);
		if (b && *known.of[i].set)
			bp_ignore(b, known.of[i].hit.ignore, known.of[i].hit.again);
	}
}

/* The command that sets it, by which it is known again; the caller's. */
static char *setting_of(struct session *s, const struct bp *b)
{
	struct buf script = { 0 };
	char *line;

	bp_script(s, b, &script);
	line = mem_strn(buf_str(&script), strcspn(buf_str(&script), "\n"));
	buf_release(&script);
	return line;
}

struct val *dap_breaks_keep(struct session *s)
{
	struct val *list = val_list(), *one;
	const struct known *k;
	const struct bp *b;
	char *command;
	size_t i;

	for (i = 0; i < known.n; i++) {
		k = &known.of[i];
		b = bp_find(s, k->number);
		one = val_push(list, val_map());
		command = b ? setting_of(s, b) : mem_str("");
		val_put(one, "id", val_int(k->id));
		val_put(one, "set", val_str(k->set));
		val_put(one, "spec", val_str(k->spec));
		val_put(one, "ignore", val_int(k->hit.ignore));
		val_put(one, "again", val_int(k->hit.again));
		val_put(one, "command", val_str(command));
		free(command);
	}
	return list;
}

void dap_breaks_expect(const struct val *kept)
{
	const struct val *one;
	struct known *k;
	size_t i;

	for (i = 0; kept && kept->type == VAL_LIST && i < kept->u.list.n; i++) {
		one = kept->u.list.item[i];
		k = known_add(val_text(one, "set"), val_text(one, "spec"), val_number(one, "id", 0));
		k->number = AWAITED;
		k->hit = (struct hit_condition){ (long)val_number(one, "ignore", 0),
						 (long)val_number(one, "again", 0) };
		k->command = mem_str(val_text(one, "command"));
		if (k->id > last_id)
			last_id = k->id;
	}
}

/* False: nobody waits for it. */
static bool tell_awaited(struct session *s, const struct bp *b)
{
	struct known *k = NULL;
	char *command = setting_of(s, b);
	size_t i;

	for (i = 0; i < known.n && !k; i++)
		if (known.of[i].number == AWAITED && !strcmp(known.of[i].command, command))
			k = &known.of[i];
	free(command);
	if (!k)
		return false;
	k->number = b->number;
	note_state(s, k, b);
	tell("changed", breakpoint_map(s, k, b));
	return true;
}

void dap_breaks_missing(void)
{
	size_t i;

	for (i = 0; i < known.n; i++)
		if (known.of[i].number == AWAITED) {
			tell("removed", failed_map(known.of[i].id, "it belonged to the program's run before"));
			known_drop(i--);
		}
}

void dap_breaks_news(struct session *s, const struct bp *b, enum bp_news news)
{
	struct known *k = known_number(b->number);

	if (serving)
		return; /* the answer tells it */
	if (news == BP_NEWS_SET) {
		if (!dap.again || !tell_awaited(s, b))
			tell_new(s, b);
	} else if (k && news == BP_NEWS_GONE) {
		tell("removed", failed_map(k->id, "it was deleted"));
		known_drop((size_t)(k - known.of));
	} else if (k && (bp_verified(b) != k->verified || line_of(s, b) != k->line)) {
		note_state(s, k, b);
		tell("changed", breakpoint_map(s, k, b));
	}
}

/* ---- requests that were answered before they could be served ---------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	struct told {
		long long seq, first_id;
	} told[16];
	int n;
} early = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The reader's thread: each is "pending", and an event follows. */
bool dap_breaks_pending(const struct val *message)
{
	const struct val *list = val_get(val_get(message, "arguments"), "breakpoints");
	const char *command = val_text(message, "command");
	struct val *body, *out, *v;
	long long first;
	size_t i;

	if (!list || list->type != VAL_LIST || strncmp(command, "set", 3) != 0)
		return false;
	pthread_mutex_lock(&early.lock);
	if (early.n == 16) {
		pthread_mutex_unlock(&early.lock);
		return false;
	}
	first = last_id + 1;
	last_id += (long long)list->u.list.n;
	early.told[early.n++] = (struct told){ val_number(message, "seq", 0), first };
	pthread_mutex_unlock(&early.lock);
	body = val_map();
	out = val_put(body, "breakpoints", val_list());
	for (i = 0; i < list->u.list.n; i++) {
		v = val_push(out, failed_map(first + (long long)i, "pending: the main thread is in C code"));
		val_put(v, "reason", val_str("pending"));
	}
	dap_respond(val_number(message, "seq", 0), command, body);
	return true;
}

/* The first number that the answer has given; 0: there was none. */
static long long was_told(long long seq)
{
	long long first = 0;
	int i;

	pthread_mutex_lock(&early.lock);
	for (i = 0; i < early.n; i++)
		if (early.told[i].seq == seq) {
			first = early.told[i].first_id;
			early.told[i] = early.told[--early.n];
			break;
		}
	pthread_mutex_unlock(&early.lock);
	return first;
}

/* ---- setting ---------------------------------------------------------------------------------------------------- */

struct setting {
	struct session *s;
	const char *set; /* see struct known */
	struct val *out; /* list of Breakpoint */
	long long told;	 /* the number of the next one, which the client has; 0: it gets new ones */
	/* Makes one: takes cond.  NULL: err. */
	struct bp *(*make)(struct setting *g, const struct val *want, struct expr *cond, struct err *err);
	const char *file;  /* of a line */
	const char *entry; /* of a decompiled line; or NULL */
};

/* "5" and ">= 5": from the fifth hit; "> 4"; "== 5": at that one; "% 5": at every fifth.  -1: err. */
static int hit_condition_read(const char *text, struct hit_condition *h, struct err *err)
{
	static const char *const ops[] = { ">=", ">", "==", "=", "%", "" };
	const char *p = text + strspn(text, " ");
	size_t op = 0;
	long n;

	while (strncmp(p, ops[op], strlen(ops[op])) != 0)
		op++;
	p += strlen(ops[op]);
	p += strspn(p, " ");
	if (!text_is_number(p, 0, BP_NEVER - 1, &n) || (n == 0 && (*ops[op] == '%' || *ops[op] == '=')))
		return err_set(err, "hit condition '%s': expected N, >= N, > N, == N or %% N", text);
	h->ignore = *ops[op] == '>' && !ops[op][1] ? n : n > 0 ? n - 1 : 0;
	h->again = *ops[op] == '%' ? h->ignore : *ops[op] == '=' ? BP_NEVER : 0;
	return 0;
}

static char *specification(const struct val *want)
{
	static const char *const keys[] = { "name",	 "instructionReference", "dataId",     "filterId",
					    "condition", "hitCondition",	 "logMessage", NULL };
	struct buf b = { 0 };
	int i;

	buf_addf(&b, "%lld", val_number(want, "line", 0));
	buf_addf(&b, "%c%lld", SEPARATE, val_number(want, "offset", 0));
	for (i = 0; keys[i]; i++)
		buf_addf(&b, "%c%s", SEPARATE, val_text(want, keys[i]));
	return buf_detach(&b);
}

static struct bp *make_one(struct setting *g, const struct val *want, struct err *err)
{
	const char *condition = val_text(want, "condition"), *hit = val_text(want, "hitCondition");
	struct hit_condition h = { 0 };
	struct expr *cond = NULL;
	struct bp *b;

	if (*hit && hit_condition_read(hit, &h, err) < 0)
		return NULL;
	if (*condition) {
		cond = expr_new(condition, err);
		if (!cond)
			return NULL;
	}
	b = g->make(g, want, cond, err);
	if (b)
		bp_ignore(b, h.ignore, h.again);
	return b;
}

static bool same_setting(const struct bp *b, const struct val *want)
{
	return !strcmp(b->cond ? expr_text(b->cond) : "", val_text(want, "condition")) &&
	       !strcmp(b->log ? message_text(b->log) : "", val_text(want, "logMessage"));
}

/* One that somebody else has set on this line is the client's from now on. */
static struct known *adopt(struct setting *g, const struct val *want)
{
	char room[4096];
	const char *file = g->file ? file_plain_path(g->file, room) : NULL;
	long long line = val_number(want, "line", 0) + 1 - dap.first_line;
	struct known *k;
	struct bp *b;

	for (b = bp_first(g->s); file && b; b = b->next) {
		k = known_number(b->number);
		if ((k && *k->set) || b->type != BP_BREAK || b->temporary || !file_of(b) ||
		    strcmp(file_of(b), file) != 0 || line_of(g->s, b) != line || !same_setting(b, want))
			continue;
		if (!k) {
			k = known_add("", "", ++last_id);
			k->number = b->number;
		}
		return k;
	}
	return NULL;
}

static struct known *find_wanted(struct setting *g, const char *spec, const struct val *want)
{
	struct known *k;
	size_t i;

	for (i = 0; i < known.n; i++) {
		k = &known.of[i];
		if (!k->wanted && k->number && !strcmp(k->set, g->set) && !strcmp(k->spec, spec) &&
		    bp_find(g->s, k->number))
			return k;
	}
	k = adopt(g, want);
	if (k) {
		free(k->set);
		free(k->spec);
		k->set = mem_str(g->set);
		k->spec = mem_str(spec);
	}
	return k;
}

static void drop_unwanted(struct setting *g)
{
	struct bp *b;
	size_t i;

	for (i = 0; i < known.n; i++) {
		if (known.of[i].wanted || strcmp(known.of[i].set, g->set) != 0)
			continue;
		b = bp_find(g->s, known.of[i].number);
		known_drop(i--);
		if (b)
			bp_delete(g->s, b);
	}
}

static void answer_one(struct setting *g, const char *spec, const struct val *want)
{
	long long id = g->told ? g->told++ : 0;
	struct known *k = find_wanted(g, spec, want);
	struct err err = { "" };
	struct bp *b = k ? bp_find(g->s, k->number) : make_one(g, want, &err);

	if (!b) {
		val_push(g->out, failed_map(id ? id : ++last_id, err.text));
		return;
	}
	if (!k) {
		k = known_add(g->set, spec, id ? id : ++last_id);
		k->hit = (struct hit_condition){ b->ignore, b->again };
	}
	if (id)
		k->id = id;
	k->number = b->number;
	k->wanted = true;
	note_state(g->s, k, b);
	val_push(g->out, breakpoint_map(g->s, k, b));
}

/* First those that stay are found, and the others go: two on one place would be one. */
static void set_all(struct setting *g, struct dap_call *c, const struct val *list)
{
	size_t i, n = list && list->type == VAL_LIST ? list->u.list.n : 0;
	char **spec = mem_alloc((n + 1) * sizeof(*spec));
	struct known *k;

	g->told = was_told(c->seq);
	c->quiet = g->told != 0;
	c->body = val_map();
	g->out = val_put(c->body, "breakpoints", val_list());
	for (i = 0; i < known.n; i++)
		known.of[i].wanted = false;
	for (i = 0; i < n; i++) {
		spec[i] = specification(list->u.list.item[i]);
		k = find_wanted(g, spec[i], list->u.list.item[i]);
		if (k)
			k->wanted = true;
	}
	serving = true;
	drop_unwanted(g);
	for (i = 0; i < known.n; i++)
		known.of[i].wanted = false;
	for (i = 0; i < n; i++) {
		answer_one(g, spec[i], list->u.list.item[i]);
		free(spec[i]);
	}
	serving = false;
	free(spec);
	for (i = 0; c->quiet && i < n; i++)
		tell("changed", val_copy(g->out->u.list.item[i]));
}

/* Takes loc and cond; with a logMessage it does not stop. */
static struct bp *break_in(struct setting *g, const struct val *want, struct loc *loc, struct expr *cond,
			   struct err *err)
{
	const char *text = val_text(want, "logMessage");
	struct message *log;

	if (!*text)
		return bp_break(g->s, loc, cond, false, err);
	log = message_new(text, err);
	if (log)
		return bp_logpoint(g->s, loc, cond, log, err);
	loc_free(loc);
	expr_unref(cond);
	return NULL;
}

static struct bp *break_at(struct setting *g, const struct val *want, const char *text, struct expr *cond,
			   struct err *err)
{
	struct loc *loc = loc_parse(g->s, text, err);

	if (loc)
		return break_in(g, want, loc, cond, err);
	expr_unref(cond);
	return NULL;
}

static struct bp *make_line(struct setting *g, const struct val *want, struct expr *cond, struct err *err)
{
	long long line = val_number(want, "line", 0) + 1 - dap.first_line;
	char *text = g->entry ? mem_fmt("%s@python:%lld", g->entry, line) : mem_fmt("%s:%lld", g->file, line);
	struct bp *b = break_at(g, want, text, cond, err);

	free(text);
	return b;
}

int dap_set_breakpoints(struct session *s, struct dap_call *c, struct err *err)
{
	const struct val *source = val_get(c->args, "source");
	long long reference = val_number(source, "sourceReference", 0);
	const char *path = val_text(source, "path"), *name = path;
	bool entry = false;
	char *set;

	if (reference)
		name = dap_sources_find(reference, &entry);
	if (!name)
		return err_set(err, "no source %lld: loadedSources lists them", reference);
	if (!*name)
		return err_set(err, "a breakpoint needs the path of a file, or a sourceReference");
	set = mem_fmt("line %s", name);
	set_all(&(struct setting){ .s = s,
				   .set = set,
				   .make = make_line,
				   .file = entry ? NULL : name,
				   .entry = entry ? name : NULL },
		c, val_get(c->args, "breakpoints"));
	free(set);
	return 0;
}

static struct bp *make_function(struct setting *g, const struct val *want, struct expr *cond, struct err *err)
{
	return break_at(g, want, val_text(want, "name"), cond, err);
}

int dap_set_functions(struct session *s, struct dap_call *c, struct err *err)
{
	(void)err;
	set_all(&(struct setting){ .s = s, .set = "function", .make = make_function }, c,
		val_get(c->args, "breakpoints"));
	return 0;
}

static struct bp *make_instruction(struct setting *g, const struct val *want, struct expr *cond, struct err *err)
{
	const char *reference = val_text(want, "instructionReference");
	struct code *code;
	long at;

	if (dap_addresses_find(reference, val_number(want, "offset", 0), &code, &at) && at >= 0 &&
	    at < 2L * code->units)
		return break_in(g, want, loc_instruction(g->s, code, (int)at), cond, err);
	expr_unref(cond);
	err_set(err, "no instruction has the address '%s': disassemble lists them", reference);
	return NULL;
}

int dap_set_instructions(struct session *s, struct dap_call *c, struct err *err)
{
	(void)err;
	set_all(&(struct setting){ .s = s, .set = "instruction", .make = make_instruction }, c,
		val_get(c->args, "breakpoints"));
	return 0;
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* A dataId is the number of the frame and the expression: "12 n + 1". */
static struct bp *make_data(struct setting *g, const struct val *want, struct expr *cond, struct err *err)
{
	const char *id = val_text(want, "dataId"), *text = strchr(id, ' ');
	long long frame = strtoll(id, NULL, 10);
	struct bp *b = NULL;

	if (!text)
		err_set(err, "unknown data '%s': dataBreakpointInfo gives them", id);
	else if (!session_stopped(g->s))
		err_set(err, "data is watched in a frame: set it at a stop");
	else if (!frame || dap_frames_select(g->s, frame, err) == 0)
		b = bp_watch(g->s, text + 1, err);
	if (b)
		bp_require(b, cond);
	else
		expr_unref(cond);
	return b;
}

int dap_set_data(struct session *s, struct dap_call *c, struct err *err)
{
	(void)err;
	set_all(&(struct setting){ .s = s, .set = "data", .make = make_data }, c, val_get(c->args, "breakpoints"));
	return 0;
}

int dap_data_info(struct session *s, struct dap_call *c, struct err *err)
{
	long long reference = val_number(c->args, "variablesReference", 0), frame = val_number(c->args, "frameId", 0);
	const char *name = val_text(c->args, "name");
	char *text, *id;

	if (reference) {
		text = dap_variables_expression(s, reference, name, err);
		frame = text ? dap_variables_frame(reference) : 0;
	} else {
		text = mem_str(name);
	}
	c->body = val_map();
	id = text ? mem_fmt("%lld %s", frame, text) : NULL;
	val_put(c->body, "dataId", val_str(id));
	val_put(c->body, "description", val_str(text ? text : err->text));
	val_push(val_put(c->body, "accessTypes", val_list()), val_str("write"));
	val_put(c->body, "canPersist", val_bool(false));
	free(text);
	free(id);
	return 0;
}

/* ---- exceptions ------------------------------------------------------------------------------------------------- */

static const char uncaught[] = "uncaught";

static struct bp *make_catch(struct setting *g, const struct val *want, struct expr *cond, struct err *err)
{
	return bp_catch(g->s, val_text(want, "filterId"), "", cond, false, err);
}

/* Those named alone, and those with more, in the order of the answer. */
static struct val *filters_of(const struct val *args, bool *catches_uncaught)
{
	const struct val *names = val_get(args, "filters"), *options = val_get(args, "filterOptions");
	struct val *list = val_list();
	size_t i;

	for (i = 0; names && names->type == VAL_LIST && i < names->u.list.n; i++)
		if (names->u.list.item[i]->type == VAL_STR)
			val_put(val_push(list, val_map()), "filterId", val_copy(names->u.list.item[i]));
	for (i = 0; options && options->type == VAL_LIST && i < options->u.list.n; i++)
		val_push(list, val_copy(options->u.list.item[i]));
	*catches_uncaught = false;
	for (i = 0; i < list->u.list.n; i++)
		*catches_uncaught |= !strcmp(val_text(list->u.list.item[i], "filterId"), uncaught);
	return list;
}

/* "uncaught" is no catchpoint, but an option: it has no Breakpoint of its own. */
static struct val *without_uncaught(struct val *list)
{
	struct val *rest = val_list();
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (strcmp(val_text(list->u.list.item[i], "filterId"), uncaught) != 0)
			val_push(rest, val_copy(list->u.list.item[i]));
	val_free(list);
	return rest;
}

int dap_set_exceptions(struct session *s, struct dap_call *c, struct err *err)
{
	bool on;
	struct val *list = without_uncaught(filters_of(c->args, &on));

	if (option_set(s, "post-mortem", on ? "on" : "off", err) < 0) {
		val_free(list);
		return -1;
	}
	set_all(&(struct setting){ .s = s, .set = "exception", .make = make_catch }, c, list);
	val_free(list);
	val_free(c->body);
	c->body = NULL; /* the answer has one for each filter, or none */
	return 0;
}
