/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Path patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "compiler/pattern.h"
#include "ringfence/limits.h"

static struct component parse(const char *text)
{
	return component_parse(text, strlen(text));
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(parse("name").kind, COMPONENT_EXACT);
	assert_int_equal(parse("*").kind, COMPONENT_ANY);
	assert_int_equal(parse("**").kind, COMPONENT_TREE);
	assert_int_equal(parse("a*").kind, COMPONENT_PATTERN);
	assert_int_equal(parse("a*bc").prefix_size, 1);
	assert_int_equal(parse("a*bc").suffix_size, 2);
	/* What comes after the component is not part of it. */
	assert_int_equal(component_parse("a**", 2).kind, COMPONENT_PATTERN);
	assert_int_equal(component_parse("***", 2).kind, COMPONENT_TREE);
}

static bool matches(const char *pattern, const char *name)
{
	struct component component = parse(pattern);

	return component_matches(&component, name, strlen(name));
}

static void test_matches(void **state)
{
	(void)state;
	assert_true(matches("name", "name"));
	assert_false(matches("name", "names"));
	assert_false(matches("names", "name"));
	assert_true(matches("*", "anything"));
	assert_true(matches("a*b", "ab"));
	assert_true(matches("a*b", "acb"));
	assert_false(matches("a*b", "abc"));
	assert_true(matches(".env*", ".env"));
	assert_true(matches("*.pem", ".pem"));
	/* The ends of a pattern do not share bytes of the name. */
	assert_false(matches("ab*ba", "aba"));
	assert_true(matches("ab*ba", "abba"));
}

static void test_next(void **state)
{
	const char *path = "/usr/**/*.so";
	struct component component;

	(void)state;
	assert_true(pattern_next(&path, &component));
	assert_int_equal(component.kind, COMPONENT_EXACT);
	assert_memory_equal(component.bytes, "usr", component.size);
	assert_true(pattern_next(&path, &component));
	assert_int_equal(component.kind, COMPONENT_TREE);
	assert_true(pattern_next(&path, &component));
	assert_int_equal(component.suffix_size, 3);
	assert_false(pattern_next(&path, &component));
	path = "/";
	assert_false(pattern_next(&path, &component));
}

/* "/" and @size bytes. */
static char *path_of_size(size_t size, const char *start)
{
	char *path = malloc(size + 2);

	assert_non_null(path);
	memset(path, 'x', size + 1);
	path[0] = '/';
	memcpy(path + 1, start, strlen(start));
	path[size + 1] = '\0';
	return path;
}

static void test_faults(void **state)
{
	static const struct {
		size_t size;
		const char *start;
		bool is_fault;
	} cases[] = {
		{ RF_MAX_NAME, "", false },
		{ RF_MAX_NAME + 1, "", true },
		{ RF_MAX_PATTERN, "*", false },
		{ RF_MAX_PATTERN + 1, "*", true },
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		_cleanup_free_ char *path = path_of_size(cases[i].size, cases[i].start);

		assert_int_equal(pattern_fault(path) != NULL, cases[i].is_fault);
	}
	assert_null(pattern_fault("/"));
	assert_null(pattern_fault("/a/**/b*"));
	assert_non_null(pattern_fault("a"));
	assert_non_null(pattern_fault("/a*b*"));
	assert_non_null(pattern_fault("/a**"));
	assert_non_null(pattern_fault("/***"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
