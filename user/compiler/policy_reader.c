/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Pieces that several sections of a policy file are made of. */
#include "compiler/policy_reader.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/suggest.h"
#include "compiler/path_key.h"
#include "compiler/variables.h"

int reader_join(int r, int other)
{
	if (r == -ENOMEM || other == -ENOMEM)
		return -ENOMEM;
	return r < 0 ? r : other;
}

int reader_expect(struct policy_reader *reader, const struct json_value *value,
		  enum json_type type)
{
	if (value->type == type)
		return 0;
	diag_error(reader->diag, &value->position, "expected %s, found %s", json_type_name(type),
		   json_type_name(value->type));
	return -EINVAL;
}

/* Appends ": "A", "B" or "C"". */
static void append_words(struct strbuf *out, const char *const *words, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++)
		strbuf_printf(out, "%s\"%s\"", i == 0 ? "" : i + 1 < n_words ? ", " : " or ",
			      words[i]);
}

/* Says that @word is none of @words, and which one it may have been meant to be. */
static int refuse_word(struct policy_reader *reader, const char *word,
		       const struct position *position, const char *const *words, size_t n_words)
{
	_cleanup_strbuf_ struct strbuf list = { 0 };
	const char *nearest = suggest_nearest(word, words, n_words);

	append_words(&list, words, n_words);
	if (strbuf_error(&list) < 0)
		return -ENOMEM;
	if (nearest)
		diag_error(reader->diag, position,
			   "expected %s, found \"%s\"; did you mean \"%s\"?", strbuf_string(&list),
			   word, nearest);
	else
		diag_error(reader->diag, position, "expected %s, found \"%s\"",
			   strbuf_string(&list), word);
	return -EINVAL;
}

int reader_choose(struct policy_reader *reader, const struct json_value *value,
		  const char *const *words, size_t n_words, size_t *ret_index)
{
	int r;

	r = reader_expect(reader, value, JSON_STRING);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_words; i++) {
		if (strcmp(value->string, words[i]) == 0) {
			*ret_index = i;
			return 0;
		}
	}
	return refuse_word(reader, value->string, &value->position, words, n_words);
}

int reader_choose_verdict(struct policy_reader *reader, const struct json_value *value,
			  const enum rf_verdict *verdicts, size_t n_verdicts,
			  enum rf_verdict *ret_verdict)
{
	static const char *const names[] = {
#define X(identifier, name, sentence) [RF_VERDICT_##identifier] = name,
		RF_VERDICTS(X)
#undef X
	};
	const char *words[RF_N_VERDICTS];
	size_t index;
	int r;

	for (size_t i = 0; i < n_verdicts; i++)
		words[i] = names[verdicts[i]];
	r = reader_choose(reader, value, words, n_verdicts, &index);
	if (r < 0)
		return r;
	*ret_verdict = verdicts[index];
	return 0;
}

int reader_expand(struct policy_reader *reader, const char *text,
		  const struct position *position, char **ret_text)
{
	return variables_expand(reader->context->variables, text, position, reader->diag, ret_text);
}

int reader_expand_path(struct policy_reader *reader, const char *text,
		       const struct position *position, char **ret_pattern)
{
	_cleanup_free_ char *expanded = NULL;
	int r;

	r = reader_expand(reader, text, position, &expanded);
	if (r < 0)
		return r;
	return path_key_parse(expanded, position, reader->diag, ret_pattern);
}

static int refuse_key(struct policy_reader *reader, const struct json_value *member,
		      const struct section_table *table)
{
	_cleanup_free_ const char **keys = reallocarray(NULL, table->n_sections, sizeof(*keys));
	const char *nearest;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < table->n_sections; i++)
		keys[i] = table->sections[i].key;
	nearest = suggest_nearest(member->key, keys, table->n_sections);
	if (nearest)
		diag_error(reader->diag, &member->key_position,
			   "unknown key \"%s\" in %s; did you mean \"%s\"?", member->key,
			   table->what, nearest);
	else
		diag_error(reader->diag, &member->key_position, "unknown key \"%s\" in %s",
			   member->key, table->what);
	return -EINVAL;
}

static int read_member(struct policy_reader *reader, const struct json_value *member,
		       const struct section_table *table, void *target)
{
	for (size_t i = 0; i < table->n_sections; i++)
		if (strcmp(member->key, table->sections[i].key) == 0)
			return table->sections[i].read(reader, member, target);
	return refuse_key(reader, member, table);
}

int reader_read_object(struct policy_reader *reader, const struct json_value *object,
		       const struct section_table *table, void *target)
{
	int r;

	r = reader_expect(reader, object, JSON_OBJECT);
	if (r < 0)
		return r;
	for (size_t i = 0; i < object->n_items; i++)
		r = reader_join(r, read_member(reader, &object->items[i], table, target));
	return r;
}
