/* SPDX-License-Identifier: BSD-3-Clause */
/* The bodies of the program's own modules: see modules.h. */
#include "engine/modules.h"
#include "base/buf.h"
#include "py/code/code.h"
#include "py/py.h"

static struct {
	struct py_code **code; /* owned */
	size_t n, cap, sweep_at;
} modules;

enum { KEPT_BODIES = 256 }; /* the table is pruned only when it is longer */

/* A program may run code that it compiles again each time: remove a body that nothing can run any more and that has no
   functions left. */
static void drop_unused_bodies(void)
{
	size_t i, n = 0;

	for (i = 0; i < modules.n; i++)
		if (code_unused(modules.code[i]))
			py_unref_later(modules.code[i]);
		else
			modules.code[n++] = modules.code[i];
	modules.n = n;
	modules.sweep_at = n * 2 > KEPT_BODIES ? n * 2 : KEPT_BODIES;
}

bool modules_add(struct py_code *body)
{
	size_t i;

	for (i = 0; i < modules.n; i++)
		if (modules.code[i] == body)
			return false;
	if (modules.n >= modules.sweep_at)
		drop_unused_bodies();
	modules.code = mem_grow(modules.code, &modules.cap, modules.n + 1, sizeof(*modules.code));
	modules.code[modules.n++] = py_ref(body);
	return true;
}

struct py_code *modules_code(int n)
{
	return n >= 0 && (size_t)n < modules.n ? modules.code[n] : NULL;
}
