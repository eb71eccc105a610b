/* SPDX-License-Identifier: BSD-3-Clause */
/* From a checkpoint to a moment of the record: see way.h.  Knows no command and no front end. */
#include "engine/way.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/session.h"
#include "py/code/code.h"
#include "py/hook/hook.h"
#include "py/record/recorder.h"

enum { POINTS = 4096 };
#define NONE ((uint64_t)RECORD_NEVER)

/* What the record had at an instruction. */
struct point {
	uint64_t number;
	uint32_t unit;
	char *name; /* owned: of the function */
};

/* The points of this future, oldest first: from stops, and from the record that was left. */
static struct {
	struct point *point; /* owned */
	size_t n, cap;
	size_t next;	      /* the first that is ahead */
	unsigned long record; /* they are of this one */
	uint64_t goal;	      /* NONE: no way is under way */
	bool reached;
	struct buf text; /* the process is about to leave; else empty */
} way = { .goal = NONE };

bool way_away;

/* ---- points ----------------------------------------------------------------------------------------------- */

static void drop_from(size_t i)
{
	while (way.n > i)
		free(way.point[--way.n].name);
	if (way.next > way.n)
		way.next = way.n;
}

/* Every second one goes when there are too many. */
static void thin(void)
{
	size_t i, n = 0;

	for (i = 0; i < way.n; i++) {
		if (i % 2)
			free(way.point[i].name);
		else
			way.point[n++] = way.point[i];
	}
	way.n = n;
	way.next /= 2;
}

static void way_add(uint64_t number, uint32_t unit, const char *name)
{
	if (way.n && way.point[way.n - 1].number >= number)
		return;
	if (way.n == POINTS && way.next == way.n)
		thin();
	way.point = mem_grow(way.point, &way.cap, way.n + 1, sizeof(*way.point));
	way.point[way.n++] = (struct point){ number, unit, mem_str(name) };
}

static void await(struct hook_thread *t)
{
	uint64_t next = way.next < way.n ? way.point[way.next].number : NONE;

	record_await(&t->record, way.goal < next ? way.goal : next);
}

/* What runs where the record had this point. */
static void compare(struct session *s, const struct point *p, const char *name, uint32_t unit)
{
	if (p->unit == unit && !strcmp(p->name, name)) {
		way.next++;
		return;
	}
	session_note(s, NOTE_WARNING,
		     "from instruction #%llu on, or before, the way differs from the record: it had %s at offset %u "
		     "there, now it is %s at offset %u",
		     (unsigned long long)p->number, p->name, 2 * p->unit, name, 2 * unit);
	drop_from(way.next); /* this is another future */
}

bool way_at(struct session *s, struct hook_thread *t, const struct code *c, int unit)
{
	const struct record_code *r = c->hook.record;
	uint64_t number = record_number(&t->record);

	if (r && way.next < way.n && way.point[way.next].number == number)
		compare(s, &way.point[way.next], record_code_text(r, r->qualname), (uint32_t)unit);
	way.reached = number == way.goal;
	if (way.reached)
		way.goal = NONE;
	await(t);
	return way.reached;
}

/* ---- leaving ---------------------------------------------------------------------------------------------- */

void way_leave(uint64_t goal, uint64_t before)
{
	size_t i;

	buf_reset(&way.text);
	buf_addf(&way.text, "%lu\t%llu\n", record_id(), (unsigned long long)goal);
	for (i = 0; i < way.next && way.point[i].number < before; i++)
		way_leave_point(way.point[i].number, way.point[i].unit, way.point[i].name);
}

void way_leave_point(uint64_t number, uint32_t unit, const char *name)
{
	if (!name[strcspn(name, "\t\n")])
		buf_addf(&way.text, "%llu\t%u\t%s\n", (unsigned long long)number, unit, name);
}

void way_write(struct buf *out)
{
	buf_add(out, buf_str(&way.text), way.text.len);
	buf_release(&way.text);
}

/* ---- arriving --------------------------------------------------------------------------------------------- */

void way_read(struct session *s, const char *text)
{
	unsigned long long number, goal;
	char *line, *end, *name;
	unsigned long unit;

	way.goal = NONE;
	if (!*text || strtoul(text, &end, 10) != record_id() || !s->thread)
		return;
	goal = strtoull(end, &end, 10);
	way.goal = goal;
	drop_from(0);
	for (text = end + strspn(end, "\n"); *text; text = end + strspn(end, "\n")) {
		number = strtoull(text, &end, 10);
		unit = strtoul(end, &end, 10);
		end += strspn(end, "\t");
		line = end;
		end += strcspn(end, "\n");
		name = mem_strn(line, (size_t)(end - line));
		way_add(number, (uint32_t)unit, name);
		free(name);
	}
	way.record = record_id();
}

void way_begin(struct session *s)
{
	uint64_t count = s->thread ? record_count(&s->thread->record) : 0;

	if (way.goal == NONE)
		return;
	for (way.next = 0; way.next < way.n && way.point[way.next].number < count; way.next++)
		;
	if (way.goal < count) { /* it waits before that instruction */
		way.goal = NONE;
	} else {
		way_away = true;
		session_resume(s, RESUME_GO);
	}
	await(s->thread);
}

/* ---- stops ------------------------------------------------------------------------------------------------ */

static void end_way(struct session *s)
{
	if (way_away && !way.reached)
		session_note(s, NOTE_WARNING,
			     "instruction #%llu was not reached: the way differs from the record, or something else "
			     "ended it",
			     (unsigned long long)way.goal);
	way_away = false;
	way.reached = false;
	way.goal = NONE;
}

void way_stopped(struct session *s)
{
	if (way_away)
		end_way(s);
	if (!record_on() || way.record != record_id())
		drop_from(0);
	way.record = record_id();
}

void way_note(uint64_t number, uint32_t unit, const char *name)
{
	if (way.next < way.n)
		return;
	way_add(number, unit, name);
	way.next = way.n;
}
