/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON from outside as a data tree: see json_read.h. */
#include "ui/json/json_read.h"
#include <jansson.h>
#include "base/err.h"
#include "base/val.h"

static struct val *tree(const json_t *j)
{
	struct val *v;
	void *at;
	size_t i;

	switch (json_typeof(j)) {
	case JSON_OBJECT:
		v = val_map();
		for (at = json_object_iter((json_t *)j); at; at = json_object_iter_next((json_t *)j, at))
			val_put(v, json_object_iter_key(at), tree(json_object_iter_value(at)));
		return v;
	case JSON_ARRAY:
		v = val_list();
		for (i = 0; i < json_array_size(j); i++)
			val_push(v, tree(json_array_get(j, i)));
		return v;
	case JSON_STRING:
		return val_str(json_string_value(j));
	case JSON_INTEGER:
		return val_int(json_integer_value(j));
	case JSON_REAL:
		return val_real(json_real_value(j));
	case JSON_TRUE:
	case JSON_FALSE:
		return val_bool(json_is_true(j));
	default:
		return val_null();
	}
}

struct val *json_read(const char *s, size_t n, bool cut, struct err *err)
{
	json_error_t e;
	json_t *j = json_loadb(s, n, JSON_DECODE_ANY | (cut ? JSON_ALLOW_NUL : 0), &e);
	struct val *v;

	if (!j) {
		err_set(err, "this is not JSON: %s, at byte %d", e.text, e.position);
		return NULL;
	}
	v = tree(j);
	json_decref(j);
	return v;
}
