/* SPDX-License-Identifier: BSD-3-Clause */
/* Beyond the beginning of a record, by a checkpoint: see past.h.  Knows no command and no front end. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/family.h"
#include "engine/checkpoint.h"
#include "engine/past_impl.h"
#include "engine/session.h"
#include "engine/way.h"
#include "py/interp/fork.h"
#include "py/record/recorder.h"

enum { NEAR = 2000, FAR = 500 };

/* Of the record, all points at its beginning, then some. */
static void write_way(struct past *p, uint64_t goal)
{
	uint64_t n, far = (p->end - p->first) / FAR + 1;
	const struct record_code *c;
	struct past_moment m;

	way_leave(goal, p->first);
	for (n = p->first; n < p->end; n += n - p->first < NEAR ? 1 : far) {
		c = past_moment(p, n, &m) ? record_code_at(m.code) : NULL;
		if (c)
			way_leave_point(n, m.unit, record_code_text(c, c->qualname));
	}
}

/* The checkpoint before that instruction and the record; 0: none. */
static int checkpoint_of(const struct session *s, const struct past *p, uint64_t goal)
{
	if (s->gone || !p->first || !fork_main_thread()) /* checkpoints are of the main thread */
		return 0;
	return checkpoint_before(record_id(), goal < p->first ? goal : p->first - 1);
}

bool past_beyond_possible(const struct session *s, const struct past *p)
{
	return checkpoint_of(s, p, p->first) != 0;
}

int past_beyond_refuse(struct session *s, struct past *p, struct err *err)
{
	unsigned long long first = p->first;

	if (!s->past)
		past_free(p);
	if (s->gone || !first)
		return err_set(err, "the record begins here%s",
			       s->gone ? ": 'set record-size' before 'record' keeps more" : "");
	return err_set(err,
		       "the record begins here, at #%llu, and no checkpoint is before that: 'set record-size' before "
		       "'record' keeps more, 'checkpoint' or 'set checkpoint-auto N' makes one",
		       first);
}

int past_beyond_go(struct session *s, struct past *p, uint64_t goal, const char *then, struct err *err)
{
	int number = checkpoint_of(s, p, goal);
	char *line;
	size_t n;

	if (!number)
		return past_beyond_refuse(s, p, err);
	if (checkpoint_go(s, number, err) < 0)
		return -1;
	write_way(p, goal);
	if (s->past)
		past_now(s, NULL);
	else
		past_free(p);
	for (; then && *then; then += n + (then[n] == '\n')) {
		n = strcspn(then, "\n");
		line = mem_strn(then, n);
		session_queue(s, line);
		free(line);
	}
	return 0;
}

/* The last instruction that is recorded. */
void past_beyond_stopped(struct session *s)
{
	const struct record_code *c = NULL;
	struct past_moment m;
	struct err err;
	struct past *p;

	if (!record_on() || !s->thread || s->gone || !family_at(0))
		return;
	p = past_open(s, &err);
	if (!p)
		return;
	if (past_moment(p, p->end - 1, &m))
		c = record_code_at(m.code);
	if (c)
		way_note(p->end - 1, m.unit, record_code_text(c, c->qualname));
	if (!s->past)
		past_free(p);
}
