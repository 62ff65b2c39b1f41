/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Policy file to struct policy.
 *
 * Files are read depth first: what a file extends, from left to right, then its own sections. A
 * file that is reached twice counts where it is reached first, so what two profiles both extend
 * undoes nothing that the first of them set.
 */
#include "compiler/policy_parse.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "compiler/json_read.h"
#include "compiler/policy_merge.h"
#include "compiler/policy_reader.h"
#include "ringfence/limits.h"

/**
 * struct source - A policy file that was reached
 * @name:      As in policy.files.
 * @dev, @ino: What it is, by whatever name; zero for text in memory.
 * @is_open:   It, or something it extends, is being read.
 */
struct source {
	const char *name;
	dev_t dev;
	ino_t ino;
	bool is_open;
};

/* struct parser - @sources in the order they were reached, so open ones are nested in order. */
struct parser {
	struct policy_reader reader;
	struct source *sources;
	size_t n_sources;
};

static int read_path(struct parser *parser, const char *path, const struct position *position);

/* ---- Finding files ---- */

static bool has_suffix(const char *text, const char *suffix)
{
	size_t size = strlen(text), suffix_size = strlen(suffix);

	return size >= suffix_size && strcmp(text + size - suffix_size, suffix) == 0;
}

/* Whether @text is a policy's name: NAME or FOLDER/NAME. */
static bool is_policy_name(const char *text)
{
	const char *slash = strchr(text, '/');
	const char *last = slash ? slash + 1 : text;

	return text[0] != '.' && text[0] != '/' && last[0] != '.' && last[0] != '\0' &&
	       !strchr(last, '/') && !has_suffix(text, ".json");
}

static bool is_missing(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

/*
 * Looks for the policy in each place a directory may have it. Returns an owned path, or NULL with
 * the places in @tried. What is there but cannot be read is found: going on would take another.
 */
static char *find_in_directory(const char *directory, const char *name, struct strbuf *tried)
{
	static const char *const folders[] = { "", "agents/", "toolchains/" };
	size_t n_folders = strchr(name, '/') ? 1 : ELEMENTSOF(folders);

	for (size_t i = 0; i < n_folders; i++) {
		_cleanup_strbuf_ struct strbuf path = { 0 };

		strbuf_printf(&path, "%s/%s%s.json", directory, folders[i], name);
		if (strbuf_error(&path) == 0 && !is_missing(path.bytes))
			return strbuf_take(&path);
		strbuf_printf(tried, "%s%s", tried->size ? ", " : "", strbuf_string(&path));
		if (strbuf_error(&path) < 0)
			tried->error = -ENOMEM;
	}
	return NULL;
}

static int find_by_name(struct parser *parser, const char *name, const struct position *position,
			char **ret_path)
{
	const char *const *search = parser->reader.context->search;
	_cleanup_strbuf_ struct strbuf tried = { 0 };

	for (; search && *search && strbuf_error(&tried) == 0; search++) {
		char *path = find_in_directory(*search, name, &tried);

		if (path) {
			*ret_path = path;
			return 0;
		}
	}
	if (strbuf_error(&tried) < 0)
		return -ENOMEM;
	diag_error(parser->reader.diag, position, "no policy \"%s\"; looked for %s", name,
		   tried.size ? strbuf_string(&tried) : "it nowhere, the policy path is empty");
	return -EINVAL;
}

/* ---- extends ---- */

/* Whether @name, a borrowed one, is that of text in memory: no directory is next to it. */
static bool is_in_memory(const struct parser *parser, const char *name)
{
	return parser->sources[0].name == name && parser->sources[0].ino == 0;
}

/* The path of what a file extends. */
static int find_extended(struct parser *parser, const struct json_value *value, char **ret_path)
{
	const char *name = value->string, *file = value->position.file;
	bool is_relative = strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0;

	if (is_policy_name(name))
		return find_by_name(parser, name, &value->position, ret_path);
	if (!is_relative || is_in_memory(parser, file)) {
		diag_error(parser->reader.diag, &value->position,
			   is_relative ? "\"%s\": only a file can extend a relative path" :
					 "\"%s\" is neither a policy's name nor a path like "
					 "\"./base.json\"",
			   name);
		return -EINVAL;
	}
	*ret_path = path_beside(file, name + (name[1] == '/' ? strlen("./") : 0));
	return *ret_path ? 0 : -ENOMEM;
}

static int read_extended(struct parser *parser, const struct json_value *value)
{
	_cleanup_free_ char *path = NULL;
	int r;

	r = reader_expect(&parser->reader, value, JSON_STRING);
	if (r == 0)
		r = find_extended(parser, value, &path);
	if (r == 0)
		r = read_path(parser, path, &value->position);
	return r;
}

static int read_extends(struct parser *parser, const struct json_value *value)
{
	int r;

	r = reader_expect(&parser->reader, value, JSON_ARRAY);
	if (r < 0)
		return r;
	for (size_t i = 0; i < value->n_items; i++)
		r = reader_join(r, read_extended(parser, &value->items[i]));
	return r;
}

static int fail_cycle(struct parser *parser, const struct source *source,
		      const struct position *position)
{
	_cleanup_strbuf_ struct strbuf cycle = { 0 };

	for (const struct source *at = source; at < parser->sources + parser->n_sources; at++)
		if (at->is_open)
			strbuf_printf(&cycle, "%s -> ", at->name);
	strbuf_append_string(&cycle, source->name);
	if (strbuf_error(&cycle) < 0)
		return -ENOMEM;
	diag_error(parser->reader.diag, position, "\"extends\" leads back here: %s",
		   strbuf_string(&cycle));
	return -EINVAL;
}

/* ---- Reading ---- */

static int read_document(struct parser *parser, const char *name, const char *text, size_t size)
{
	_cleanup_(json_value_freep) struct json_value *document = NULL;
	struct policy_reader *reader = &parser->reader;
	const struct json_value *extends;
	int r;

	r = json_read(name, text, size, reader->diag, &document);
	if (r == 0)
		r = reader_expect(reader, document, JSON_OBJECT);
	if (r < 0)
		return r;
	extends = json_member(document, "extends");
	if (extends)
		r = read_extends(parser, extends);
	/* Everything is inherited but the name. */
	free(TAKE_PTR(reader->policy->name));
	return reader_join(r, reader_read_object(reader, document, &policy_table, NULL));
}

static int read_source(struct parser *parser, const char *name, const struct stat *status,
		       const char *text, size_t size)
{
	struct policy *policy = parser->reader.policy;
	size_t index = parser->n_sources;
	int r;

	if (!ARRAY_GROW(parser->sources, index) ||
	    strings_add(&policy->files, &policy->n_files, name) < 0)
		return -ENOMEM;
	parser->sources[parser->n_sources++] = (struct source){
		.name = policy->files[policy->n_files - 1],
		.dev = status->st_dev,
		.ino = status->st_ino,
		.is_open = true,
	};
	r = read_document(parser, parser->sources[index].name, text, size);
	parser->sources[index].is_open = false;
	return r;
}

static struct source *find_source(struct parser *parser, const struct stat *status)
{
	for (size_t i = 0; i < parser->n_sources; i++)
		if (parser->sources[i].dev == status->st_dev &&
		    parser->sources[i].ino == status->st_ino)
			return &parser->sources[i];
	return NULL;
}

/* Reads a file that @position asks for, unless it was read before. */
static int read_path(struct parser *parser, const char *path, const struct position *position)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const struct source *source;
	struct stat status;
	int r;

	r = file_read(path, RF_MAX_POLICY_BYTES, &text, &status);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		diag_error(parser->reader.diag, position, "cannot read \"%s\": %s", path,
			   r == -ENODATA ? "not a file" : strerror(-r));
		return -EINVAL;
	}
	source = find_source(parser, &status);
	if (source)
		return source->is_open ? fail_cycle(parser, source, position) : 0;
	if (parser->n_sources > RF_MAX_EXTENDS) {
		diag_error(parser->reader.diag, position, "extends more than %d files",
			   RF_MAX_EXTENDS);
		return -EINVAL;
	}
	return read_source(parser, path, &status, strbuf_string(&text), text.size);
}

/* ---- The whole ---- */

/* A policy is called what its file is called, unless it says otherwise. */
static int name_after_file(struct policy *policy)
{
	const char *slash = strrchr(policy->files[0], '/');
	const char *name = slash ? slash + 1 : policy->files[0];
	size_t size = strlen(name) - (has_suffix(name, ".json") ? strlen(".json") : 0);

	policy->name = strndup(name, size < MAX_POLICY_NAME ? size : MAX_POLICY_NAME);
	if (!policy->name)
		return -ENOMEM;
	for (char *byte = policy->name; *byte; byte++)
		if (!strchr(POLICY_NAME_BYTES, *byte) || policy->name[0] == '.')
			*byte = '_';
	return 0;
}

/* What is left to do when all files are read. */
static int finish(struct parser *parser)
{
	struct policy *policy = parser->reader.policy;
	int r;

	r = policy_merge(policy, parser->reader.diag);
	if (r == 0 && !policy->name)
		r = name_after_file(policy);
	return r;
}

/* Runs @read, which reads the first file, and makes a policy of what it leaves. */
static int parse(int (*read)(struct parser *parser, const void *input), const void *input,
		 const struct parse_context *context, struct diag *diag,
		 struct policy **ret_policy)
{
	_cleanup_(policy_freep) struct policy *policy = policy_new();
	struct parser parser = { .reader = { context, diag, policy } };
	size_t n_errors = diag->n_errors;
	int r;

	if (!policy)
		return -ENOMEM;
	r = read(&parser, input);
	if (r != -ENOMEM && policy->n_files > 0)
		r = reader_join(r, finish(&parser));
	free(parser.sources);
	if (r == -ENOMEM || diag->is_out_of_memory)
		return -ENOMEM;
	if (r < 0 || diag->n_errors > n_errors)
		return -EINVAL;
	*ret_policy = TAKE_PTR(policy);
	return 0;
}

static int read_file_input(struct parser *parser, const void *input)
{
	const struct position position = { .file = input };
	_cleanup_free_ char *path = NULL;
	int r;

	if (!is_policy_name(input))
		return read_path(parser, input, &position);
	r = find_by_name(parser, input, &position, &path);
	if (r < 0)
		return r;
	return read_path(parser, path, &position);
}

int policy_parse_file(const char *path, const struct parse_context *context, struct diag *diag,
		      struct policy **ret_policy)
{
	return parse(read_file_input, path, context, diag, ret_policy);
}

struct text_input {
	const char *name;
	const char *text;
	size_t size;
};

static int read_text_input(struct parser *parser, const void *input)
{
	static const struct stat no_file;
	const struct text_input *from = input;

	return read_source(parser, from->name, &no_file, from->text, from->size);
}

int policy_parse_text(const char *name, const char *text, size_t size,
		      const struct parse_context *context, struct diag *diag,
		      struct policy **ret_policy)
{
	return parse(read_text_input, &(struct text_input){ name, text, size }, context, diag,
		     ret_policy);
}
