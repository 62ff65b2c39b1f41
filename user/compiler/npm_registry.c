/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which package registry a user's npm is configured with. */
#include "compiler/npm_registry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define SPACE " \t\r\""

/* The value of the line if it sets `registry`, else NULL. */
static const char *registry_value(const char *line)
{
	line += strspn(line, SPACE);
	if (strncmp(line, "registry", strlen("registry")) != 0)
		return NULL;
	line += strlen("registry");
	line += strspn(line, SPACE);
	return *line == '=' ? line + 1 + strspn(line + 1, SPACE) : NULL;
}

/*
 * Whether the host ends where the URL's authority does. A user name, a `${VARIABLE}` of the
 * environment or an address in brackets makes it something this is not the place to understand.
 */
static bool is_plain_authority(const char *host, size_t size)
{
	return size > 0 && strcspn(host, "@[]${}%*\\") >= size;
}

/* Returns 0 and the host of @url, or NULL. */
static int host_of_url(const char *url, char **ret_host)
{
	bool is_http = strncmp(url, "http://", strlen("http://")) == 0;
	const char *host = strstr(url, "://");
	size_t size;
	char *copy;

	*ret_host = NULL;
	if (!is_http && strncmp(url, "https://", strlen("https://")) != 0)
		return 0;
	host += strlen("://");
	size = strcspn(host, "/?#\n" SPACE);
	if (!is_plain_authority(host, size))
		return 0;
	/* A rule without a port means 443. */
	if (asprintf(&copy, "%.*s%s", (int)size, host,
		     is_http && !memchr(host, ':', size) ? ":80" : "") < 0)
		return -ENOMEM;
	*ret_host = copy;
	return 0;
}

int npm_registry_parse(const char *text, char **ret_host)
{
	const char *url = NULL;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = registry_value(line);

		if (value)
			url = value;
	}
	*ret_host = NULL;
	return url ? host_of_url(url, ret_host) : 0;
}
