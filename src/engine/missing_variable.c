/* SPDX-License-Identifier: BSD-3-Clause */
/* A NameError about a variable of the user's function that generated code, or a resume function, was not given.  Knows
   no plugin by name and evaluates nothing. */
#include "engine/missing_variable.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/plug.h"
#include "engine/session.h"

/* The name in "... NameError: name 'x' is not defined ...": owned by the caller, NULL: it is another error. */
static char *missing_name(const char *text)
{
	static const char begin[] = "NameError: name '";
	const char *name = strstr(text, begin), *end;

	name = name ? name + strlen(begin) : NULL;
	end = name ? strstr(name, "' is not defined") : NULL;
	return end ? mem_strn(name, (size_t)(end - name)) : NULL;
}

static bool has_variable(struct py_code *co, const char *name)
{
	struct code *c = code_get(co);
	int i, n = code_nlocals(c);

	for (i = 0; i < n; i++)
		if (!strcmp(code_local_name(c, i), name))
			return true;
	return false;
}

void missing_explain(struct session *s, struct code *c, struct err *err)
{
	char *name = missing_name(err->text), *text;
	struct code_info info;

	if (name && c && plug_code(s, c->co, &info) && info.root && has_variable(info.root, name)) {
		text = mem_fmt("%s: '%s' is a variable of %s, and this %s", err->text, name,
			       code_name(code_get(info.root)),
			       info.resume ? "resume function did not receive it" :
					     "generated code does not hold its value here");
		err_set(err, "%s", text);
		free(text);
	}
	free(name);
}
