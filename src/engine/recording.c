/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded: see recording.h.  Knows no command. */
#include "engine/recording.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/arm.h"
#include "engine/loc.h"
#include "engine/option.h"
#include "engine/past.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "py/record/recorder.h"

/* Each call of this code is recorded, whatever it is armed for beside: see py/record/recorder.h. */
static void hook_record(struct code *c, bool on)
{
	if (c->hook.recorded == on)
		return;
	c->hook.recorded = on;
	hook_code(c, c->hook.armed & ~(unsigned)HOOK_RECORD);
}

static struct {
	bool generated, graph, all;
	char **name; /* of functions, as typed; owned */
	size_t names, names_cap;
	const struct py_code **func; /* their code: compared only */
	size_t funcs, funcs_cap;
} rec;

bool recording_on(void)
{
	return record_on();
}

bool recording_all(void)
{
	return rec.all && record_on();
}

static void arm(struct session *s)
{
	bool outside = rec.all || rec.funcs;

	arm_recorded(s, outside, outside || rec.generated || rec.graph, rec.graph);
}

/* ---- which code ------------------------------------------------------------------------------------------- */

static bool is_function(const struct py_code *co)
{
	size_t i;

	for (i = 0; i < rec.funcs; i++)
		if (rec.func[i] == co)
			return true;
	return false;
}

static bool is_wanted(struct session *s, struct code *c)
{
	enum kind kind = stack_kind(s, c);
	struct code_info info;

	if (kind == KIND_SELF)
		return false;
	if (rec.all || (rec.generated && kind == KIND_GENERATED) || (rec.graph && kind == KIND_GRAPH) ||
	    is_function(c->co))
		return true;
	return rec.funcs && kind == KIND_GENERATED && plug_code(s, c->co, &info) > 0 && info.root &&
	       is_function(info.root);
}

void recording_code(struct session *s, struct code *c)
{
	if (record_on() && !s->detached && is_wanted(s, c) && record_prepare(c))
		hook_record(c, true);
}

unsigned recording_enter(struct session *s, struct code *c)
{
	if (!recording_all() || stack_kind(s, c) == KIND_SELF || !record_prepare(c))
		return 0;
	hook_record(c, true);
	return HOOK_RECORD;
}

static void add_entry(void *arg, const char *name)
{
	struct session *s = arg;
	char *entry = mem_strn(name, strcspn(name, "\t"));
	struct py_code *co = NULL;

	if (plug_entry(s, entry, &co, NULL) > 0 && co)
		recording_code(s, code_get(co));
	free(entry);
}

/* What there is already. */
static void add_known(struct session *s)
{
	struct places nodes = { 0 };
	struct frame *f;
	int i;

	if (rec.generated || rec.all)
		plug_names(s, add_entry, s);
	if (rec.graph || rec.all)
		plug_node_places(s, "*", &nodes);
	for (i = 0; i < nodes.n; i++)
		recording_code(s, nodes.place[i].code);
	places_release(&nodes);
	for (i = 0; rec.all && s->thread && (f = stack_frame(&s->stack, s, i)); i++)
		if (f->fo && !f->dead)
			recording_code(s, f->code); /* it runs already */
}

static void add_piece(void *arg, struct py_code *co)
{
	recording_code(arg, code_get(co));
}

static void add_function(void *arg, struct py_code *co)
{
	if (!is_function(co)) {
		rec.func = mem_grow(rec.func, &rec.funcs_cap, rec.funcs + 1, sizeof(*rec.func));
		rec.func[rec.funcs++] = co;
	}
	recording_code(arg, code_get(co));
	plug_pieces(arg, co, add_piece, arg);
}

static int add_named(struct session *s, const char *name, struct err *err)
{
	size_t before = rec.funcs;

	if (loc_functions(s, name, add_function, s, err) < 0)
		return -1;
	if (rec.funcs == before)
		return err_set(err, "no function '%s' now: record it at a stop where it is defined", name);
	rec.name = mem_grow(rec.name, &rec.names_cap, rec.names + 1, sizeof(*rec.name));
	rec.name[rec.names++] = mem_str(name);
	return 0;
}

static int add_words(struct session *s, const char *words, struct err *err)
{
	const char *p = words;
	size_t n;
	char *word;
	int ret = 0;

	if (!*p)
		rec.generated = rec.graph = true;
	for (; ret == 0 && *(p += strspn(p, " \t")); p += n) {
		n = strcspn(p, " \t");
		word = mem_strn(p, n);
		if (!strcmp(word, "generated"))
			rec.generated = true;
		else if (!strcmp(word, "graph"))
			rec.generated = rec.graph = true;
		else if (!strcmp(word, "all"))
			rec.all = true;
		else
			ret = add_named(s, word, err);
		free(word);
	}
	return ret;
}

/* ---- life ------------------------------------------------------------------------------------------------- */

static size_t power_of_two(long bytes)
{
	size_t size = RECORD_SMALLEST;

	while (size < (size_t)bytes)
		size *= 2;
	return size;
}

/* The instruction that is about to run here had its event before the record began; one can come back to it. */
static void record_here(struct session *s)
{
	const struct frame *f = s->thread ? stack_frame(&s->stack, s, 0) : NULL;

	if (f && f->fo && f->code && f->at_event && !f->dead && f->index >= 0 && f->code->hook.recorded)
		record_instr(&s->thread->record, s->thread->number, py_frame_address(f->fo), f->code,
			     code_unit(f->code, f->index));
}

int recording_start(struct session *s, const char *words, const char *file, struct err *err)
{
	struct record_setup setup = { .file = file,
				      .size = power_of_two(option_number(s, "record-size") * 1024),
				      .values = option_number(s, "record-values") };
	bool began = !record_on();

	if (hook_able(err) < 0 || (began && record_start(&setup, err) < 0))
		return -1;
	if (!began && file)
		return err_set(err, "a record is being made without that file: 'record save %s' writes it", file);
	if (add_words(s, words, err) < 0) {
		if (began)
			recording_off(s);
		return -1;
	}
	add_known(s);
	arm(s);
	if (began)
		record_here(s);
	return 0;
}

static void stop_code(struct code *c)
{
	hook_record(c, false);
}

void recording_off(struct session *s)
{
	past_end(s);
	record_each_code(stop_code);
	record_stop();
	while (rec.names)
		free(rec.name[--rec.names]);
	rec.funcs = 0;
	rec.generated = rec.graph = rec.all = false;
	if (!s->detached)
		arm(s);
}

void recording_what(struct buf *out)
{
	size_t i;

	buf_adds(out, rec.all	    ? "all code" :
		      rec.graph	    ? "generated code and graphs" :
		      rec.generated ? "generated code" :
				      "");
	for (i = 0; i < rec.names; i++)
		buf_addf(out, "%s%s", out->len ? ", " : "", rec.name[i]);
}
