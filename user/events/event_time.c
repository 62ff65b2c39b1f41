/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Moments of CLOCK_REALTIME as RFC 3339 text. */
#include "events/event_time.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ULL

const char *event_time_format(uint64_t time_ns, char buf[EVENT_TIME_SIZE])
{
	/* The year stays below 2555, so the text has its fixed size. */
	time_t seconds = (time_t)(time_ns / NS_PER_SECOND);
	struct tm tm = { 0 };
	size_t len;

	(void)gmtime_r(&seconds, &tm); /* Fails only for years that do not fit an int. */
	len = strftime(buf, EVENT_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(buf + len, EVENT_TIME_SIZE - len, ".%09uZ",
		       (unsigned int)(time_ns % NS_PER_SECOND));
	return buf;
}

/* Reads exactly @n_digits digits and moves on. Returns -EINVAL if there are fewer. */
static int take_number(const char **text, int n_digits, int *ret_number)
{
	int number = 0;

	for (int i = 0; i < n_digits; i++, (*text)++) {
		if (!isdigit((unsigned char)**text))
			return -EINVAL;
		number = number * 10 + (**text - '0');
	}
	*ret_number = number;
	return 0;
}

/* Reads ".DIGITS" if there. */
static int take_fraction(const char **text, uint64_t *ret_ns)
{
	uint64_t unit = NS_PER_SECOND;
	uint64_t ns = 0;

	if (**text != '.') {
		*ret_ns = 0;
		return 0;
	}
	if (!isdigit((unsigned char)*++*text))
		return -EINVAL;
	for (; isdigit((unsigned char)**text); (*text)++) {
		unit /= 10;
		ns += unit * (uint64_t)(**text - '0');
	}
	*ret_ns = ns;
	return 0;
}

/* Reads "Z" or "+HH:MM" up to the end. */
static int take_zone(const char *text, int *ret_seconds)
{
	char sign = *text++;
	int hours;
	int minutes;

	if (sign == 'Z' && !*text) {
		*ret_seconds = 0;
		return 0;
	}
	if ((sign != '+' && sign != '-') || take_number(&text, 2, &hours) < 0 || *text++ != ':' ||
	    take_number(&text, 2, &minutes) < 0 || *text || hours > 23 || minutes > 59)
		return -EINVAL;
	*ret_seconds = (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
	return 0;
}

/* Reads "YYYY-MM-DDTHH:MM:SS". */
static int take_date(const char **text, struct tm *ret_tm)
{
	struct tm tm = { 0 };
	struct tm same;
	struct {
		int *number;
		int n_digits;
		char end;
	} parts[] = {
		{ &tm.tm_year, 4, '-' }, { &tm.tm_mon, 2, '-' }, { &tm.tm_mday, 2, 'T' },
		{ &tm.tm_hour, 2, ':' }, { &tm.tm_min, 2, ':' }, { &tm.tm_sec, 2, '\0' },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (take_number(text, parts[i].n_digits, parts[i].number) < 0)
			return -EINVAL;
		if (parts[i].end && *(*text)++ != parts[i].end)
			return -EINVAL;
	}
	tm.tm_year -= 1900;
	tm.tm_mon--;
	same = tm;
	/* timegm() reads "February 30" as March; what it changes was not a date. */
	if (timegm(&same) < 0 || same.tm_mon != tm.tm_mon || same.tm_mday != tm.tm_mday ||
	    same.tm_hour != tm.tm_hour || same.tm_min != tm.tm_min || same.tm_sec != tm.tm_sec)
		return -EINVAL;
	*ret_tm = tm;
	return 0;
}

int event_time_parse(const char *text, uint64_t *ret_time_ns)
{
	struct tm tm;
	uint64_t ns;
	int zone;
	time_t seconds;

	if (take_date(&text, &tm) < 0 || take_fraction(&text, &ns) < 0 ||
	    take_zone(text, &zone) < 0)
		return -EINVAL;
	seconds = timegm(&tm) - zone;
	if (seconds < 0 || (uint64_t)seconds > UINT64_MAX / NS_PER_SECOND - 1)
		return -EINVAL;
	*ret_time_ns = (uint64_t)seconds * NS_PER_SECOND + ns;
	return 0;
}
