/* SPDX-License-Identifier: BSD-3-Clause */
/* What torch.compiler.set_stance() says now about calls of compiled functions. */
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"

bool stance_is(const char *name)
{
	PyObject *stance = attrs_get(ATTR_STANCE), *word = attr(stance, "stance");
	bool is = word && PyUnicode_Check(word) && !PyUnicode_CompareWithASCIIString(word, name);

	Py_XDECREF(word);
	Py_XDECREF(stance);
	return is;
}

bool stance_skips_guards(void)
{
	PyObject *stance = attrs_get(ATTR_STANCE), *flag = attr(stance, "skip_guard_eval_unsafe");
	bool skips = flag == Py_True;

	Py_XDECREF(flag);
	Py_XDECREF(stance);
	return skips;
}

bool stance_describe(struct buf *out)
{
	static const char *const all[][2] = {
		{ "force_eager", "calls run the function's own code and look for no entry" },
		{ "eager_on_recompile", "a call that fits no entry runs the function's own code" },
		{ "fail_on_recompile", "a call that fits no entry raises an exception" },
		{ "eager_then_compile", "the first call of a function runs its own code" },
		{ "aot_eager_then_compile", "the first call of a function compiles it with backend aot_eager" },
	};
	const size_t before = out->len;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (stance_is(all[i][0]))
			buf_addf(out, "set_stance(\"%s\") is in effect: %s", all[i][0], all[i][1]);
	if (stance_skips_guards())
		buf_addf(out,
			 "%sset_stance(skip_guard_eval_unsafe=True) is in effect: only guards that tell the entries of "
			 "a function apart are checked, so an entry may run although another guard fails",
			 out->len > before ? "; " : "");
	return out->len > before;
}
