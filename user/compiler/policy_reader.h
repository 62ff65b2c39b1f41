/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What the sections of a policy file are read with; internal to policy_parse and section_*.c.
 *
 * A function that reads something returns 0, -EINVAL when what it read is refused, with messages
 * added already, or -ENOMEM. Only -ENOMEM ends the run: after -EINVAL the caller goes on with the
 * next thing, so that all errors are found.
 */
#ifndef COMPILER_POLICY_READER_H
#define COMPILER_POLICY_READER_H

#include "compiler/diag.h"
#include "compiler/json_read.h"
#include "compiler/policy.h"
#include "compiler/policy_parse.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* A policy's name: its size, and its bytes. */
#define MAX_POLICY_NAME 63
#define POLICY_NAME_BYTES LETTERS DIGITS "._-"
/* Names in each of `keep`, `drop` and `set` of `environment`. More: error. */
#define MAX_ENVIRONMENT_NAMES 1024

struct policy_reader {
	const struct parse_context *context;
	struct diag *diag;
	struct policy *policy; /* being filled */
};

/* struct section - A key of some object of a policy file, and what reads its value into @target */
struct section {
	const char *key;
	int (*read)(struct policy_reader *reader, const struct json_value *value, void *target);
};

/**
 * struct section_table - All keys an object may have
 * @what:   "a policy", for messages.
 * @schema: Where schema.json describes the object: keys separated by spaces.
 */
struct section_table {
	const char *what;
	const char *schema;
	const struct section *sections;
	size_t n_sections;
};

/* The top level, and the objects with a fixed set of keys in it. */
extern const struct section_table policy_table;
extern const struct section_table file_rule_table;
extern const struct section_table environment_table;
extern const struct section_table limits_table;

/* Reads each member of @object by @table. 0 or -ENOMEM. */
int reader_read_object(struct policy_reader *reader, const struct json_value *object,
		       const struct section_table *table, void *target);

/* The sections. @target is not used at the top level. */
int section_read_files(struct policy_reader *, const struct json_value *, void *target);
int section_read_programs(struct policy_reader *, const struct json_value *, void *target);
int section_read_egress(struct policy_reader *, const struct json_value *, void *target);
int section_read_sockets(struct policy_reader *, const struct json_value *, void *target);

/* ---- Pieces that several sections are made of ---- */

/* 0, or -EINVAL if @value has another type. */
int reader_expect(struct policy_reader *reader, const struct json_value *value,
		  enum json_type type);
/* Finds the string @value among @words. */
int reader_choose(struct policy_reader *reader, const struct json_value *value,
		  const char *const *words, size_t n_words, size_t *ret_index);
/* The same among the names of verdicts, in the order of @verdicts. */
int reader_choose_verdict(struct policy_reader *reader, const struct json_value *value,
			  const enum rf_verdict *verdicts, size_t n_verdicts,
			  enum rf_verdict *ret_verdict);
/* Replaces variables in @text. The result is owned. */
int reader_expand(struct policy_reader *reader, const char *text,
		  const struct position *position, char **ret_text);
/* The same, then checks it as a path. */
int reader_expand_path(struct policy_reader *reader, const char *text,
		       const struct position *position, char **ret_pattern);

/* Joins the results of two readings: the first error of -ENOMEM, -EINVAL. */
int reader_join(int r, int other);

#endif
