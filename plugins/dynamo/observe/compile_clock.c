/* SPDX-License-Identifier: BSD-3-Clause */
/* A clock that stands still while its thread serves a stop.  Does not depend on Dynamo. */
#include "observe/dynamo_observe.h"
#include <time.h>

enum { MOST = 8 };

/* Stops within stops, each with when it began and what those directly within it took. */
static _Thread_local struct {
	double began, stopped;
} stops[MOST]; /* [0]: the program itself */
static _Thread_local int depth;

static double observe_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void compile_clock_stopped(bool begins)
{
	if (begins) {
		if (++depth < MOST) {
			stops[depth].began = observe_clock();
			stops[depth].stopped = 0;
		}
	} else if (depth && depth-- < MOST) {
		stops[depth].stopped += observe_clock() - stops[depth + 1].began;
	}
}

double compile_clock(void)
{
	return observe_clock() - stops[depth < MOST - 1 ? depth : MOST - 1].stopped;
}

int compile_clock_depth(void)
{
	return depth;
}
