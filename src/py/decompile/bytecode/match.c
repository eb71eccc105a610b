/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of match statements: the instructions of a pattern become one that tests it, and a jump. */
#include <Python.h>
#include <string.h>
#include "py/decompile/bytecode/match.h"

/* The first and the last jump to each instruction. */
struct jumps {
	int *first, *last;
};

static void find_jumps(struct dec *d, struct jumps *j)
{
	int i, to;

	j->first = dec_alloc(d, (size_t)(d->n + 1) * sizeof(int));
	j->last = dec_alloc(d, (size_t)(d->n + 1) * sizeof(int));
	for (i = 0; i < d->n; i++)
		j->first[i] = d->n;
	for (i = 0; i < d->n; i++) {
		to = d->ins[i].target;
		if (to < 0)
			continue;
		j->first[to] = i < j->first[to] ? i : j->first[to];
		j->last[to] = i;
	}
}

/* Is it entered at its beginning only, and covered by the same handlers from its beginning to its end? */
static bool is_closed(struct matching *m, const struct jumps *j, int first, int end, int to)
{
	const struct dec *d = m->d;
	int i, k;

	for (i = 0; i < m->path.n; i++) {
		k = m->path.block[i];
		if (k < first || k >= end || k == to || (k > first && (j->first[k] < first || j->last[k] >= end)))
			return false;
	}
	for (i = 0; i < d->nexcept; i++)
		if ((d->except[i].start > first && d->except[i].start < end) ||
		    (d->except[i].end > first && d->except[i].end < end))
			return false;
	return true;
}

/* The first three instructions test the pattern and jump; those on the way through it do nothing any more. */
static int make_case(struct dec *d, const struct jumps *j, int first)
{
	struct case_of *made = dec_alloc(d, sizeof(*made));
	struct matching *m = dec_alloc(d, sizeof(*m));
	struct pattern *p = pattern_new(d);
	struct ins *in = &d->ins[first];
	int end, to, i;

	m->d = d;
	m->made = made;
	follow_push(m, (struct value){ .kind = V_SUBJECT, .p = p });
	end = follow(m, first, 0);
	to = end < 0 ? -1 : follow_fails(m, 0, 0);
	made->text = to < 0 ? NULL : pattern_text(d, p);
	if (!made->text || m->path.n < 3 || m->path.block[2] != first + 2 || !is_closed(m, j, first, end, to))
		return -1;
	for (i = 0; i < m->path.n; i++) {
		struct ins *on = &d->ins[m->path.block[i]];

		*on = (struct ins){ .op = D_NOP, .target = -1, .index = in->index };
	}
	in[0].op = D_MATCH;
	in[0].text = made->text;
	in[0].made = made;
	in[1].op = D_JUMP_IF;
	in[1].arg = IF_FALSE;
	in[1].target = to;
	in[2].op = D_JUMP;
	in[2].target = end;
	return end;
}

static bool copies(struct dec *d, int i)
{
	return i >= 0 && i < d->n && d->ins[i].op == D_COPY && d->ins[i].arg == 1;
}

/* A comparison with a constant whose only use is a jump. */
static bool is_constant(struct dec *d, int i)
{
	if (i + 2 >= d->n || d->ins[i].op != D_CONST || d->ins[i + 1].op != D_COMPARE ||
	    strcmp(d->ins[i + 1].text, "=="))
		return false;
	for (i += 2; i < d->n && (d->ins[i].op == D_NOP || d->ins[i].op == D_BOOL); i++)
		;
	return i < d->n && d->ins[i].op == D_JUMP_IF;
}

/* The first instruction that a pattern with this instruction may begin with; -1: none has it. */
static int begins(struct dec *d, int i)
{
	int s = i;

	if (copies(d, i))
		return copies(d, i + 1) || is_constant(d, i + 1) ? i : -1;
	if (d->ins[i].op != D_REFUSED || strncmp(d->ins[i].text, "MATCH_", 6))
		return -1;
	if (!strcmp(d->ins[i].text, "MATCH_CLASS")) { /* the class and the names of attributes are loaded first */
		for (s--; s > 0 && (d->ins[s].op == D_CONST || d->ins[s].op == D_ATTR); s--)
			;
	}
	while (s > 0 && copies(d, s - 1))
		s--;
	return s;
}

void match_find(struct dec *d)
{
	struct jumps j = { NULL, NULL };
	int i, s, end;

	for (i = 0; i < d->n; i++) {
		s = begins(d, i);
		if (s >= 0 && !j.first)
			find_jumps(d, &j);
		end = s < 0 ? -1 : make_case(d, &j, s);
		while (end < 0 && s >= 0 && copies(d, s))
			end = make_case(d, &j, ++s);
		i = end > i ? end - 1 : i;
	}
}
