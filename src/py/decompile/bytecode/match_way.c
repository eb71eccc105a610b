/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of a pattern of a match statement, followed along the way on which it matches.  Knows the code that
   CPython makes of patterns, and no other. */
#include <Python.h>
#include <string.h>
#include "py/decompile/bytecode/match.h"

static struct value *top(struct matching *m, int k)
{
	return m->n - k >= m->floor ? &m->value[m->n - k] : NULL;
}

bool follow_push(struct matching *m, struct value v)
{
	if (m->n == PATTERN_VALUES)
		return false;
	m->value[m->n++] = v;
	return true;
}

static struct pattern *top_subject(struct matching *m, int k)
{
	const struct value *v = top(m, k);

	return v && v->kind == V_SUBJECT ? v->p : NULL;
}

struct pattern *pattern_new(struct dec *d)
{
	struct pattern *p = dec_alloc(d, sizeof(*p));

	p->star = p->length = -1;
	return p;
}

/* ---- where a pattern that does not match continues ---------------------------------------------- */

/* The next instruction that is neither a jump nor nothing. */
static int lands_at(struct dec *d, int i)
{
	int most = d->n;

	while (i >= 0 && i < d->n && most-- && (d->ins[i].op == D_NOP || d->ins[i].op == D_JUMP))
		i = d->ins[i].op == D_NOP ? i + 1 : d->ins[i].target;
	return i < d->n ? i : -1;
}

/* The instruction after all that is dropped from a stack of this height; -1: no pattern ends like this. */
static int lands(struct dec *d, int i, int height)
{
	while (height-- > 0) {
		i = lands_at(d, i);
		if (i < 0 || d->ins[i].op != D_POP)
			return -1;
		i++;
	}
	return i;
}

static bool may_fail(struct matching *m, int target)
{
	if (m->nfails == PATTERN_FAILS)
		return false;
	m->fail[m->nfails].target = target;
	m->fail[m->nfails++].height = m->n;
	return true;
}

int follow_fails(struct matching *m, int first, int height)
{
	int i, to = -1, next;

	for (i = first; i < m->nfails; i++) {
		next = lands(m->d, m->fail[i].target, m->fail[i].height - height);
		if (next < 0 || (to >= 0 && lands_at(m->d, next) != lands_at(m->d, to)))
			return -1;
		to = to < 0 ? next : to;
	}
	return to;
}

/* ---- one instruction ---------------------------------------------------------------------------- */

static bool compare(struct matching *m, const struct ins *in)
{
	struct value *a = top(m, 2), *b = top(m, 1);
	bool is = !strcmp(in->text, "is"), equal = !strcmp(in->text, "==");
	const char *text;

	if (!a || !b || (b->kind != V_CONST && b->kind != V_TEXT))
		return false;
	if (a->kind == V_LENGTH && b->kind == V_CONST && PyLong_Check(b->obj) && a->p->length < 0 &&
	    (equal || !strcmp(in->text, ">="))) {
		a->p->length = (int)PyLong_AsLong(b->obj);
		a->p->least = !equal;
	} else if (a->kind == V_PARTS && b->obj == Py_None && !strcmp(in->text, "is not")) {
		;
	} else if (a->kind == V_SUBJECT && a->p->kind == P_ANY && (is || equal)) {
		if (b->kind == V_TEXT)
			text = equal && strchr(b->text, '.') ? b->text : NULL;
		else
			text = is == (b->obj == Py_None || PyBool_Check(b->obj)) ? pattern_constant(m->d, b->obj, is) :
										   NULL;
		if (!text)
			return false;
		a->p->kind = P_VALUE;
		a->p->text = text;
	} else {
		return false;
	}
	m->n -= 2;
	return follow_push(m, (struct value){ .kind = V_TEST });
}

static bool jump_if(struct matching *m, const struct ins *in)
{
	struct value *v = top(m, 1);

	if (!v)
		return false;
	if (v->kind == V_SUBJECT && in->arg == IF_NOT_NONE && v->p->kind == P_ANY) {
		v->p->kind = P_VALUE;
		v->p->text = "None";
	} else if (!(v->kind == V_TEST && in->arg == IF_FALSE) && !(v->kind == V_PARTS && in->arg == IF_NONE)) {
		return false;
	}
	m->n--;
	return may_fail(m, in->target);
}

static bool kids(struct matching *m, struct pattern *p, int n)
{
	int i;

	if (n > PATTERN_KIDS || p->n)
		return false;
	m->n--;
	p->n = n;
	for (i = n; i-- > 0;) {
		p->kid[i] = pattern_new(m->d);
		if (!follow_push(m, (struct value){ .kind = V_SUBJECT, .p = p->kid[i] }))
			return false;
	}
	return true;
}

static bool match_unpack(struct matching *m, const struct ins *in)
{
	struct value *v = top(m, 1);
	struct pattern *p = v ? v->p : NULL;
	int i;

	if (!p)
		return false;
	if (v->kind == V_KEYS && in->op == D_UNPACK && in->arg == p->nkeys) {
		for (m->n--, i = 0; i < in->arg; i++)
			if (!follow_push(m, (struct value){ .kind = V_KEY, .p = p }))
				return false;
		return true;
	}
	if (v->kind == V_PARTS)
		return in->op == D_UNPACK && kids(m, p, in->arg);
	if (v->kind != V_SUBJECT || p->kind != P_SEQUENCE || p->unpacked || p->nlast)
		return false;
	p->unpacked = true;
	if (in->op == D_UNPACK)
		return p->length == in->arg && !p->least && kids(m, p, in->arg);
	p->star = in->arg & 0xff;
	return p->star + (in->arg >> 8) == (p->length < 0 ? 0 : p->length) && (p->least || p->length < 0) &&
	       kids(m, p, p->star + 1 + (in->arg >> 8));
}

/* subject[index]: an element of a sequence whose star is a wildcard. */
static bool pick(struct matching *m)
{
	struct value *index = top(m, 1);
	struct pattern *p = top_subject(m, 2), **kid;
	int k;

	if (!p || !index || p->kind != P_SEQUENCE || p->unpacked)
		return false;
	if (index->kind == V_INDEX && index->p == p && p->nlast < PATTERN_KIDS / 2 && index->n > 0) {
		kid = &p->kid[PATTERN_KIDS - 1 - p->nlast];
		p->last[p->nlast++] = index->n;
	} else if (index->kind == V_CONST && PyLong_Check(index->obj)) {
		k = (int)PyLong_AsLong(index->obj);
		if (k < p->n || k >= PATTERN_KIDS / 2)
			return false;
		kid = &p->kid[k];
		p->n = k + 1;
	} else {
		return false;
	}
	*kid = pattern_new(m->d);
	m->n -= 2;
	return follow_push(m, (struct value){ .kind = V_SUBJECT, .p = *kid });
}

static bool key_texts(struct matching *m, int n)
{
	struct value v = { .kind = V_TEXTS, .n = n };
	int i;

	if (m->n < n || !n)
		return false;
	v.texts = dec_alloc(m->d, (size_t)n * sizeof(*v.texts));
	for (i = 0; i < n; i++) {
		const struct value *of = top(m, n - i);

		v.texts[i] = !of		 ? NULL :
			     of->kind == V_CONST ? pattern_constant(m->d, of->obj, true) :
			     of->kind == V_TEXT	 ? of->text :
						   NULL;
		if (!v.texts[i])
			return false;
	}
	m->n -= n;
	return follow_push(m, v);
}

static bool match_keys(struct matching *m)
{
	struct pattern *p = top_subject(m, 2);
	struct value *keys = top(m, 1);

	if (!p || !keys || p->kind != P_MAPPING || p->nkeys)
		return false;
	if (keys->kind == V_CONST && PyTuple_CheckExact(keys->obj)) {
		p->keys = keys->obj;
		p->nkeys = (int)PyTuple_GET_SIZE(keys->obj);
	} else if (keys->kind == V_TEXTS) {
		p->key = keys->texts;
		p->nkeys = keys->n;
	} else {
		return false;
	}
	if (p->nkeys && (p->length != p->nkeys || !p->least))
		return false;
	*keys = (struct value){ .kind = V_KEYS, .p = p };
	return follow_push(m, (struct value){ .kind = V_PARTS, .p = p });
}

static bool match_class(struct matching *m, int positional)
{
	struct pattern *p = top_subject(m, 3);
	const struct value *class = top(m, 2), *names = top(m, 1);

	if (!p || !class || !names || p->kind != P_ANY || class->kind != V_TEXT || names->kind != V_CONST ||
	    !PyTuple_CheckExact(names->obj))
		return false;
	p->kind = P_CLASS;
	p->text = class->text;
	p->keys = names->obj;
	p->positional = positional;
	m->n -= 3;
	return follow_push(m, (struct value){ .kind = V_PARTS, .p = p });
}

static bool by_name(struct matching *m, const struct ins *in)
{
	struct pattern *p = top_subject(m, 1);

	if (!strcmp(in->text, "MATCH_CLASS"))
		return match_class(m, m->d->c->instr[in->index].arg);
	if (!strcmp(in->text, "MATCH_KEYS"))
		return match_keys(m);
	if (!p)
		return false;
	if (!strcmp(in->text, "GET_LEN"))
		return follow_push(m, (struct value){ .kind = V_LENGTH, .p = p });
	if (p->kind != P_ANY || (strcmp(in->text, "MATCH_SEQUENCE") && strcmp(in->text, "MATCH_MAPPING")))
		return false;
	p->kind = !strcmp(in->text, "MATCH_SEQUENCE") ? P_SEQUENCE : P_MAPPING;
	return follow_push(m, (struct value){ .kind = V_TEST });
}

static bool match_store(struct matching *m, const struct ins *in)
{
	struct value *v = top(m, 1);
	struct pattern *p = v ? v->p : NULL;
	const char *name = dec_is_identifier(in->obj) ? PyUnicode_AsUTF8(in->obj) : NULL;

	if (!p || !name || m->made->nstores == PATTERN_STORES || (v->kind != V_SUBJECT && v->kind != V_REST))
		return false;
	m->made->store[m->made->nstores++] = *in;
	m->n--;
	if (v->kind == V_REST) {
		p->rest = p->rest ? NULL : name;
		return p->rest;
	}
	for (; p && !p->name; p = p->twin)
		p->name = name;
	return !p;
}

static bool name(struct matching *m, const struct ins *in)
{
	struct value *v = top(m, 1);
	const char *s = in->obj && dec_is_identifier(in->obj) ? PyUnicode_AsUTF8(in->obj) : NULL;

	if (!s)
		return false;
	if (in->op != D_ATTR)
		return follow_push(m, (struct value){ .kind = V_TEXT, .text = s });
	if (!v || v->kind != V_TEXT)
		return false;
	v->text = dec_text(m->d, "%s.%s", v->text, s);
	return true;
}

static bool match_swap(struct matching *m, int k)
{
	struct value *a = top(m, 1), *b = top(m, k), was;

	if (!a || !b)
		return false;
	was = *a;
	*a = *b;
	*b = was;
	return true;
}

static bool other_op(struct matching *m, const struct ins *in)
{
	struct value *v = top(m, 1), *of = top(m, 2);

	switch (in->op) {
	case D_CONST:
		return follow_push(m, (struct value){ .kind = V_CONST, .obj = in->obj });
	case D_TUPLE:
		return key_texts(m, in->arg);
	case D_BINARY: /* the length, less the distance from the end */
		if (!v || !of || of->kind != V_LENGTH || v->kind != V_CONST || !PyLong_Check(v->obj) ||
		    strcmp(in->text, "-"))
			return false;
		m->n -= 2;
		return follow_push(m, (struct value){ .kind = V_INDEX, .p = of->p, .n = (int)PyLong_AsLong(v->obj) });
	case D_MAP:
		return !in->arg && follow_push(m, (struct value){ .kind = V_REST });
	case D_DICT_UPDATE:
		of = top(m, in->arg + 1);
		if (!v || !top_subject(m, 1) || !of || of->kind != V_REST)
			return false;
		of->p = v->p;
		m->n--;
		return true;
	case D_DELETE_SUBSCR:
		if (!v || !of || of->kind != V_REST || v->kind != V_KEY || v->p != of->p)
			return false;
		m->n -= 2;
		return true;
	default:
		return false;
	}
}

static bool step(struct matching *m, const struct ins *in)
{
	const struct value *v;

	switch (in->op) {
	case D_NOP:
	case D_BOOL:
		return true;
	case D_REFUSED:
		return by_name(m, in);
	case D_FAST:
	case D_GLOBAL:
	case D_NAME:
	case D_DEREF:
	case D_ATTR:
		return name(m, in);
	case D_STORE_FAST:
	case D_STORE_GLOBAL:
	case D_STORE_NAME:
	case D_STORE_DEREF:
		return match_store(m, in);
	case D_COMPARE:
		return compare(m, in);
	case D_JUMP_IF:
		return jump_if(m, in);
	case D_UNPACK:
	case D_UNPACK_EX:
		return match_unpack(m, in);
	case D_SUBSCR:
		return pick(m);
	case D_SWAP:
		return match_swap(m, in->arg);
	case D_COPY:
		v = top(m, in->arg);
		return v && follow_push(m, *v);
	case D_POP:
		return top(m, 1) && m->n--;
	default:
		return other_op(m, in);
	}
}

/* ---- alternatives ------------------------------------------------------------------------------- */

/* Each has a copy of the subject, and jumps to what follows them all.  Returns where that is; -1: not alternatives. */
static int alternatives(struct matching *m, int i)
{
	const int height = m->n, floor = m->floor, stores = m->made->nstores, fails = m->nfails;
	struct pattern *p = top_subject(m, 1), *all = pattern_new(m->d), *bound[PATTERN_KIDS] = { NULL };
	int end = -1, nbound = -1, k;

	all->kind = P_OR;
	m->floor = height;
	while (m->d->ins[i].op == D_COPY && m->d->ins[i].arg == 1 && all->n < PATTERN_KIDS) {
		outs_push(m->d, &m->path, i);
		all->kid[all->n] = pattern_new(m->d);
		follow_push(m, (struct value){ .kind = V_SUBJECT, .p = all->kid[all->n++] });
		i = follow(m, i + 1, -1);
		if (i < 0 || m->made->nstores != stores || (end >= 0 && m->d->ins[i].target != end) || m->n < height ||
		    m->n - height >= PATTERN_KIDS || (nbound >= 0 && m->n - height != nbound))
			return -1;
		outs_push(m->d, &m->path, i);
		end = m->d->ins[i].target;
		for (nbound = m->n - height, k = 0; k < nbound; k++) { /* what the alternatives bind, in one order */
			struct pattern **at = &bound[k];

			for (; *at; at = &(*at)->twin)
				;
			*at = top_subject(m, nbound - k);
			if (!*at)
				return -1;
		}
		m->n = height;
		i = follow_fails(m, fails, height);
		m->nfails = fails;
		if (i < 0)
			return -1;
	}
	m->floor = floor;
	if (all->n < 2 || !may_fail(m, i))
		return -1;
	p->kind = P_OR;
	p->n = all->n;
	memcpy(p->kid, all->kid, sizeof(p->kid));
	for (k = 0; k < nbound; k++)
		follow_push(m, (struct value){ .kind = V_SUBJECT, .p = bound[k] });
	return end;
}

static int try_alternatives(struct matching *m, int i)
{
	struct matching before = *m;
	int end, stores = m->made->nstores;

	if (!top_subject(m, 1) || top_subject(m, 1)->kind != P_ANY)
		return -1;
	end = alternatives(m, i);
	if (end < 0) {
		*m = before;
		m->made->nstores = stores;
	}
	return end;
}

int follow(struct matching *m, int i, int height)
{
	int to;

	dec_deep();
	while (m->n > height) {
		if (i < 0 || i >= m->d->n)
			return -1;
		if (height < 0 && m->d->ins[i].op == D_JUMP)
			return i;
		to = m->d->ins[i].op == D_COPY && m->d->ins[i].arg == 1 ? try_alternatives(m, i) : -1;
		if (to >= 0)
			i = to;
		else if (!step(m, &m->d->ins[i]))
			return -1;
		else
			outs_push(m->d, &m->path, i++);
	}
	return i;
}
