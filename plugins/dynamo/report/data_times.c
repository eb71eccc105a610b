/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a compile went, as data of a report: its phases, and the lines that took it.  Knows no page. */
#include "model/timing.h"
#include "report/data.h"
#include <stdlib.h>

enum { MOST_LINES = 300 };
#define LEAST 1e-4 /* seconds of a line */

static struct val *rounded(double s)
{
	return val_real((double)(long long)(s * 1e6 + 0.5) / 1e6);
}

static double taken(const struct line_cost *c)
{
	return c->trace + c->lowering;
}

static int slower(const void *a, const void *b)
{
	const double x = taken(*(const struct line_cost *const *)a), y = taken(*(const struct line_cost *const *)b);

	return (x < y) - (x > y);
}

static void put_lines(struct val *list, const struct timing *t)
{
	const struct line_cost **line = mem_alloc((t->lines.n + 1) * sizeof(*line));
	struct val *row;
	size_t i, n = 0;

	for (i = 0; i < t->lines.n; i++)
		if (taken(&t->lines.line[i]) >= LEAST)
			line[n++] = &t->lines.line[i];
	qsort(line, n, sizeof(*line), slower);
	for (i = 0; i < n && i < MOST_LINES; i++) {
		row = val_push(list, val_map());
		val_put(row, "file", val_str(line[i]->file));
		val_put(row, "line", val_int(line[i]->line));
		if (line[i]->module)
			val_put(row, "module", val_str(line[i]->module));
		val_put(row, "trace", rounded(line[i]->trace));
		val_put(row, "lowering", rounded(line[i]->lowering));
	}
	free(line);
}

struct val *data_timing(const struct timing *t)
{
	struct val *map = val_map(), *list, *row;
	double phases[PHASE_COUNT];
	int p;

	val_put(map, "entry", val_str(t->id ? t->id : ""));
	val_put(map, "pass", val_str(t->backward ? "backward" : "forward"));
	val_put(map, "seconds", rounded(t->wall));
	timing_phases(t, phases);
	list = val_put(map, "phases", val_list());
	for (p = 0; p < PHASE_COUNT; p++) {
		if (phases[p] < 1e-6)
			continue;
		row = val_push(list, val_map());
		val_put(row, "phase", val_str(phase_info[p].key));
		val_put(row, "title", val_str(phase_info[p].title));
		val_put(row, "seconds", rounded(phases[p]));
	}
	put_lines(val_put(map, "lines", val_list()), t);
	return map;
}
