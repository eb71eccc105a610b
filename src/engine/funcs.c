/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code a FUNC means, and which code a file holds.  Knows no instruction and no breakpoint. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/loc.h"
#include "engine/plug.h"
#include "engine/modules.h"
#include "engine/session.h"
#include "engine/source.h"
#include "py/interp/eval.h"
#include "py/interp/lookup.h"
#include "py/interp/path.h"

typedef void add_code(void *arg, struct py_code *co);

/* Passes each code object to the receiver once. */
struct once {
	struct py_code **seen; /* borrowed: the receiver owns what it keeps */
	size_t n, cap;
	add_code *add;
	void *arg;
};

static void once_add(void *arg, struct py_code *co)
{
	struct once *o = arg;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (o->seen[i] == co)
			return;
	o->seen = mem_grow(o->seen, &o->cap, o->n + 1, sizeof(*o->seen));
	o->seen[o->n++] = co;
	o->add(o->arg, co);
}

/* ---- files -------------------------------------------------------------------------------------------- */

enum fit { FIT_NOT, FIT_END, FIT_WHOLE };

static enum fit file_fit(const char *typed, const char *file)
{
	size_t nt, nf;

	if (!strcmp(typed, file))
		return FIT_WHOLE;
	if (strcmp(text_path_file_name(typed), text_path_file_name(file)))
		return FIT_NOT;
	if (path_same(typed, file))
		return FIT_WHOLE;
	nt = strlen(typed);
	nf = strlen(file);
	return typed[0] != '/' && nf > nt && file[nf - nt - 1] == '/' && !strcmp(file + nf - nt, typed) ? FIT_END :
													  FIT_NOT;
}

/* Is a file of the program meant: one that is loaded, or one that it would import? */
static bool program_has(const char *typed)
{
	struct py_code *body;
	int i;

	for (i = 0; (body = modules_code(i)); i++)
		if (file_fit(typed, code_file(code_get(body))) != FIT_NOT)
			return true;
	return path_importable(typed, NULL);
}

bool loc_file_fits(const char *typed, const char *file)
{
	enum fit fit;

	while (!strncmp(typed, "./", 2))
		typed += 2;
	fit = file_fit(typed, file);
	if (fit != FIT_END || path_kind(file) == KIND_USER)
		return fit != FIT_NOT;
	return (strchr(typed, '/') || path_top_level(file)) && !program_has(typed);
}

static void nested_functions(struct py_code *co, add_code *add, void *arg)
{
	struct code *c = code_get(co);
	struct py_code *inner;
	int i;

	add(arg, co);
	for (i = 0; (inner = code_nested(c, i)); i++)
		nested_functions(inner, add, arg);
}

void loc_program_code(add_code *add, void *arg)
{
	struct py_code *body;
	int i;

	for (i = 0; (body = modules_code(i)); i++)
		nested_functions(body, add, arg);
}

/* Functions of loaded modules, of the file asked for or of any that is the program's. */
struct live {
	struct session *s;
	const char *typed; /* NULL: any file of the program */
	struct once *once;
	int n;
};

static bool live_fits(void *arg, const char *file)
{
	struct live *l = arg;
	struct py_code *body;
	int i;

	if (l->typed)
		return loc_file_fits(l->typed, file);
	if (path_kind(file) != KIND_USER)
		return false;
	for (i = 0; (body = modules_code(i)); i++)
		if (loc_file_fits(file, code_file(code_get(body))))
			return false; /* its whole body is known */
	return true;
}

static void live_add(void *arg, struct py_code *co)
{
	struct live *l = arg;

	if (!live_fits(l, code_file(code_get(co))))
		return; /* imported into the module from elsewhere */
	l->n++;
	nested_functions(co, once_add, l->once);
}

/* Bodies of library modules that a pending location waited for; owned, never released. */
static struct {
	struct py_code **item;
	size_t n, cap;
} bodies;

void loc_keep_body(struct py_code *co)
{
	size_t i;

	for (i = 0; i < bodies.n; i++)
		if (bodies.item[i] == co)
			return;
	bodies.item = mem_grow(bodies.item, &bodies.cap, bodies.n + 1, sizeof(*bodies.item));
	bodies.item[bodies.n++] = py_ref(co);
}

static struct py_code *body_at(int i)
{
	struct py_code *body = modules_code(i);
	int n;

	if (body)
		return body;
	for (n = 0; modules_code(n); n++)
		;
	return (size_t)(i - n) < bodies.n ? bodies.item[i - n] : NULL;
}

int loc_file_code(struct session *s, const char *file, add_code *add, void *arg)
{
	struct once once = { .add = add, .arg = arg };
	struct live live = { .s = s, .typed = file, .once = &once };
	struct py_code *body;
	int i;

	for (i = 0; (body = body_at(i)); i++)
		if (loc_file_fits(file, code_file(code_get(body))))
			nested_functions(body, once_add, &once);
	if (!once.n)
		lookup_files(live_fits, live_add, &live);
	i = (int)once.n;
	free(once.seen);
	return i;
}

/* ---- names -------------------------------------------------------------------------------------------- */

/* "outer.inner" fits outer.<locals>.inner, "C.m" and "m" fit C.m. */
static bool name_fits(const char *typed, const char *qualname)
{
	char plain[512];
	const char *p = qualname;
	size_t n = 0, nt = strlen(typed);

	if (!strcmp(typed, qualname))
		return true;
	while (*p && n < sizeof(plain) - 1) {
		if (!strncmp(p, ".<locals>.", 10)) {
			plain[n++] = '.';
			p += 10;
		} else
			plain[n++] = *p++;
	}
	plain[n] = '\0';
	return n >= nt && !strcmp(plain + n - nt, typed) && (n == nt || plain[n - nt - 1] == '.');
}

struct named {
	const char *name;
	struct once *once;
};

static void named_add(void *arg, struct py_code *co)
{
	struct named *n = arg;
	struct code *c = code_get(co);

	if ((!strcmp(n->name, code_name(c)) || name_fits(n->name, code_qualname(c))) && !loc_class_body(c))
		once_add(n->once, co);
}

/* A dotted name read as module and rest, at each of its dots: fits() returns whether this file is that module's.
   Returns the rest; NULL: no module fits. */
static const char *in_module(const char *dotted, const char *file)
{
	const char *dot = dotted;
	char *path, *p;
	bool fits;

	while ((dot = strchr(dot, '.'))) {
		path = mem_fmt("%.*s.py", (int)(dot - dotted), dotted);
		for (p = path; p < path + (dot - dotted); p++)
			*p = *p == '.' ? '/' : *p;
		fits = loc_file_fits(path, file);
		free(path);
		if (!fits) {
			path = mem_fmt("%.*s/__init__.py", (int)(dot - dotted), dotted);
			for (p = path; p < path + (dot - dotted); p++)
				*p = *p == '.' ? '/' : *p;
			fits = loc_file_fits(path, file);
			free(path);
		}
		dot++;
		if (fits)
			return dot;
	}
	return NULL;
}

/* Modules by their bodies: their functions can be found before they have run. */
static void find_in_bodies(const char *dotted, struct once *once)
{
	struct named named = { .once = once };
	struct py_code *body;
	int i;

	for (i = 0; (body = body_at(i)); i++) {
		named.name = in_module(dotted, code_file(code_get(body)));
		if (!named.name)
			named.name = dotted; /* the qualified name alone */
		nested_functions(body, named_add, &named);
	}
}

bool loc_waits_for(const struct loc *l, const char *file)
{
	const char *colon = l->func ? strrchr(l->func, ':') : NULL;
	char *typed;
	bool fits;

	if (l->type == LOC_LINE)
		return loc_file_fits(l->file, file);
	if (!l->func)
		return false;
	if (!colon)
		return in_module(l->func, file) != NULL;
	typed = mem_strn(l->func, (size_t)(colon - l->func));
	fits = loc_file_fits(typed, file);
	free(typed);
	return fits;
}

static bool is_dotted_name(const char *text)
{
	bool start = true;

	for (; *text; text++) {
		if (*text == '.' ? start :
				   !(isalnum((unsigned char)*text) || *text == '_' || *text == '<' || *text == '>' ||
				     (unsigned char)*text >= 0x80))
			return false;
		start = *text == '.';
	}
	return !start;
}

static void ignore(void *arg, struct py_code *co)
{
	(void)arg;
	(void)co;
}

bool loc_defined_in(const struct loc *l, struct py_code *body)
{
	struct once once = { .add = ignore };
	struct named named = { .name = l->func, .once = &once };

	if (!l->func || l->code || !strchr(l->func, '.') || !is_dotted_name(l->func))
		return false;
	nested_functions(body, named_add, &named);
	free(once.seen);
	return once.n > 0;
}

/* The code objects behind a value: ask the plugins first (they know compiled wrappers), then try the value itself. */
static void value_code(struct session *s, struct py_obj *v, struct once *once)
{
	size_t before = once->n;

	if (plug_unwrap(s, v, once_add, once) <= 0 || once->n == before)
		lookup_code(v, once_add, once);
}

/* The original code of an entry; 0: not the id of a known entry. */
static int entry_original(struct session *s, const char *func, struct once *once)
{
	struct code_info info;
	struct py_code *co;
	struct err err;

	if (!isdigit((unsigned char)*func) || plug_entry(s, func, &co, &err) <= 0)
		return 0;
	if (plug_code(s, co, &info) && info.original)
		once_add(once, info.original);
	return 1;
}

static void dotted_code(struct session *s, const char *name, struct once *once)
{
	bool module;
	struct py_obj *v = lookup_dotted(name, &module);

	if (v)
		value_code(s, v, once);
	py_unref(v);
}

/* The code of a global variable of the script with this name, for wrappers that the script made. */
static void script_code(struct session *s, const char *func, struct once *once)
{
	char *name = mem_fmt("__main__.%s", func);

	dotted_code(s, name, once);
	free(name);
}

bool loc_concerns(struct session *s, const struct loc *l, struct py_code *body, bool bound)
{
	struct once once = { .add = ignore };
	struct named named = { .name = l->func, .once = &once };

	if (l->type == LOC_OPCODE || loc_waits_for(l, code_file(code_get(body))))
		return true;
	if (!l->func || l->code || !is_dotted_name(l->func))
		return false;
	nested_functions(body, named_add, &named);
	if (!once.n && bound)
		dotted_code(s, l->func, &once);
	if (!once.n && bound)
		script_code(s, l->func, &once);
	free(once.seen);
	return once.n > 0;
}

/* The code that a function of this name runs now: the program may have assigned its __code__. */
static void replaced_code(const char *name, struct once *once)
{
	const char *qualname = code_qualname(code_get(once->seen[0]));
	char *in_script = mem_fmt("__main__.%s", name);
	const char *const ways[] = { name, in_script };
	struct py_code *co;
	struct py_obj *v;
	bool module;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		v = lookup_dotted(ways[i], &module);
		co = v ? lookup_function_code(v, qualname) : NULL;
		if (co)
			once_add(once, co);
		py_unref(v);
	}
	free(in_script);
}

static void find_functions(struct session *s, const char *func, struct once *once)
{
	struct named named = { .name = func, .once = once };
	struct live live = { .s = s, .once = &(struct once){ .add = named_add, .arg = &named } };
	const char *colon = strrchr(func, ':');
	char *file;

	if (colon && is_dotted_name(colon + 1)) {
		file = mem_strn(func, (size_t)(colon - func));
		named.name = colon + 1;
		loc_file_code(s, file, named_add, &named);
		free(file);
		return;
	}
	if (is_dotted_name(func) && entry_original(s, func, once))
		return;
	plug_by_name(s, func, once_add, once); /* a plugin's name for a function may have spaces */
	if (!is_dotted_name(func))
		return;
	if (once->n)
		return;
	loc_program_code(named_add, &named);
	if (once->n) {
		replaced_code(func, once);
		return;
	}
	dotted_code(s, func, once);
	if (!once->n && strchr(func, '.'))
		find_in_bodies(func, once);
	if (!once->n && strchr(func, '.'))
		lookup_method(func, once_add, once);
	if (!once->n)
		script_code(s, func, once);
	if (!once->n) {
		lookup_files(live_fits, live_add, &live);
		free(live.once->seen);
	}
}

int loc_named(struct session *s, const char *func, add_code *add, void *arg)
{
	struct once once = { .add = add, .arg = arg };

	find_functions(s, func, &once);
	free(once.seen);
	return (int)once.n;
}

/* Evaluate in the selected frame. 1: it has a value, 0: it cannot be evaluated now, -1: err. */
static int evaluate_func(struct session *s, const char *func, struct once *once, struct err *err)
{
	struct scope sc;
	struct py_obj *v;

	if (!session_stopped(s) || session_scope(s, &sc, err) < 0)
		return 0;
	v = eval_text(func, &sc, err);
	if (!v)
		return is_dotted_name(func) ? 0 : -1; /* the name may be defined later */
	value_code(s, v, once);
	py_unref(v);
	return 1;
}

int loc_functions(struct session *s, const char *func, add_code *add, void *arg, struct err *err)
{
	struct once once = { .add = add, .arg = arg };
	int n, rc;

	find_functions(s, func, &once);
	rc = once.n ? 1 : evaluate_func(s, func, &once, err);
	n = (int)once.n;
	free(once.seen);
	if (rc < 0)
		return -1;
	if (rc > 0 && !n)
		return err_set(err, "'%s' has no Python code: it is not a function, or it is written in C", func);
	return n;
}
