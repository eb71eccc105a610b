/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests. */
#include <string.h>
#include "ui/dap/dap_call.h"

const struct dap_row dap_rows[] = {
	{ "initialize", DAP_EARLY | DAP_ENDED, dap_initialize, NULL },
	{ "launch", 0, dap_start, NULL },
	{ "attach", 0, dap_start, NULL },
	{ "configurationDone", 0, dap_configured, NULL },
	{ "disconnect", DAP_EARLY | DAP_ENDED, dap_disconnect, NULL },
	{ "terminate", DAP_ENDED, dap_terminate, NULL },
	{ "restart", 0, dap_restart, NULL },
	{ "setBreakpoints", 0, dap_set_breakpoints, NULL },
	{ "breakpointLocations", 0, dap_locations, NULL },
	{ "setFunctionBreakpoints", 0, dap_set_functions, NULL },
	{ "setInstructionBreakpoints", 0, dap_set_instructions, NULL },
	{ "setDataBreakpoints", 0, dap_set_data, NULL },
	{ "dataBreakpointInfo", DAP_STOPPED, dap_data_info, NULL },
	{ "setExceptionBreakpoints", 0, dap_set_exceptions, NULL },
	{ "continue", DAP_STOPPED | DAP_SELECTS, dap_run_on, NULL },
	{ "next", DAP_STOPPED | DAP_SELECTS, dap_step_over, NULL },
	{ "stepIn", DAP_STOPPED | DAP_SELECTS, dap_step_into, NULL },
	{ "stepOut", DAP_STOPPED | DAP_SELECTS, dap_step_out, NULL },
	{ "stepBack", DAP_STOPPED | DAP_SELECTS, dap_step_back, NULL },
	{ "reverseContinue", DAP_STOPPED, dap_run_back, NULL },
	{ "pause", DAP_ENDED, dap_pause, NULL },
	{ "gotoTargets", DAP_STOPPED, dap_goto_targets, NULL },
	{ "goto", DAP_STOPPED | DAP_SELECTS, dap_goto, NULL },
	{ "threads", DAP_ENDED, dap_threads, NULL },
	{ "stackTrace", DAP_STOPPED, dap_stack_trace, NULL },
	{ "scopes", DAP_STOPPED, dap_scopes, NULL },
	{ "variables", DAP_STOPPED, dap_variables, NULL },
	{ "setVariable", DAP_STOPPED, dap_set_variable, dap_variable_set },
	{ "setExpression", DAP_STOPPED, dap_set_expression, dap_expression_set },
	{ "evaluate", DAP_SELECTS | DAP_ENDED, dap_evaluate, dap_evaluated },
	{ "completions", 0, dap_completions, NULL },
	{ "disassemble", DAP_STOPPED, dap_disassemble, NULL },
	{ "source", DAP_ENDED, dap_source, NULL },
	{ "loadedSources", DAP_ENDED, dap_loaded_sources, NULL },
	{ "exceptionInfo", DAP_STOPPED, dap_exception_info, NULL },
	{ "cdbg/command", DAP_SELECTS | DAP_ENDED, dap_command, dap_commanded },
	{ "cdbg/view", DAP_ENDED, dap_view, NULL },
	{ "cdbg/entries", DAP_ENDED, dap_entries, NULL },
	{ NULL, 0, NULL, NULL },
};

const struct dap_row *dap_row_find(const char *name)
{
	const struct dap_row *r;

	for (r = dap_rows; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}
