/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Ownership by scope: a variable marked _cleanup_*_ is released when its scope ends, unless
 * TAKE_PTR() or TAKE_FD() moved it out.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *ptr)
{
	free(*(void **)ptr);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* Nothing to be done about a failure, and nothing was written. */
}

static inline void cleanup_fclose(FILE **file)
{
	if (*file)
		(void)fclose(*file); /* Writers check fflush() themselves. */
}

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)

/* Defines foo_freep() for use with _cleanup_() from the destructor `type *destructor(type *)`. */
#define DEFINE_CLEANUP(type, destructor)                \
	static inline void destructor##p(type **object) \
	{                                               \
		if (*object)                            \
			*object = destructor(*object);  \
	}

#define TAKE_PTR(ptr)                         \
	({                                    \
		__typeof__(ptr) _taken = (ptr); \
		(ptr) = NULL;                 \
		_taken;                       \
	})

#define TAKE_FD(fd)               \
	({                        \
		int _taken = (fd); \
		(fd) = -1;        \
		_taken;           \
	})

#define ELEMENTSOF(array) (sizeof(array) / sizeof((array)[0]))

#endif
