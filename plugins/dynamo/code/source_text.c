/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of values as a person writes them: "L['self']._modules['layer']._modules['0']._parameters['weight']" is
   self.layer[0].weight.  Knows text only. */
#include "code/dynamo_code.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* "['key']": the key and its length; returns the text after it, NULL: it does not have that form. */
static const char *key_of(const char *s, const char **key, size_t *n)
{
	const char *end;

	if (strncmp(s, "['", 2))
		return NULL;
	end = s + 2 + strcspn(s + 2, "'\\\n");
	if (end == s + 2 || strncmp(end, "']", 2))
		return NULL;
	*key = s + 2;
	*n = (size_t)(end - s) - 2;
	return end + 2;
}

static bool is_identifier(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n && is_name_byte(s[i]); i++)
		;
	return n && i == n && !isdigit((unsigned char)*s);
}

/* "__import_torch_dot_nn_dot_functional" is a module that Dynamo imports under a name of its own. */
static void add_global_name(const char *key, size_t n, struct buf *out)
{
	static const char import[] = "__import_", dot[] = "_dot_";
	size_t i;

	if (n <= strlen(import) || strncmp(key, import, strlen(import))) {
		buf_add(out, key, n);
		return;
	}
	for (i = strlen(import); i < n; i++)
		if (n - i > strlen(dot) && !strncmp(key + i, dot, strlen(dot))) {
			buf_add(out, ".", 1);
			i += strlen(dot) - 1;
		} else {
			buf_add(out, key + i, 1);
		}
}

/* "L['x']", "G['f']", "G['__builtins_dict___0']['len']": the text after it, NULL: none of these. */
static const char *variable_name(const char *s, struct buf *out)
{
	static const char builtins[] = "__builtins_dict__";
	size_t n = 0;
	const char *key = "", *rest = *s == 'L' || *s == 'G' ? key_of(s + 1, &key, &n) : NULL, *inner;

	if (!rest || !is_identifier(key, n))
		return NULL;
	if (*s == 'G' && n >= strlen(builtins) && !strncmp(key, builtins, strlen(builtins))) {
		inner = key_of(rest, &key, &n);
		if (!inner || !is_identifier(key, n))
			return NULL;
		buf_add(out, key, n);
		return inner;
	}
	if (*s == 'G')
		add_global_name(key, n, out);
	else
		buf_add(out, key, n);
	return rest;
}

/* "._modules['layer']", "._parameters['weight']": a module keeps in dicts what is written as an attribute. */
static const char *add_attribute(const char *s, struct buf *out)
{
	static const char *const dicts[] = { "._modules", "._parameters", "._buffers", ".__dict__" };
	const char *key, *rest;
	size_t i, n, k;

	for (i = 0; i < sizeof(dicts) / sizeof(*dicts); i++) {
		n = strlen(dicts[i]);
		rest = strncmp(s, dicts[i], n) ? NULL : key_of(s + n, &key, &k);
		if (!rest)
			continue;
		if (is_identifier(key, k))
			buf_addf(out, ".%.*s", (int)k, key);
		else if (strspn(key, "0123456789") >= k)
			buf_addf(out, "[%.*s]", (int)k, key);
		else
			return NULL;
		return rest;
	}
	return NULL;
}

/* The end of a string literal that begins here. */
static const char *literal(const char *s)
{
	char quote = *s++;

	while (*s && *s != quote)
		s += *s == '\\' && s[1] ? 2 : 1;
	return *s ? s + 1 : s;
}

/* "___check_type_id(L['n'], 9481408), type=<class 'float'>" is "type(n) is float": the text after it, NULL: something
   else.  The number is an address. */
static const char *type_check(const char *s, struct buf *out)
{
	static const char check[] = "___check_type_id(", type[] = ", type=<class '";
	const char *comma, *end, *name;
	struct buf of = { 0 };
	char *source;

	if (strncmp(s, check, strlen(check)))
		return NULL;
	s += strlen(check);
	end = strstr(s, "), type=<class '");
	for (comma = end; comma && comma > s && isdigit((unsigned char)comma[-1]); comma--)
		;
	if (!end || comma == end || comma - s < 3 || comma[-1] != ' ' || comma[-2] != ',')
		return NULL;
	name = end + 1 + strlen(type);
	end = strstr(name, "'>");
	if (!end || memchr(name, '\n', (size_t)(end - name)))
		return NULL;
	source = mem_strn(s, (size_t)(comma - 2 - s));
	source_text_people(source, &of);
	buf_addf(out, "type(%s) is %.*s", buf_str(&of), (int)(end - name), name);
	buf_release(&of);
	free(source);
	return end + 2;
}

void source_text_people(const char *text, struct buf *out)
{
	const char *s = text, *next;

	buf_add(out, "", 0);
	while (*s) {
		next = s > text && (is_name_byte(s[-1]) || s[-1] == '.') ? NULL : variable_name(s, out);
		if (!next && *s == '.')
			next = add_attribute(s, out);
		if (!next && *s == '_' && (s == text || !is_name_byte(s[-1])))
			next = type_check(s, out);
		if (!next) {
			next = *s == '\'' || *s == '"' ? literal(s) : s + 1;
			buf_add(out, s, (size_t)(next - s));
		}
		s = next;
	}
}

/* "x is not marked": the attributes by which mark_dynamic() and its like mark a tensor's dimensions. */
static const struct {
	const char *attribute, *word;
} marks[] = {
	{ "'_dynamo_dynamic_indices'", "dynamic" },   { "'_dynamo_weak_dynamic_indices'", "maybe dynamic" },
	{ "'_dynamo_unbacked_indices'", "unbacked" }, { "'_dynamo_strict_unbacked_indices'", "strictly unbacked" },
	{ "'_dynamo_static_indices'", "static" },
};

bool source_text_marks(const char *text, struct buf *out)
{
	const char *at, *set, *end;
	size_t i, n = 0, found = 0;

	if (strncmp(text, "hasattr(", 8) && strncmp(text, "((getattr(", 10))
		return false;
	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		found += strstr(text, marks[i].attribute) != NULL;
	if (!found)
		return false;
	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		at = strstr(text, marks[i].attribute);
		set = at ? strstr(at, ".issubset({") : NULL;
		if (!set || set != at + strlen(marks[i].attribute) + strlen(", set())"))
			continue;
		set += strlen(".issubset(");
		end = strchr(set, '}');
		buf_addf(out, "%s%s in %.*s", n++ ? ", " : "dimensions marked ", marks[i].word,
			 end ? (int)(end + 1 - set) : 0, set);
	}
	if (!n)
		buf_adds(out, "no dimension is marked");
	return true;
}

void source_text_shown(const char *text, size_t columns, struct buf *out)
{
	struct buf people = { 0 };

	if (!source_text_marks(text, &people))
		source_text_people(text, &people);
	host->rows.cut(out, buf_str(&people), columns);
	buf_release(&people);
}

void source_text_name(const char *source, size_t columns, struct buf *out)
{
	struct buf people = { 0 };

	source_text_people(source, &people);
	host->rows.cut_name(out, buf_str(&people), columns);
	buf_release(&people);
}
