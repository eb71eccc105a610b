/* SPDX-License-Identifier: BSD-3-Clause */
/* What a name in code that a compiler made stands for: a module, a function of the compiler's library, a builtin.
   Does not depend on statements. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"

const char *library_module(const struct dec *d, const struct expr *name)
{
	const char *s = name->kind == E_NAME && name->steady ? PyUnicode_AsUTF8(name->obj) : NULL;

	PyErr_Clear();
	return s && !run_has_variable(d->c, name->obj) ? d->style->reads_as(d->style->arg, s) : NULL;
}

const char *library_form(const struct dec *d, const struct expr *f)
{
	const char *module = f->kind == E_ATTR && f->obj ? library_module(d, f->kid[0]) : NULL, *name;

	if (!module || !*module)
		return NULL;
	name = PyUnicode_AsUTF8(f->obj);
	PyErr_Clear();
	return name ? d->style->reads_as(d->style->arg, dec_text((struct dec *)d, "%s.%s", module, name)) : NULL;
}

bool library_builtin(const struct dec *d, const struct expr *e)
{
	const char *what = e->kind == E_SUBSCR && e->kid[1]->kind == E_CONST && PyUnicode_CheckExact(e->kid[1]->obj) ?
				   library_module(d, e->kid[0]) :
				   NULL;

	return what && !strcmp(what, "builtins.__dict__") && dec_is_identifier(e->kid[1]->obj);
}
