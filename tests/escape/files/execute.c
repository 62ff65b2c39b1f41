/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Executing what is not to be executed. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "escape/attempt.h"
#include "escape/escape.h"

#define BANNED "../programs/banned"
#define TOOL "../programs/tool"

#define PAGE_SIZE 4096

/* What execveat(2) says in a process of its own. */
static int execute_descriptor(int fd, const char *path, int flags)
{
	char *const argv[] = { (char *)"program", NULL }, *const envp[] = { NULL };
	int status;
	pid_t child;

	if (fd < 0)
		return fd;
	child = fork();
	if (child == 0) {
		(void)execveat(fd, path, argv, envp, flags);
		_exit(errno);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int execute_script(const char *interpreter)
{
	int r = make_script("script", interpreter);

	return r < 0 ? r : probe(PROBE_EXECUTE, "script");
}

/* ---- By other roads ---- */

ESCAPE(execute_banned, "Execute a program that a rule denies")
{
	return probe(PROBE_EXECUTE, BANNED);
}
DENIED_WITH(execute_banned, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_unlisted, "Execute a program that no rule names")
{
	return probe(PROBE_EXECUTE, "../home/program");
}
OUTSIDER(copy_tool_home)
{
	return copy_file(TOOL, "../home/program");
}
DENIED_WITH(execute_unlisted, ENOENT, UNLISTED, PROGRAM_EXECUTE, "home/program",
	    .has_programs = true, .before = copy_tool_home);

OUTSIDER(copy_tool_into_kept)
{
	return copy_file(TOOL, "kept/program");
}

ESCAPE(execute_kept, "Execute a program that may only be read")
{
	return probe(PROBE_EXECUTE, "kept/program");
}
DENIED_WITH(execute_kept, EACCES, RULE, PROGRAM_EXECUTE, "project/kept/program",
	    .rule = "project/kept", .has_programs = true, .before = copy_tool_into_kept);

ESCAPE(execute_by_symlink, "Execute a denied program through a symbolic link in the project")
{
	if (symlink(BANNED, "program") < 0)
		return -errno;
	return probe(PROBE_EXECUTE, "program");
}
DENIED_WITH(execute_by_symlink, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_by_proc_root, "Execute a denied program through /proc/self/root")
{
	char path[2 * PATH_MAX];

	(void)snprintf(path, sizeof(path), "/proc/self/root%s", absolute("programs/banned"));
	return probe(PROBE_EXECUTE, path);
}
DENIED_WITH(execute_by_proc_root, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_name, "Execute a denied program by an O_PATH descriptor alone")
{
	_cleanup_close_ int fd = open_as_name(BANNED);

	return execute_descriptor(fd, "", AT_EMPTY_PATH);
}
DENIED_WITH(execute_name, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_open_file, "Execute a denied program by a descriptor that was opened for reading")
{
	_cleanup_close_ int fd = open(BANNED, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : execute_descriptor(fd, "", AT_EMPTY_PATH);
}
DENIED_WITH(execute_open_file, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_below_descriptor,
       "Execute a denied program relative to a descriptor of its directory")
{
	_cleanup_close_ int fd = open_as_name("../programs");

	return execute_descriptor(fd, "banned", 0);
}
DENIED_WITH(execute_below_descriptor, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_by_proc_descriptor, "Execute a denied program by the link of a descriptor in /proc")
{
	_cleanup_close_ int fd = open(BANNED, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : probe(PROBE_EXECUTE, link_of(fd));
}
DENIED_WITH(execute_by_proc_descriptor, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

/* ---- By other names ---- */

ESCAPE(execute_by_link, "Hard-link a denied program into the project, then execute the link")
{
	if (link(BANNED, "program") < 0)
		return -errno;
	return probe(PROBE_EXECUTE, "program");
}
DENIED_WITH(execute_by_link, EACCES, RULE, FILE_LINK, "programs/banned", .rule = "programs",
	    .has_programs = true);

ESCAPE(execute_older_link, "Execute a hard link that somebody outside made to a denied program")
{
	return probe(PROBE_EXECUTE, "older");
}
OUTSIDER(link_banned)
{
	return ATTEMPT(link(BANNED, "older"));
}
DENIED_WITH(execute_older_link, EACCES, PROGRAM, PROGRAM_EXECUTE, "project/older",
	    .rule = "programs/banned", .has_programs = true, .before = link_banned);

ESCAPE(execute_moved_by_outsider, "Execute a denied program that somebody outside has moved")
{
	return probe(PROBE_EXECUTE, "moved");
}
OUTSIDER(move_banned)
{
	return ATTEMPT(rename(BANNED, "moved"));
}
DENIED_WITH(execute_moved_by_outsider, EACCES, PROGRAM, PROGRAM_EXECUTE, "project/moved",
	    .rule = "programs/banned", .has_programs = true, .meanwhile = move_banned);

ESCAPE(execute_replaced_by_outsider,
       "Execute a program that somebody outside has put in a denied place")
{
	return probe(PROBE_EXECUTE, BANNED);
}
OUTSIDER(replace_banned)
{
	return ATTEMPT(rename(TOOL, BANNED));
}
DENIED_WITH(execute_replaced_by_outsider, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true, .meanwhile = replace_banned);

/* ---- By other programs ---- */

ESCAPE(execute_as_interpreter, "Execute a script whose interpreter is denied")
{
	return execute_script(absolute("programs/banned"));
}
DENIED_WITH(execute_as_interpreter, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_as_inner_interpreter,
       "Execute a script whose interpreter is a script of a denied one")
{
	int r = make_script("inner", absolute("programs/banned"));

	return r < 0 ? r : execute_script(absolute("project/inner"));
}
DENIED_WITH(execute_as_inner_interpreter, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_kept_script, "Execute a script that may only be read")
{
	return probe(PROBE_EXECUTE, "kept/script");
}
OUTSIDER(make_kept_script)
{
	return make_script("kept/script", "/bin/true");
}
DENIED_WITH(execute_kept_script, EACCES, RULE, PROGRAM_EXECUTE, "project/kept/script",
	    .rule = "project/kept", .before = make_kept_script);

/* Makes @path a program of which @loader, which is shorter than the usual one, is the loader. */
static int make_program_with_loader(const char *path, const char *loader)
{
	_cleanup_close_ int fd = -1;
	char bytes[PAGE_SIZE], *name;
	int r = copy_file(TOOL, path);

	if (r < 0)
		return r;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || pread(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	name = memmem(bytes, sizeof(bytes), loader_path, strlen(loader_path) + 1);
	if (!name)
		return -ENOENT;
	memset(name, 0, strlen(loader_path));
	memcpy(name, loader, strlen(loader));
	return ATTEMPT(pwrite(fd, bytes, sizeof(bytes), 0));
}

ESCAPE(execute_as_loader, "Execute a program whose loader is a denied program")
{
	int r = make_program_with_loader("program", BANNED);

	return r < 0 ? r : probe(PROBE_EXECUTE, "program");
}
DENIED_WITH(execute_as_loader, EACCES, PROGRAM, PROGRAM_EXECUTE, "programs/banned",
	    .has_programs = true);

ESCAPE(execute_by_loader, "Let the loader load a denied program")
{
	char *const argv[] = { (char *)loader_path, (char *)BANNED, NULL };

	return run_program(argv, (char *[]){ NULL });
}
DENIED_WITH(execute_by_loader, EACCES, PROGRAM, FILE_MAP, "programs/banned", .has_programs = true);

ESCAPE(execute_kept_by_loader, "Let the loader load a program that may only be read")
{
	char *const argv[] = { (char *)loader_path, (char *)"kept/program", NULL };

	return run_program(argv, (char *[]){ NULL });
}
DENIED_WITH(execute_kept_by_loader, EACCES, RULE, FILE_MAP, "project/kept/program",
	    .rule = "project/kept", .has_programs = true, .before = copy_tool_into_kept);

/* ---- Mappings and libraries ---- */

static int map(const char *path, int protection)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *address;

	if (fd < 0)
		return -errno;
	address = mmap(NULL, PAGE_SIZE, protection, MAP_PRIVATE, fd, 0);
	return address == MAP_FAILED ? -errno : 0;
}

static int map_and_protect(const char *path, int flags, int protection)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *address;

	if (fd < 0)
		return -errno;
	address = mmap(NULL, PAGE_SIZE, PROT_READ, flags, fd, 0);
	if (address == MAP_FAILED)
		return -errno;
	return ATTEMPT(mprotect(address, PAGE_SIZE, protection));
}

ESCAPE(map_kept, "Map a file that may only be read as executable")
{
	return map("kept/hook", PROT_READ | PROT_EXEC);
}
DENIED_WITH(map_kept, EACCES, RULE, FILE_MAP, "project/kept/hook", .rule = "project/kept");

ESCAPE(map_banned, "Map a denied program as executable")
{
	return map(BANNED, PROT_EXEC);
}
DENIED_WITH(map_banned, EACCES, PROGRAM, FILE_MAP, "programs/banned", .has_programs = true);

ESCAPE(protect_kept, "Map a file for reading, then make the mapping executable")
{
	return map_and_protect("kept/hook", MAP_SHARED, PROT_READ | PROT_EXEC);
}
DENIED_WITH(protect_kept, EACCES, RULE, FILE_MAP, "project/kept/hook", .rule = "project/kept");

ESCAPE(protect_kept_writable, "Map a file privately, then make the mapping writable and executable")
{
	return map_and_protect("kept/hook", MAP_PRIVATE, PROT_READ | PROT_WRITE | PROT_EXEC);
}
DENIED_WITH(protect_kept_writable, EACCES, RULE, FILE_MAP, "project/kept/hook",
	    .rule = "project/kept");

ESCAPE(map_older_link, "Map a hard link that somebody outside made to a denied program")
{
	return map("older", PROT_READ | PROT_EXEC);
}
DENIED_WITH(map_older_link, EACCES, PROGRAM, FILE_MAP, "project/older", .rule = "programs/banned",
	    .has_programs = true, .before = link_banned);

OUTSIDER(make_kept_library)
{
	return make_library("kept/library.so");
}

ESCAPE(load_kept, "Load a library that may only be read by dlopen")
{
	return dlopen("kept/library.so", RTLD_NOW) ? 0 : -EACCES;
}
DENIED_WITH(load_kept, EACCES, RULE, FILE_MAP, "project/kept/library.so", .rule = "project/kept",
	    .before = make_kept_library);

/* Starts this program with @variable set to @library and asks whether that was loaded. */
static int preload(const char *variable, const char *library)
{
	char *const argv[] = { (char *)"/proc/self/exe", (char *)"--has-loaded",
			       (char *)"library.so", NULL };
	char setting[2 * PATH_MAX];

	(void)snprintf(setting, sizeof(setting), "%s=%s", variable, absolute(library));
	return run_program(argv, (char *[]){ setting, NULL });
}

ESCAPE(preload_kept, "Load a library that may only be read into a program by LD_PRELOAD")
{
	return preload("LD_PRELOAD", "project/kept/library.so");
}
DENIED_WITH(preload_kept, EACCES, RULE, FILE_MAP, "project/kept/library.so", .rule = "project/kept",
	    .before = make_kept_library);

/* ---- Allowed ---- */

ESCAPE(execute_tool, "Execute a program")
{
	return probe(PROBE_EXECUTE, TOOL);
}
ALLOWED(execute_tool, .has_programs = true);

ESCAPE(execute_open_script, "Execute a script of the project")
{
	return execute_script(absolute("programs/tool"));
}
ALLOWED(execute_open_script, .has_programs = true);

ESCAPE(execute_tool_by_loader, "Let the loader load a program")
{
	char *const argv[] = { (char *)loader_path, (char *)TOOL, NULL };

	return run_program(argv, (char *[]){ NULL });
}
ALLOWED(execute_tool_by_loader, .has_programs = true);

ESCAPE(map_open, "Map a file of the project as executable")
{
	return map("notes", PROT_READ | PROT_EXEC);
}
ALLOWED(map_open);

ESCAPE(map_kept_for_reading, "Map a file that may only be read for reading")
{
	return map("kept/hook", PROT_READ);
}
ALLOWED(map_kept_for_reading);

ESCAPE(protect_anonymous, "Make memory without a file executable")
{
	void *address = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return address == MAP_FAILED ? -errno :
				       ATTEMPT(mprotect(address, PAGE_SIZE, PROT_READ | PROT_EXEC));
}
ALLOWED(protect_anonymous);

ESCAPE(preload_open, "Load a library of the project into a program by LD_PRELOAD")
{
	int r = make_library("library.so");

	return r < 0 ? r : preload("LD_PRELOAD", "project/library.so");
}
ALLOWED(preload_open);
