/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plugin with an evaluator of frames of its own (Dynamo) reports of it to hook_region().  CPython has one place
   for an evaluator, so the hook of 3.11 goes in and out together with that one. */
#ifndef CDBG_HOOK_REGION_H
#define CDBG_HOOK_REGION_H

/*
 * Of the plugin's evaluator in this thread.  It is out while a graph runs, so it does not say how long hooks are needed
 * where code of graphs is armed: the frame does that put it in when it was out, or that calls a graph.  A report
 * comes from C code which that frame calls; BACK comes in the frame that CALL came in.
 */
enum hook_region {
	HOOK_REGION_IN,	  /* it is about to go in */
	HOOK_REGION_OUT,  /* it just went out */
	HOOK_REGION_NONE, /* it was asked to go out, and was out */
	HOOK_REGION_CALL, /* a graph is about to be called, perhaps by who has no evaluator in (autograd) */
	HOOK_REGION_BACK, /* the graph has returned, or raised */
};

#endif
