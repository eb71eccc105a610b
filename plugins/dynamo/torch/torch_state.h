/* SPDX-License-Identifier: BSD-3-Clause */
/* Global state of torch that compiling reads and no guard covers, as switches.  Runs none of the program's code. */
#ifndef DYNAMO_TORCH_STATE_H
#define DYNAMO_TORCH_STATE_H
#include "torch/attrs.h"

enum torch_reader { READS_AOT, READS_INDUCTOR }; /* what reads it while it compiles, or what comes after that */

struct torch_state {
	enum attr_id get;  /* a function written in C that returns the switch */
	const char *name;  /* as the program knows it: "torch.backends.mkldnn.enabled" */
	const char *nodes; /* parts of the names of operators for which it counts, separated by spaces */
	enum torch_reader reader;
	bool deterministic; /* it counts under deterministic algorithms only, which guards hold the program to */
};

enum { TORCH_STATES = 5 };
extern const struct torch_state torch_states[TORCH_STATES];

/* All of them: 1, 0, or -1 where this torch does not tell. */
void torch_state_read(signed char out[TORCH_STATES]);

#endif
