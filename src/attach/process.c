/* SPDX-License-Identifier: BSD-3-Clause */
/* Another process: see process.h.  Symbols are read from its memory, not from files: those may be gone, replaced, or in
   another mount namespace. */
#include "config.h"
#include "attach/process.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/err.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

enum { SEGMENTS = 64, DYNAMIC = 512, CHAIN = 100000, NAME_LONGEST = 64, PAGE = 4096 };

/* ---- state --------------------------------------------------------------------------------------------------- */

static void clean_name(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}

static void read_status_line(const char *line, struct process_state *out)
{
	const char *last;
	long n;

	if (!strncmp(line, "Name:\t", 6)) {
		snprintf(out->name, sizeof(out->name), "%.*s", (int)strcspn(line + 6, "\n"), line + 6);
		clean_name(out->name);
	} else if (!strncmp(line, "State:\t", 7)) {
		out->state = line[7];
	} else if (sscanf(line, "Tgid: %ld", &n) == 1) {
		out->process = (pid_t)n;
	} else if (sscanf(line, "PPid: %ld", &n) == 1) {
		out->parent = (pid_t)n;
	} else if (sscanf(line, "TracerPid: %ld", &n) == 1) {
		out->tracer = (pid_t)n;
	} else if (sscanf(line, "Uid: %ld", &n) == 1) {
		out->user = (uid_t)n;
	} else if (!strncmp(line, "NStgid:\t", 8)) {
		last = strrchr(line, '\t');
		out->inside = (pid_t)strtol(last, NULL, 10);
	}
}

bool process_state(pid_t pid, struct process_state *out)
{
	char name[48], line[256];
	FILE *f;

	memset(out, 0, sizeof(*out));
	out->process = out->inside = pid;
	snprintf(name, sizeof(name), "/proc/%ld/status", (long)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		read_status_line(line, out);
	if (f)
		fclose(f);
	return f && out->state;
}

/* The same line in both files of /proc. */
static bool same_status(pid_t a, pid_t b, const char *name)
{
	char file[48], line[2][256] = { "", "" };
	pid_t pid[] = { a, b };
	size_t n = strlen(name);
	FILE *f;
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(file, sizeof(file), "/proc/%ld/status", (long)pid[i]);
		f = fopen(file, "re");
		while (f && fgets(line[i], sizeof(line[i]), f) && strncmp(line[i], name, n))
			line[i][0] = '\0';
		if (f)
			fclose(f);
	}
	return line[0][0] && !strcmp(line[0], line[1]);
}

static bool same_namespace(pid_t a, pid_t b, const char *name)
{
	struct stat sa, sb;
	char file[64];

	snprintf(file, sizeof(file), "/proc/%ld/ns/%s", (long)a, name);
	if (stat(file, &sa) < 0)
		return false;
	snprintf(file, sizeof(file), "/proc/%ld/ns/%s", (long)b, name);
	return stat(file, &sb) == 0 && sa.st_ino == sb.st_ino && sa.st_dev == sb.st_dev;
}

bool process_sees(pid_t pid)
{
	char file[80];

	/* what the kernel compares: __ptrace_may_access() */
	if (prctl(PR_GET_DUMPABLE) != 1 || !same_status(getpid(), pid, "Uid:") || !same_status(getpid(), pid, "Gid:") ||
	    !same_status(getpid(), pid, "CapPrm:") || !same_namespace(getpid(), pid, "pid") ||
	    !same_namespace(getpid(), pid, "user"))
		return false;
	snprintf(file, sizeof(file), "/proc/%ld/root/proc/%ld/fd", (long)pid, (long)getpid());
	return access(file, R_OK | X_OK) == 0;
}

/* The setting of the yama security module; -1: the kernel has none. */
static int yama_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = -1;

	if (f && fscanf(f, "%d", &scope) != 1)
		scope = -1;
	if (f)
		fclose(f);
	return scope;
}

int process_refused(pid_t pid, int reason, struct err *err)
{
	static const char listen[] = "or have the program call cdbg.listen(), or start it with CDBG_LISTEN=unix: and "
				     "'import cdbg'";
	long n = (long)pid;

	if (reason == ESRCH)
		return err_set(err, "process %ld has ended", n);
	if (reason != EPERM && reason != EACCES)
		return err_set(err, "cannot trace process %ld: %s", n, strerror(reason));
	switch (yama_scope()) {
	case 1:
		return err_set(err,
			       "cannot trace process %ld: kernel.yama.ptrace_scope is 1, so only its parents may: run "
			       "'sudo sysctl kernel.yama.ptrace_scope=0', or cdbg with sudo, %s",
			       n, listen);
	case 2:
		return err_set(err,
			       "cannot trace process %ld: kernel.yama.ptrace_scope is 2, so only root may: run cdbg "
			       "with sudo, %s",
			       n, listen);
	case 3:
		return err_set(err,
			       "cannot trace process %ld: kernel.yama.ptrace_scope is 3, so nobody may until the next "
			       "boot: have the program call cdbg.listen()",
			       n);
	default:
		return err_set(err,
			       "cannot trace process %ld: the kernel does not permit it (the process has more rights "
			       "than cdbg, or a container lacks CAP_SYS_PTRACE): run cdbg with sudo or with that "
			       "capability, %s",
			       n, listen);
	}
}

/* Its memory can be read: that needs the same right as tracing it. */
static int check_memory(pid_t pid, const struct process_state *st, struct err *err)
{
	char name[48], line[64];
	unsigned long from = 0;
	uintptr_t word;
	FILE *f;
	int e;

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)pid);
	f = fopen(name, "re");
	errno = f ? 0 : errno;
	if (f && !(fgets(line, sizeof(line), f) && sscanf(line, "%lx", &from) == 1) && !errno)
		err_set(err, "process %ld (%s) has no memory of its own: it is a thread of the kernel", (long)pid,
			st->name);
	e = errno;
	if (f)
		fclose(f);
	if (from)
		return process_read(pid, from, &word, sizeof(word)) ? 0 : process_refused(pid, errno, err);
	return e ? process_refused(pid, e, err) : -1;
}

int process_check(pid_t pid, struct err *err)
{
	struct process_state st, tracer;
	long n = (long)pid;

	if (MACHINE == EM_NONE)
		return err_set(err, "cdbg traces processes on x86-64 and aarch64 only: have the program call "
				    "cdbg.listen()");
	if (pid <= 0 || !process_state(pid, &st))
		return err_set(err, "no process %ld", n);
	if (st.process != pid)
		return err_set(err, "%ld is a thread of process %ld: attach to that", n, (long)st.process);
	if (pid == getpid())
		return err_set(err, "process %ld is cdbg itself", n);
	if (st.state == 'Z' || st.state == 'X')
		return err_set(err, "process %ld (%s) has ended and waits for its parent to notice", n, st.name);
	if (geteuid() != 0 && st.user != geteuid())
		return err_set(err,
			       "process %ld (%s) belongs to another user, %ld: run cdbg as that user, or with sudo", n,
			       st.name, (long)st.user);
	if (st.tracer && process_state(st.tracer, &tracer))
		return err_set(err,
			       "process %ld (%s) is traced already, by process %ld (%s): a process has one tracer; end "
			       "that one first",
			       n, st.name, (long)st.tracer, tracer.name);
	if (st.state == 'T')
		return err_set(err, "process %ld (%s) is stopped by a signal: run kill -CONT %ld first", n, st.name, n);
	return check_memory(pid, &st, err);
}

bool process_waits(pid_t pid, pid_t thread, struct process_wait *out)
{
	char name[64], line[256];
	unsigned long sp = 0, pc = 0;
	bool waits;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%ld/task/%ld/syscall", (long)pid, (long)thread);
	f = fopen(name, "re");
	waits = f && fgets(line, sizeof(line), f) &&
		sscanf(line, "%ld %*x %*x %*x %*x %*x %*x %lx %lx", &out->call, &sp, &pc) == 3;
	if (f)
		fclose(f);
	if (!waits)
		out->call = -1;
	out->sp = sp;
	out->pc = pc;
	return waits;
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

bool process_read(pid_t pid, uintptr_t from, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)from, n };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

bool process_write(pid_t pid, uintptr_t to, const void *from, size_t n)
{
	struct iovec here = { (void *)(uintptr_t)from, n }, there = { (void *)to, n };

	return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* ---- objects ------------------------------------------------------------------------------------------------- */

/* The dynamic linker has made addresses of what the file has as offsets; that of musl, and the kernel's own object,
   have not. */
static uintptr_t linked(const struct process_object *o, uintptr_t value)
{
	return value < o->base ? value + o->base : value;
}

static void take_dynamic(struct process_object *o, const Elf64_Dyn *d)
{
	uintptr_t value = linked(o, d->d_un.d_ptr);

	if (d->d_tag == DT_SYMTAB)
		o->symbols = value;
	else if (d->d_tag == DT_STRTAB)
		o->names = value;
	else if (d->d_tag == DT_HASH)
		o->hash = value;
	else if (d->d_tag == DT_GNU_HASH)
		o->gnu_hash = value;
}

static void read_dynamic(pid_t pid, struct process_object *o, uintptr_t at)
{
	Elf64_Dyn d;
	int i;

	for (i = 0; i < DYNAMIC && process_read(pid, at, &d, sizeof(d)) && d.d_tag != DT_NULL; i++) {
		take_dynamic(o, &d);
		at += sizeof(d);
	}
}

/* The object whose file is mapped from its beginning at this address. */
static bool read_object(pid_t pid, uintptr_t at, struct process_object *o)
{
	Elf64_Phdr ph[SEGMENTS];
	Elf64_Ehdr e;
	uintptr_t low = UINTPTR_MAX, dynamic = 0;
	int i;

	if (!process_read(pid, at, &e, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_machine != MACHINE || e.e_phentsize != sizeof(*ph) ||
	    e.e_phnum > SEGMENTS || !process_read(pid, at + e.e_phoff, ph, e.e_phnum * sizeof(*ph)))
		return false;
	for (i = 0; i < e.e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr < low)
			low = ph[i].p_vaddr & ~(uintptr_t)(PAGE - 1);
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = ph[i].p_vaddr;
	}
	if (low == UINTPTR_MAX || !dynamic)
		return false;
	o->base = at - low;
	o->symbols = o->names = o->hash = o->gnu_hash = 0;
	read_dynamic(pid, o, o->base + dynamic);
	return o->symbols && o->names && (o->hash || o->gnu_hash);
}

/* Symbol number i, if it is defined and has this name. */
static bool symbol_is(pid_t pid, const struct process_object *o, uint32_t i, const char *name,
		      struct process_range *out)
{
	char text[NAME_LONGEST];
	size_t n = strlen(name) + 1;
	Elf64_Sym s;

	if (!process_read(pid, o->symbols + (uintptr_t)i * sizeof(s), &s, sizeof(s)) || !s.st_shndx || !s.st_value ||
	    n > sizeof(text) || !process_read(pid, o->names + s.st_name, text, n) || memcmp(text, name, n))
		return false;
	if (ELF64_ST_TYPE(s.st_info) == STT_TLS || ELF64_ST_TYPE(s.st_info) == STT_GNU_IFUNC)
		return false;
	out->from = o->base + s.st_value;
	out->to = out->from + s.st_size;
	return true;
}

static bool find_gnu(pid_t pid, const struct process_object *o, const char *name, struct process_range *out)
{
	uint32_t head[4], h = 5381, bucket, entry, i;
	uintptr_t buckets, chains;
	const char *c;

	for (c = name; *c; c++)
		h = h * 33 + (unsigned char)*c;
	if (!process_read(pid, o->gnu_hash, head, sizeof(head)) || !head[0])
		return false;
	buckets = o->gnu_hash + sizeof(head) + (uintptr_t)head[2] * 8;
	chains = buckets + (uintptr_t)head[0] * 4;
	if (!process_read(pid, buckets + (uintptr_t)(h % head[0]) * 4, &bucket, 4) || bucket < head[1])
		return false;
	for (i = 0; i < CHAIN; i++, bucket++) {
		if (!process_read(pid, chains + (uintptr_t)(bucket - head[1]) * 4, &entry, 4))
			return false;
		if ((entry | 1) == (h | 1) && symbol_is(pid, o, bucket, name, out))
			return true;
		if (entry & 1)
			return false;
	}
	return false;
}

static bool find_sysv(pid_t pid, const struct process_object *o, const char *name, struct process_range *out)
{
	uint32_t head[2], h = 0, at, i;
	const char *c;

	for (c = name; *c; c++) {
		h = (h << 4) + (unsigned char)*c;
		h = (h ^ ((h & 0xf0000000) >> 24)) & 0x0fffffff;
	}
	if (!process_read(pid, o->hash, head, sizeof(head)) || !head[0] ||
	    !process_read(pid, o->hash + 8 + (uintptr_t)(h % head[0]) * 4, &at, 4))
		return false;
	for (i = 0; at && i < CHAIN; i++) {
		if (symbol_is(pid, o, at, name, out))
			return true;
		if (!process_read(pid, o->hash + 8 + ((uintptr_t)head[0] + at) * 4, &at, 4))
			return false;
	}
	return false;
}

struct process_range process_function(pid_t pid, const struct process_object *o, const char *symbol)
{
	struct process_range r = { 0, 0 };

	if (!(o->gnu_hash ? find_gnu : find_sysv)(pid, o, symbol, &r))
		r = (struct process_range){ 0, 0 };
	return r;
}

uintptr_t process_symbol(pid_t pid, const struct process_object *o, const char *symbol)
{
	return process_function(pid, o, symbol).from;
}

bool process_object(pid_t pid, const char *symbol, const char *part, struct process_object *out)
{
	char name[48], line[PATH_MAX + 128], path[4096], last[4096] = "";
	unsigned long from, offset;
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)pid);
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %4095[^\n]", &from, &offset, path) != 3 || offset ||
		    path[0] != '/' || !strcmp(path, last))
			continue;
		memcpy(last, path, sizeof(last));
		if (part && !strstr(strrchr(path, '/'), part))
			continue;
		found = read_object(pid, from, out) && process_symbol(pid, out, symbol);
		if (found)
			memcpy(out->path, path, sizeof(out->path));
	}
	if (f)
		fclose(f);
	return found;
}
