/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning of a report's first page for people who never saw one: what happened in a few sentences, and what the
   words mean. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"

/* "1 graph break" */
static void add_counted(struct buf *out, long long n, const char *one, const char *many)
{
	html(out, "%l %S", n, n == 1 ? one : many);
}

/* What happened, in a few sentences. */
/* How the code continues after the breaks. */
static void add_breaks(struct buf *out, const struct val *root)
{
	const struct val *functions = data_list(root, "functions"), *list;
	long long resumed = 0, failed = 0, eager = 0;
	const char *state;
	size_t f, i;

	for (f = 0; f < functions->u.list.n; f++) {
		list = data_list(functions->u.list.item[f], "breaks");
		for (i = 0; i < list->u.list.n; i++) {
			state = val_text(list->u.list.item[i], "state");
			resumed += !strcmp(state, "resumed");
			failed += !strcmp(state, "failed");
			eager += strcmp(state, "resumed") && strcmp(state, "failed");
		}
	}
	if (resumed) {
		add_counted(out, resumed, "graph break divides", "graph breaks divide");
		html(out, " the code into smaller graphs. ");
	}
	if (eager) {
		html(out, "After ");
		add_counted(out, eager, "graph break", "graph breaks");
		html(out, " the rest runs in eager mode. ");
	}
	if (failed) {
		html(out, "At ");
		add_counted(out, failed, "graph break", "graph breaks");
		html(out, " compiling ended with an exception. ");
	}
}

void page_lead(struct buf *out, const struct val *root)
{
	const struct val *sum = val_get(root, "summary");
	long long entries = val_number(sum, "entries", 0), breaks = val_number(sum, "breaks", 0);
	long long recompiles = val_number(sum, "recompiles", 0);

	html(out, "<p class=\"lead\">");
	if (entries) {
		html(out, "Dynamo, the front end of torch.compile, made ");
		add_counted(out, entries, "cache entry", "cache entries");
		html(out, " in ");
		html_seconds(out, data_real(sum, "seconds"));
		html(out, ". ");
	} else {
		html(out, "Dynamo, the front end of torch.compile, compiled nothing. ");
	}
	if (recompiles) {
		add_counted(out, recompiles, "of them is a recompile", "of them are recompiles");
		html(out, ": a later call did not fit what was compiled before. ");
	}
	add_breaks(out, root);
	if (entries && !breaks && !recompiles)
		html(out, "No graph break, no recompile. ");
	html(out, "A function's name leads to its page.</p>\n");
}

void page_words(struct buf *out)
{
	static const char *const word[][2] = {
		{ "Cache entry", "one compiled version of a function, with the guards that say when it may be used; "
				 "entry 0/1 is the second one of the first function" },
		{ "Guard", "a condition on arguments, globals or attributes, checked before each call of an entry" },
		{ "Graph", "the tensor operations of an entry, which the backend compiles" },
		{ "Graph break", "a statement that cannot be part of a graph: the graph ends there, Python runs the "
				 "statement, and a resume function runs the rest" },
		{ "Resume function", "the rest of a function after a graph break, compiled as a function of its own" },
		{ "___stack0, stack0",
		  "a value that was on Python's stack at a graph break, such as the result of the call "
		  "that broke the graph; the resume function takes it as an argument" },
		{ "Recompile", "a call for which the guards of each entry failed, so that another entry was compiled" },
		{ "f32[3,?] cpu", "a tensor of float32 on the CPU, with 3 rows and any number of columns" },
		{ "Eager", "run by Python as it is, without being compiled" },
		{ "Region", "a stretch of the generated code with one purpose, such as calling the graph" },
		{ "Side effect", "a change of an object that the function makes, replayed after the graph" },
	};
	size_t i;

	html(out, "<details class=\"words\"><summary>What the words of this report mean</summary>\n<dl>\n");
	for (i = 0; i < sizeof(word) / sizeof(*word); i++)
		html(out, "<dt>%S</dt><dd>%S</dd>\n", word[i][0], word[i][1]);
	html(out, "</dl></details>\n");
}
