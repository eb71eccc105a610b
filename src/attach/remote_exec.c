/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython's own protocol for debuggers: see remote_exec.h.  File and page are memory of this process, which the other
   one opens below /proc: so nothing is left on a disk, whoever is killed.  CPython prints what such a file raises to
   the program's standard error: this one raises nothing. */
#include "config.h"
#include "attach/remote_exec.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "attach/page.h"
#include "attach/process.h"
#include "base/buf.h"
#include "base/file.h"
#include "py/py.h"

enum { INTERPRETERS = 1000, GRACE_MS = 20 };

/* ---- words in the other process ---------------------------------------------------------------------------------- */

struct table {
	pid_t pid;
	unsigned char *at; /* the process's own; owned */
};

static uint64_t offset_at(const struct table *t, size_t member)
{
	uint64_t offset;

	memcpy(&offset, t->at + member, sizeof(offset));
	return offset;
}

static bool read_table(struct table *t, pid_t pid, uintptr_t runtime)
{
	*t = (struct table){ pid, mem_alloc(py_remote.size) };
	return process_read(pid, runtime, t->at, py_remote.size) &&
	       !memcmp(t->at + py_remote.cookie, py_remote.cookie_text, strlen(py_remote.cookie_text));
}

/* A word of the object at this address, whose place in it the table tells. */
static bool read_word(const struct table *t, uintptr_t object, size_t member, uint64_t *out)
{
	return process_read(t->pid, object + offset_at(t, member), out, sizeof(*out));
}

/* The one with number 0. */
static uintptr_t main_interpreter(const struct table *t, uintptr_t runtime)
{
	uint64_t at = 0, id;
	int i;

	if (!read_word(t, runtime, py_remote.interpreters, &at))
		return 0;
	for (i = 0; at && i < INTERPRETERS; i++) {
		if (!read_word(t, at, py_remote.id, &id))
			return 0;
		if (id == 0)
			return at;
		if (!read_word(t, at, py_remote.next, &at))
			return 0;
	}
	return 0;
}

/* PYTHON_DISABLE_REMOTE_DEBUG and the like say no. */
static bool is_enabled(const struct table *t, uintptr_t interpreter)
{
	int enabled = 0;

	return process_read(t->pid, interpreter + offset_at(t, py_remote.enabled), &enabled, sizeof(enabled)) &&
	       enabled == 1;
}

/* Asks the main thread.  The eval breaker is the program's, too: only the byte with the bits is written, and each bit
   that may have come or gone since it was read is set, which has a thread look once more than it would.  Not so the bit
   that asks for the GIL: a thread that finds it where nobody waits gives the GIL up and waits for ever for the next
   holder (FORCE_SWITCHING in Python/ceval_gil.c, 3.14).  A thread that does wait sets it again within 5 ms. */
static uintptr_t ask(const struct table *t, uintptr_t runtime, const char *path)
{
	uintptr_t interpreter = main_interpreter(t, runtime), support, pending;
	int32_t one = 1, asked;
	unsigned char bits;
	uint64_t thread;

	if (!interpreter || !is_enabled(t, interpreter) || !read_word(t, interpreter, py_remote.main_thread, &thread) ||
	    !thread || strlen(path) >= offset_at(t, py_remote.path_size))
		return 0;
	support = thread + offset_at(t, py_remote.support);
	pending = support + offset_at(t, py_remote.pending);
	if (!process_read(t->pid, pending, &asked, sizeof(asked)) || asked ||
	    !process_read(t->pid, thread + offset_at(t, py_remote.breaker), &bits, 1) ||
	    !process_write(t->pid, support + offset_at(t, py_remote.path), path, strlen(path) + 1) ||
	    !process_write(t->pid, pending, &one, sizeof(one)))
		return 0;
	bits = (unsigned char)((bits | py_remote.wake) & ~py_remote.never);
	return process_write(t->pid, thread + offset_at(t, py_remote.breaker), &bits, 1) ? pending : 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void add_bytes(struct buf *out, const char *s)
{
	buf_adds(out, "b'");
	for (; *s; s++)
		buf_addf(out, "\\x%02x", (unsigned char)*s);
	buf_adds(out, "'");
}

/* Loads the shared object as a module of its own, whose functions are those of the package if that is imported. */
static void write_program(struct buf *out, pid_t pid, const struct page *page, const char *path)
{
	buf_adds(out, "import _imp, _io, sys\nclass spec:\n name = 'cdbg._cdbg'\n origin = ");
	add_bytes(out, page->library);
	buf_adds(out, ".decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())\ntry:\n"
		      " _imp.create_dynamic(spec).attached_page(");
	add_bytes(out, path);
	buf_adds(out, ")\nexcept BaseException as e:\n with _io.FileIO(");
	add_bytes(out, path);
	buf_addf(out,
		 ", 'r+') as f:\n"
		 "  f.seek(%zu)\n"
		 "  f.write((\"process %ld cannot load cdbg: \" + str(e)).encode('utf-8', 'replace')[:%d])\n"
		 "  f.seek(%zu)\n"
		 "  f.write((%d).to_bytes(4, sys.byteorder))\n",
		 offsetof(struct page, text), (long)pid, PAGE_TEXT - 1, offsetof(struct page, state), PAGE_FAILED);
}

static int make_file(const void *data, size_t n)
{
	int fd = memfd_create("cdbg", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (file_write_all(fd, data, n) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The page, and the program that names it. */
static bool make_files(struct remote_exec *r, const struct page *page)
{
	struct buf program = { 0 };
	char path[64];
	void *at;

	r->memory = make_file(page, sizeof(*page));
	if (r->memory < 0)
		return false;
	at = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, r->memory, 0);
	if (at == MAP_FAILED)
		return false;
	r->page = at;
	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), r->memory);
	write_program(&program, r->pid, page, path);
	r->file = make_file(program.s, program.len);
	buf_release(&program);
	return r->file >= 0;
}

bool remote_exec_ask(struct remote_exec *r, pid_t pid, uintptr_t runtime, const struct page *page)
{
	struct table t = { 0 };
	char path[64];

	*r = (struct remote_exec){ .pid = pid, .memory = -1, .file = -1 };
	if (py_remote.size && runtime && process_sees(pid) && read_table(&t, pid, runtime) && make_files(r, page)) {
		snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), r->file);
		r->pending = ask(&t, runtime, path);
	}
	free(t.at);
	if (!r->pending)
		remote_exec_end(r);
	return r->page;
}

bool remote_exec_cancel(struct remote_exec *r)
{
	uint32_t queued = PAGE_QUEUED;
	const int32_t none = 0;

	if (!atomic_compare_exchange_strong(&r->page->state, &queued, PAGE_CANCELLED))
		return false;
	process_write(r->pid, r->pending, &none, sizeof(none));
	nanosleep(&(struct timespec){ .tv_nsec = GRACE_MS * 1000000L }, NULL); /* it may be opening the file */
	return true;
}

void remote_exec_end(struct remote_exec *r)
{
	if (r->page)
		munmap(r->page, sizeof(*r->page));
	if (r->memory >= 0)
		close(r->memory);
	if (r->file >= 0)
		close(r->file);
	*r = (struct remote_exec){ .pid = r->pid, .memory = -1, .file = -1 };
}
