/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `python -m cdbg`.  Knows no session. */
#ifndef CDBG_ARGS_H
#define CDBG_ARGS_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buf;
struct err;
struct rank_join;

/* A distributed job: --ranks or --listen. */
struct args_ranks {
	bool on;	    /* what follows is a launcher's command */
	int local;	    /* --ranks=N: ranks to start for a script; 0: none */
	int world;	    /* --world; 0: not given */
	const char *listen; /* --listen: where ranks connect to; borrowed from argv, or NULL */
};

/* What src/adapter.py says of an editor. */
struct args_dap {
	int sent, given; /* --dap-sent, --dap-given: see struct front_given */
	bool terminal;	 /* --dap-terminal: the terminal is the editor's, for the program alone */
};

struct args_instead {
	pid_t attach;		 /* --attach: this process; 0 */
	const char *post_mortem; /* --post-mortem: the record of one that is gone; borrowed from argv, or NULL */
};

/* Of the process that attached to this one; borrowed from argv. */
struct args_other {
	const char *terminal; /* the type of its terminal, or NULL */
	int channel;	      /* a descriptor that leads to it, or -1 */
	const char *note;     /* what it has to say, or NULL */
};

struct args {
	bool json, dap, plain, quiet, batch, norc;
	bool help, version;
	bool command;	     /* python -m cdbg was called: the session is that of the whole program */
	int talk_fd;	     /* --json=FD; -1: standard input and output, or the address */
	const char *address; /* --json=ADDRESS, --dap=ADDRESS: a socket to listen on; borrowed, or NULL */
	struct args_dap dap_start;
	const char *token_file;	      /* --token-file; borrowed from argv, or NULL */
	struct args_instead instead;  /* no program is run */
	bool attached;		      /* this process was attached to: the session is another one's */
	bool rank;		      /* this process is a rank of a job that cdbg started or attached to */
	struct args_other other;      /* then */
	bool listen_only;	      /* the program asked for it, by cdbg.listen(): it does not wait for a client */
	const struct rank_join *join; /* this process is a rank that a controller waits for; borrowed, or NULL */
	int restart_fd;		      /* -1, or the descriptor from an earlier process */
	char **lines;		      /* -x and -ex, as command lines, in order; owned */
	size_t nlines, cap;
	const char *report; /* --report: the directory; borrowed from argv, or NULL */
	bool report_blame;
	struct args_ranks ranks;
	const char *module; /* -m; borrowed from argv */
	bool script_in;	    /* the script is "-": standard input has it, and no commands */
	int first;	    /* index in argv of the script, or of the module's first argument */
};

/* argv[0] is the first argument after `-m cdbg`.  -1: err is the text to print before the usage. */
int args_parse(struct args *a, int argc, char **argv, struct err *err);
/* In place of a command line: listen on this address, and do not wait for a client; "dap:ADDRESS" speaks the Debug
   Adapter Protocol.  Both are kept by address. */
void args_listen(struct args *a, const char *address, const char *token_file);
/* The session is that of a rank: its settings are the controller's.  Kept by address. */
void args_join(struct args *a, const struct rank_join *join);
/* --dap without a program: the client says on standard input what to run. */
bool args_launched(const struct args *a);
/* The command line of another process, which attached to this one; channel leads to that, or is -1. */
int args_attached(struct args *a, int argc, char **argv, int channel, struct err *err);
void args_forget_lines(struct args *a); /* -x and -ex have been queued */
void args_release(struct args *a);
extern const char args_usage[];

#endif
