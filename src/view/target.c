/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that [FUNC|ENTRY] means: see target.h.  Knows no view and no command. */
#include "view/target.h"
#include <stdlib.h>
#include <string.h>
#include "base/visible.h"
#include "engine/loc.h"
#include "engine/plug.h"

static void set_code(struct session *s, struct target *t, struct py_code *co)
{
	struct code_info info;
	struct buf b = { 0 };

	t->co = py_ref(co);
	t->code = code_get(co);
	t->index = -1;
	code_decode(t->code);
	if (plug_code(s, co, &info) > 0 && info.title)
		buf_adds(&b, info.title);
	else
		buf_addf(&b, "code of %s", info.name ? info.name : code_qualname(t->code));
	buf_addf(&b, ", %d instructions", t->code->n);
	t->title = buf_detach(&b);
}

static int of_frame(struct session *s, struct target *t, struct err *err)
{
	struct frame *f = session_frame(s, err);
	struct py_code *co = NULL;

	if (!f)
		return -1;
	if (f->code) {
		set_code(s, t, f->code->co);
		t->index = f->index;
		return 0;
	}
	if (f->past)
		return err_set(err,
			       "the code object of '%s' is gone: the record has its instructions in 'info history'",
			       f->qualname);
	/* being compiled: the generated code so far, if that is known */
	if (f->entry && plug_entry(s, f->entry, &co, NULL) > 0 && co) {
		set_code(s, t, co);
		return 0;
	}
	if (f->fake && f->fake->code) { /* uncompiled */
		set_code(s, t, f->fake->code);
		t->line = f->line;
		return 0;
	}
	return err_set(err,
		       "'%s' is being compiled and has no generated code yet; use the name of the function for "
		       "its own code",
		       f->function);
}

struct found {
	struct session *s;
	struct py_code *first; /* owned */
	int n;
	struct buf names;
};

/* The newest code generated from it, or itself. */
static struct py_code *running_code(struct session *s, struct py_code *co)
{
	struct places p = { 0 };

	if (plug_function_places(s, co, &p))
		co = p.place[p.n - 1].code->co;
	py_ref(co);
	places_release(&p);
	return co;
}

/* "f.py:3 (Net.forward, entry 0/1)": what can be typed instead of a name that means several. */
static void describe_found(struct found *f, struct py_code *co)
{
	struct py_code *newest = running_code(f->s, co);
	struct code *c = code_get(co);
	struct code_info info;

	buf_addf(&f->names, "%s%s:%d", f->names.len ? ", " : "", visible(code_file(c)), code_first_line(c));
	if (newest != co && plug_code(f->s, newest, &info) > 0 && info.name && info.entry)
		buf_addf(&f->names, " (%s, entry %s)", visible(info.name), info.entry);
	else if (plug_code(f->s, co, &info) > 0 && info.name)
		buf_addf(&f->names, " (%s)", visible(info.name));
	py_unref(newest);
}

static void add_found(void *arg, struct py_code *co)
{
	struct found *f = arg;

	if (f->n && co == f->first)
		return;
	if (!f->n++)
		f->first = py_ref(co);
	if (f->n <= 6)
		describe_found(f, co);
}

static int of_function(struct session *s, const char *words, struct target *t, struct err *err)
{
	struct found found = { .s = s };
	struct py_code *co;
	int ret = -1;

	if (loc_functions(s, words, add_found, &found, err) < 0)
		goto out;
	if (!found.n) {
		err_set(err, "no function or entry '%s'", words);
		goto out;
	}
	if (found.n > 1) {
		err_set(err, "'%s' names more than one function: %s; use FILE:FUNC or an entry", words,
			buf_str(&found.names));
		goto out;
	}
	co = running_code(s, found.first);
	set_code(s, t, co);
	py_unref(co);
	ret = 0;
out:
	py_unref(found.first);
	buf_release(&found.names);
	return ret;
}

int target_find(struct session *s, const char *words, struct target *out, struct err *err)
{
	struct frame *f;
	struct py_code *co = NULL;
	int rc;

	memset(out, 0, sizeof(*out));
	if (s->gone)
		return session_present(s, err);
	if (!*words)
		return of_frame(s, out, err);
	rc = plug_entry(s, words, &co, err);
	if (rc < 0)
		return -1;
	if (rc > 0 && co)
		set_code(s, out, co);
	else if (of_function(s, words, out, err) < 0)
		return -1;
	f = session_frame(s, NULL);
	if (f && f->code == out->code)
		out->index = f->index;
	return 0;
}

void target_release(struct target *t)
{
	py_unref(t->co);
	free(t->title);
	memset(t, 0, sizeof(*t));
}

struct py_code *target_original(struct session *s, const struct target *t)
{
	struct code_info info;

	if (plug_code(s, t->co, &info) <= 0)
		return t->co;
	return info.root ? info.root : info.original ? info.original : t->co;
}
