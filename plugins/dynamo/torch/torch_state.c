/* SPDX-License-Identifier: BSD-3-Clause */
/* Global state of torch that compiling reads and no guard covers, as switches.  Runs none of the program's code. */
#include "torch/torch_state.h"

#define ATTENTION "attention"

const struct torch_state torch_states[TORCH_STATES] = {
	{ ATTR_STATE_MKLDNN, "torch.backends.mkldnn.enabled", "conv linear mm matmul lstm gru rnn bilinear einsum",
	  READS_INDUCTOR, false },
	{ ATTR_STATE_FILL, "torch.utils.deterministic.fill_uninitialized_memory", "empty resize", READS_INDUCTOR,
	  true },
	{ ATTR_STATE_FLASH, "torch.backends.cuda.flash_sdp_enabled()", ATTENTION, READS_AOT, false },
	{ ATTR_STATE_EFFICIENT, "torch.backends.cuda.mem_efficient_sdp_enabled()", ATTENTION, READS_AOT, false },
	{ ATTR_STATE_MATH, "torch.backends.cuda.math_sdp_enabled()", ATTENTION, READS_AOT, false },
};

void torch_state_read(signed char out[TORCH_STATES])
{
	PyObject *get, *on;
	int i;

	for (i = 0; i < TORCH_STATES; i++) {
		get = attrs_get(torch_states[i].get);
		on = get && PyCFunction_Check(get) ? PyObject_CallNoArgs(get) : NULL;
		out[i] = on == Py_True ? 1 : on == Py_False ? 0 : -1;
		PyErr_Clear();
		Py_XDECREF(on);
		Py_XDECREF(get);
	}
}
