/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits source text into the tokens of the standard library's tokenize, for colours. Knows no file. */
#ifndef CDBG_TOKENS_H
#define CDBG_TOKENS_H

/* The kind of a byte of a line, a letter. */
enum token_kind {
	TOKEN_NONE = ' ',
	TOKEN_KEYWORD = 'k',
	TOKEN_STRING = 's',
	TOKEN_COMMENT = 'c',
	TOKEN_NUMBER = 'n',
	TOKEN_DEFINED = 'd', /* the name after def and class */
	TOKEN_BUILTIN = 'b',
	TOKEN_DECORATOR = '@',
};

/*
 * Read the tokens of line[from..n) until the statement that holds line `upto` has ended.  kind[i] becomes a text owned
 * by the caller, one letter a byte of line[i]; it stays NULL where all of them are TOKEN_NONE.  Returns the line to
 * continue from: lines in front of it are done, even if they have errors.  To be called inside a stop.
 */
int tokens_read(char *const *line, int n, int from, int upto, char **kind);

#endif
