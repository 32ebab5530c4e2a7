#include "safetensors_index.h"
#include "internal.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static void add_entry(attn_json *json, attn_index *index, int64_t *capacity, attn_index_entry entry) {
  if (strchr(entry.file, '/') || !entry.file[strspn(entry.file, ".")]) {
    attn_json_stop(json, attn_fail(json->status, ATTN_BAD_FILE,
                                   "%s: tensor '%s' is in the file '%s', expected a file in the folder of the index",
                                   json->file, attn_shown(entry.tensor).text, attn_shown(entry.file).text));
    return;
  }
  if (index->count == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 64;
    attn_index_entry *entries = realloc(index->entries, (size_t)*capacity * sizeof *entries);
    if (!entries) {
      attn_json_stop(json, attn_fail(json->status, ATTN_NO_MEMORY, "%s: no memory for its tensors", json->file));
      return;
    }
    index->entries = entries;
  }
  index->entries[index->count++] = entry;
}

static void parse_weight_map(attn_json *json, attn_index *index) {
  int64_t capacity = 0;
  attn_json_expect(json, '{', "the object weight_map");
  if (attn_json_accept(json, '}'))
    return;
  do {
    attn_index_entry entry;
    entry.tensor = attn_json_string(json);
    attn_json_expect(json, ':', "':'");
    entry.file = attn_json_string(json);
    if (json->code == ATTN_OK)
      add_entry(json, index, &capacity, entry);
  } while (attn_json_accept(json, ','));
  attn_json_expect(json, '}', "the end of weight_map");
}

static void parse_index(attn_json *json, attn_index *index) {
  int is_found = 0;
  attn_json_expect(json, '{', "'{'");
  if (!attn_json_accept(json, '}')) {
    do {
      int is_map = strcmp(attn_json_word(json), "weight_map") == 0;
      if (is_map && is_found)
        attn_json_fail(json, "weight_map once before here");
      is_found |= is_map;
      attn_json_expect(json, ':', "':'");
      if (is_map)
        parse_weight_map(json, index);
      else
        attn_json_skip(json);
    } while (attn_json_accept(json, ','));
    attn_json_expect(json, '}', "',' or '}'");
  }
  if (!is_found)
    attn_json_fail(json, "weight_map before here");
  if (attn_json_peek(json) != -1)
    attn_json_fail(json, "nothing after the object of the index");
}

static int compare_entries(const void *a, const void *b) {
  const attn_index_entry *x = a, *y = b;
  int order = strcmp(x->file, y->file);
  return order ? order : strcmp(x->tensor, y->tensor);
}

/* Sorts the entries, checks that they are distinct, and counts the files. */
static attn_code sort_entries(attn_index *index, const char *path, attn_status *status) {
  if (index->count > 0)
    qsort(index->entries, (size_t)index->count, sizeof *index->entries, compare_entries);
  for (int64_t i = 0; i < index->count; ++i) {
    const attn_index_entry *entry = &index->entries[i];
    int is_new_file = i == 0 || strcmp(entry[-1].file, entry->file) != 0;
    if (!is_new_file && strcmp(entry[-1].tensor, entry->tensor) == 0)
      return attn_fail(status, ATTN_BAD_FILE, "%s: tensor '%s' appears twice", path, attn_shown(entry->tensor).text);
    index->file_count += is_new_file;
  }
  return ATTN_OK;
}

attn_code attn_index_parse(const char *path, const char *text, uint64_t text_bytes, attn_index *index,
                           attn_status *status) {
  *index = (attn_index){.names = malloc(text_bytes + 1)};
  if (!index->names)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for an index of %llu bytes", path,
                     (unsigned long long)text_bytes);
  attn_json json = attn_json_begin(path, "index", 0, text, text_bytes, index->names, status);
  parse_index(&json, index);
  attn_code code = json.code == ATTN_OK ? sort_entries(index, path, status) : json.code;
  if (code != ATTN_OK)
    attn_index_free(index);
  return code;
}

void attn_index_free(attn_index *index) {
  free(index->entries);
  free(index->names);
  *index = (attn_index){0};
}
