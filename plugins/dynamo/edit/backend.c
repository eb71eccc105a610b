/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles one function with another backend of torch.  Removes the function's entries from Dynamo's
   cache first. */
#include "edit/backend.h"
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "edit/stash.h"
#include "model/compiling.h"
#include "model/func.h"
#include "torch/attrs.h"
#include "torch/wrapper.h"
#include <string.h>

struct override *backend_of(struct func *f)
{
	struct func *root = model_root(f);
	struct override *o;

	for (o = ledger; o && !(o->kind == OVERRIDE_BACKEND && o->func == root && !o->undone && !o->dead); o = o->next)
		;
	return o;
}

static int none_else(const struct override *mine, struct err *err)
{
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (o != mine && model_root(o->func) == mine->func && !o->undone && !o->dead && o->kind < OVERRIDE_VAR)
			return err_set(err, "'%s' is under override %d: 'undo %d' first", o->func->name, o->number,
				       o->number);
	return 0;
}

int backend_do(struct override *o, struct err *err)
{
	PyObject *find = attrs_get(ATTR_COMPILER_FN);
	int ret = none_else(o, err);

	if (ret == 0 && find)
		o->kept.check = PyObject_CallFunction(find, "s", o->text);
	if (ret == 0 && !o->kept.check)
		ret = find ? edit_raised(err, "no such backend, 'info backends' lists them") :
			     err_set(err, "this version of torch does not list its backends");
	Py_XDECREF(find);
	return ret < 0 ? -1 : stash_take(o, err);
}

int backend_undo(struct override *o, struct err *err)
{
	return stash_back(o, err);
}

/* For versions of torch whose entries do not name their function: the backend without its wrappers, as Dynamo
   compares it. */
static void note_backend(PyObject *compiler)
{
	struct compiling *c = attrs_have(ATTR_ENTRY_BACKEND) ? NULL : compiling_top();
	PyObject *inner;

	if (!c)
		return;
	Py_XSETREF(c->parts.backend, Py_NewRef(compiler));
	while ((inner = attr(c->parts.backend, "_torchdynamo_orig_callable")))
		Py_SETREF(c->parts.backend, inner);
}

void backend_give(struct call *call, PyObject *code)
{
	enum { COMPILER = 5 };
	struct func *f = ledger ? model_func((PyCodeObject *)code, false) : NULL;
	struct override *o = f ? backend_of(f) : NULL;
	size_t n = (size_t)(call->n + (call->names ? PyTuple_GET_SIZE(call->names) : 0));

	if (call->n > COMPILER)
		note_backend(call->arg[COMPILER]);
	if (!o || call->n <= COMPILER)
		return;
	call->own = mem_alloc(n * sizeof(*call->own));
	memcpy(call->own, call->arg, n * sizeof(*call->own));
	call->own[COMPILER] = o->kept.check;
}
