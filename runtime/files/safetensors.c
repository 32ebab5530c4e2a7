#define _GNU_SOURCE
#include "attn/safetensors.h"
#include "internal.h"
#include "retry.h"
#include "safetensors_file.h"
#include "safetensors_index.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The format's limit on the header, and the limit on an index. */
enum { MOST_HEADER_BYTES = 100 * 1000 * 1000 };

/* Reads bytes [at, at + count) of the file; `what` names them in messages. */
static attn_code read_bytes(const attn_safetensors *file, uint64_t at, uint64_t count, char *to, const char *what,
                            attn_status *status) {
  if (file->memory) {
    memcpy(to, file->memory + at, count);
    return ATTN_OK;
  }
  while (count > 0) {
    ssize_t got;
    ATTN_RETRY(got, pread(file->descriptor, to, count, (off_t)at));
    if (got < 0)
      return attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: %s", file->name, strerror(errno));
    if (got == 0)
      return attn_fail(status, ATTN_BAD_FILE, "%s: truncated since it was opened: %s would end at byte %llu, the file "
                       "ends at %llu", file->name, attn_shown(what).text, (unsigned long long)(at + count),
                       (unsigned long long)at);
    to += got;
    at += (uint64_t)got;
    count -= (uint64_t)got;
  }
  return ATTN_OK;
}

/* Reads and checks the header of a file of `size` bytes. */
static attn_code read_header(attn_safetensors *file, uint64_t size, attn_status *status) {
  unsigned char bytes[8];
  uint64_t header_bytes = 0;
  if (size < sizeof bytes)
    return attn_fail(status, ATTN_BAD_FILE, "%s: %llu bytes are too few for a safetensors file", file->name,
                     (unsigned long long)size);
  ATTN_TRY(read_bytes(file, 0, sizeof bytes, (char *)bytes, "its header", status));
  for (int i = 7; i >= 0; --i)
    header_bytes = header_bytes << 8 | bytes[i];
  if (header_bytes > MOST_HEADER_BYTES)
    return attn_fail(status, ATTN_BAD_FILE, "%s: not a safetensors file: its header would take %llu bytes", file->name,
                     (unsigned long long)header_bytes);
  if (header_bytes > size - sizeof bytes)
    return attn_fail(status, ATTN_BAD_FILE, "%s: truncated: the header takes %llu bytes, the file has %llu", file->name,
                     (unsigned long long)header_bytes, (unsigned long long)size);
  file->data_start = sizeof bytes + header_bytes;
  file->data_bytes = size - file->data_start;
  char *text = malloc(header_bytes + 1);
  if (!text)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for a header of %llu bytes", file->name,
                     (unsigned long long)header_bytes);
  attn_code code = read_bytes(file, sizeof bytes, header_bytes, text, "its header", status);
  if (code == ATTN_OK)
    code = attn_header_parse(file->name, text, header_bytes, file->data_bytes, &file->header, status);
  free(text);
  return code;
}

/* Reads and checks what precedes the tensors in a file of `size` bytes. */
typedef attn_code reader(attn_safetensors *file, uint64_t size, attn_status *status);

/* Opens a file in memory, or a file with a descriptor, which is closed on an error. */
static attn_code open_file(const char *name, const void *memory, int descriptor, uint64_t size, reader *read,
                           attn_safetensors **out, attn_status *status) {
  attn_safetensors *file = calloc(1, sizeof *file);
  if (file)
    *file = (attn_safetensors){.name = strdup(name), .memory = memory, .descriptor = descriptor};
  else if (descriptor >= 0)
    close(descriptor);
  attn_code code = file && file->name ? read(file, size, status)
                                      : attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", name);
  if (code == ATTN_OK) {
    *out = file;
    return attn_succeed(status);
  }
  attn_safetensors_close(file);
  return code;
}

static attn_code open_path(const char *path, reader *read, attn_safetensors **out, attn_status *status) {
  int descriptor; /* opening a FIFO without a writer would block */
  ATTN_RETRY(descriptor, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about;
  int is_open = descriptor >= 0 && fstat(descriptor, &about) == 0;
  if (is_open && S_ISREG(about.st_mode))
    return open_file(path, 0, descriptor, (uint64_t)about.st_size, read, out, status);
  attn_code code =
      is_open ? attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: it is a %s, expected a regular file", path,
                          S_ISDIR(about.st_mode)    ? "directory"
                          : S_ISFIFO(about.st_mode) ? "pipe"
                                                    : "device or socket")
              : attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: %s", path, strerror(errno));
  if (descriptor >= 0)
    close(descriptor);
  return code;
}

/* Sharded checkpoints ---------------------------------------------------------------------------------------------- */

/* Opens the file `name` in the folder of `set->name`. */
static attn_code open_beside(const attn_safetensors *set, const char *name, attn_safetensors **out,
                             attn_status *status) {
  const char *slash = strrchr(set->name, '/');
  char *path;
  if (asprintf(&path, "%.*s%s", slash ? (int)(slash - set->name) + 1 : 0, set->name, name) < 0)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", set->name);
  attn_code code = open_path(path, read_header, out, status);
  free(path);
  return code;
}

static attn_code open_shards(attn_safetensors *set, const attn_index *index, attn_status *status) {
  set->shards = calloc((size_t)index->file_count + 1, sizeof *set->shards);
  if (!set->shards)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", set->name);
  for (int64_t i = 0; i < index->count; ++i) {
    const attn_index_entry *entry = &index->entries[i];
    if (i > 0 && strcmp(entry[-1].file, entry->file) == 0)
      continue;
    attn_safetensors **shard = &set->shards[set->shard_count];
    ATTN_TRY(open_beside(set, entry->file, shard, status));
    ++set->shard_count;
    (*shard)->first = set->data_bytes;
    if (__builtin_add_overflow(set->data_bytes, (*shard)->data_bytes, &set->data_bytes))
      return attn_fail(status, ATTN_BAD_FILE, "%s: its shards have 2^64 bytes or more", set->name);
  }
  return ATTN_OK;
}

/* Reports a tensor in a file to which weight_map does not assign it. */
static attn_code refuse_tensor(const attn_safetensors *set, const attn_index *index, const char *tensor,
                               const char *file, attn_status *status) {
  for (int64_t i = 0; i < index->count; ++i)
    if (strcmp(index->entries[i].tensor, tensor) == 0)
      return attn_fail(status, ATTN_BAD_FILE, "%s: tensor '%s' is in '%s', but weight_map has it in '%s'", set->name,
                       attn_shown(tensor).text, attn_shown(file).text, attn_shown(index->entries[i].file).text);
  return attn_fail(status, ATTN_BAD_FILE, "%s: tensor '%s' is in '%s', but not in weight_map", set->name,
                   attn_shown(tensor).text, attn_shown(file).text);
}

/* Checks that the entries of each file name its tensors; both are sorted by name. An entry without a tensor is reported
 * last, because its tensor may be in another file. */
static attn_code check_places(const attn_safetensors *set, const attn_index *index, attn_status *status) {
  const attn_index_entry *missing = 0;
  int64_t e = 0;
  for (int64_t s = 0; s < set->shard_count; ++s) {
    const attn_header *header = &set->shards[s]->header;
    const char *file = index->entries[e].file;
    for (int64_t t = 0;;) {
      const attn_index_entry *entry = &index->entries[e];
      int is_entry = e < index->count && strcmp(entry->file, file) == 0, is_tensor = t < header->count;
      if (!is_entry && !is_tensor)
        break;
      int order = !is_entry ? 1 : !is_tensor ? -1 : strcmp(entry->tensor, header->by_name[t]->name);
      if (order > 0)
        return refuse_tensor(set, index, header->by_name[t]->name, file, status);
      if (order < 0 && !missing)
        missing = entry;
      e += 1;
      t += order == 0;
    }
  }
  if (!missing)
    return ATTN_OK;
  return attn_fail(status, ATTN_BAD_FILE, "%s: tensor '%s' is not in '%s', where weight_map has it", set->name,
                   attn_shown(missing->tensor).text, attn_shown(missing->file).text);
}

/* Moves the tensors of the shards to the set. */
static attn_code merge_headers(attn_safetensors *set, int64_t count, attn_status *status) {
  attn_header *all = &set->header;
  all->tensors = malloc(((size_t)count + 1) * sizeof *all->tensors);
  if (!all->tensors)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for its header", set->name);
  for (int64_t s = 0; s < set->shard_count; ++s) {
    attn_header *header = &set->shards[s]->header;
    for (int64_t t = 0; t < header->count; ++t) {
      all->tensors[all->count] = header->tensors[t];
      all->tensors[all->count++].offset += set->shards[s]->first;
    }
    free(header->tensors);
    free(header->by_name);
    *header = (attn_header){.names = header->names};
  }
  return attn_header_check(set->name, all, set->data_bytes, status);
}

/* Opens the shards of an index. */
static attn_code open_set(attn_safetensors *set, const attn_index *index, attn_status *status) {
  ATTN_TRY(open_shards(set, index, status));
  ATTN_TRY(check_places(set, index, status));
  return merge_headers(set, index->count, status); /* each entry has one tensor */
}

/* Reads an index of `size` bytes, which is then closed, and opens its shards. */
static attn_code read_index(attn_safetensors *set, uint64_t size, attn_status *status) {
  if (size > MOST_HEADER_BYTES)
    return attn_fail(status, ATTN_BAD_FILE, "%s: not an index of shards: it has %llu bytes", set->name,
                     (unsigned long long)size);
  char *text = malloc(size + 1);
  if (!text)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for an index of %llu bytes", set->name,
                     (unsigned long long)size);
  attn_index index = {0};
  attn_code code = read_bytes(set, 0, size, text, "the index", status);
  if (code == ATTN_OK)
    code = attn_index_parse(set->name, text, size, &index, status);
  free(text);
  close(set->descriptor);
  set->descriptor = -1;
  if (code == ATTN_OK)
    code = open_set(set, &index, status);
  attn_index_free(&index);
  return code;
}

/* Public functions ------------------------------------------------------------------------------------------------- */

ATTN_PUBLIC attn_code attn_safetensors_open_memory(const char *name, const void *data, size_t size,
                                                   attn_safetensors **out, attn_status *status) {
  ATTN_TRY(attn_check_pointer(out, "the place for the file", status));
  *out = 0;
  ATTN_TRY(attn_check_pointer(name, "the name of a safetensors file", status));
  ATTN_TRY(attn_check_pointer(data, "the memory of a safetensors file", status));
  return open_file(name, data, -1, size, read_header, out, status);
}

/* Opens a file, or an index if the path ends like that of one. */
static attn_code open_either(const char *path, attn_safetensors **out, attn_status *status) {
  static const char suffix[] = ".index.json";
  size_t length = strlen(path);
  int is_index = length >= sizeof suffix - 1 && strcmp(path + length - (sizeof suffix - 1), suffix) == 0;
  return open_path(path, is_index ? read_index : read_header, out, status);
}

static attn_code open_folder(const char *folder, attn_safetensors **out, attn_status *status) {
  static const char *const names[] = {"model", "diffusion_pytorch_model"}; /* the second one is that of diffusers */
  static const char *const ends[] = {".safetensors", ".safetensors.index.json"};
  const char *separator = folder[strlen(folder) - 1] == '/' ? "" : "/";
  for (int i = 0; i < 4; ++i) {
    char *path;
    if (asprintf(&path, "%s%s%s%s", folder, separator, names[i / 2], ends[i % 2]) < 0)
      return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", folder);
    int is_missing = access(path, F_OK) != 0 && errno == ENOENT;
    attn_code code = is_missing ? ATTN_OK : open_either(path, out, status);
    free(path);
    if (!is_missing)
      return code;
  }
  return attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: it is a directory with neither %s%s nor %s%s", folder,
                   names[0], ends[0], names[0], ends[1]);
}

ATTN_PUBLIC attn_code attn_safetensors_open(const char *path, attn_safetensors **out, attn_status *status) {
  ATTN_TRY(attn_check_pointer(out, "the place for the file", status));
  *out = 0;
  ATTN_TRY(attn_check_pointer(path, "the path of a safetensors file", status));
  struct stat about;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
    return open_folder(path, out, status);
  return open_either(path, out, status);
}

ATTN_PUBLIC void attn_safetensors_close(attn_safetensors *file) {
  if (!file)
    return;
  for (int64_t s = 0; s < file->shard_count; ++s)
    attn_safetensors_close(file->shards[s]);
  free(file->shards);
  attn_header_free(&file->header);
  if (file->descriptor >= 0)
    close(file->descriptor);
  free(file->name);
  free(file);
}

/* Returns the file that has byte `offset` of the data, the last one that begins there or before. */
static const attn_safetensors *file_at(const attn_safetensors *file, uint64_t offset) {
  int64_t first = 0, end = file->shard_count;
  while (end - first > 1) {
    int64_t middle = first + (end - first) / 2;
    *(file->shards[middle]->first <= offset ? &first : &end) = middle;
  }
  return end > 0 ? file->shards[first] : file;
}

ATTN_PUBLIC attn_code attn_safetensors_read(const attn_safetensors *file, const attn_file_tensor *tensor, uint64_t from,
                                            uint64_t count, void *to, attn_status *status) {
  ATTN_TRY(attn_check_pointer(file, "the file", status));
  ATTN_TRY(attn_check_pointer(tensor, "the tensor to read", status));
  if (count > 0)
    ATTN_TRY(attn_check_pointer(to, "the memory to read to", status));
  if (from > tensor->bytes || count > tensor->bytes - from)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: tensor '%s' has %llu bytes, expected %llu from byte %llu on",
                     file->name, attn_shown(tensor->name).text, (unsigned long long)tensor->bytes,
                     (unsigned long long)count, (unsigned long long)from);
  file = file_at(file, tensor->offset);
  ATTN_TRY(read_bytes(file, file->data_start + tensor->offset - file->first + from, count, to, tensor->name, status));
  return attn_succeed(status);
}

ATTN_PUBLIC int64_t attn_safetensors_count(const attn_safetensors *file) { return file ? file->header.count : 0; }

ATTN_PUBLIC const attn_file_tensor *attn_safetensors_at(const attn_safetensors *file, int64_t index) {
  return file && index >= 0 && index < file->header.count ? &file->header.tensors[index] : 0;
}

static int compare_name(const void *name, const void *tensor) {
  return strcmp(name, (*(attn_file_tensor *const *)tensor)->name);
}

ATTN_PUBLIC const attn_file_tensor *attn_safetensors_find(const attn_safetensors *file, const char *name) {
  if (!file || !name)
    return 0;
  attn_file_tensor *const *found = bsearch(name, file->header.by_name, (size_t)file->header.count,
                                           sizeof *file->header.by_name, compare_name);
  return found ? *found : 0;
}

ATTN_PUBLIC const char *attn_safetensors_object(const attn_safetensors *file) {
  return file ? file->header.object : "";
}
