/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 of Python's strings.  A str may have lone surrogates (a file name whose bytes are not UTF-8), which UTF-8
   cannot encode: no function here leaves an exception set.  Knows nothing of Dynamo. */
#ifndef DYNAMO_TORCH_PY_TEXT_H
#define DYNAMO_TORCH_PY_TEXT_H
#include "torch/cdbg_host.h"

/* NULL, without an exception, for anything but a str, and for one with a lone surrogate, which UTF-8 cannot hold. */
const char *py_text_utf8(PyObject *v);
/* One of the model's texts, with lone surrogates escaped ("\\udce9"); "?" for anything but a str. */
const char *py_text_utf8_kept(PyObject *v);
char *py_text_str(PyObject *v);				/* its str(), owned by the caller; NULL: None, or it raised */
const char *py_text_keep(const char *s);		/* one copy of each text, for the life of the model */
const char *py_text_keep_part(const char *s, size_t n); /* of the first n bytes */
bool py_text_begins_with(const char *s, const char *with);
bool py_text_ends_with(const char *s, const char *with);
size_t py_text_word(const char *s); /* how many letters, digits and _ in ASCII it begins with */
/* Is the word, and not only a part of a longer one, in the first n bytes? */
bool py_text_has_word(const char *s, size_t n, const char *word);
/* Is it one of the words of a text, which are separated by spaces?  words: may be NULL. */
bool py_text_lists(const char *words, const char *word);
const char *py_text_file_name(const char *path); /* "toy.py", without its folders; "" for NULL */

#endif
