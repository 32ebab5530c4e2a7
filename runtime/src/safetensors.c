#define _GNU_SOURCE
#include "attn/safetensors.h"
#include "internal.h"
#include "safetensors_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The format's own bound on the header. */
enum { MOST_HEADER_BYTES = 100 * 1000 * 1000 };

struct attn_safetensors {
  attn_header header;
  void *mapping; /* null where the memory is the caller's */
  size_t mapping_bytes;
};

static const struct {
  const char *name;
  int64_t bytes;
} dtypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2}, {"BF16", 2},
              {"I32", 4},  {"U32", 4}, {"F32", 4}, {"I64", 8}, {"U64", 8}, {"F64", 8}};

ATTN_PUBLIC const char *attn_file_dtype_name(int32_t dtype) { return dtypes[dtype].name; }
ATTN_PUBLIC int64_t attn_file_dtype_bytes(int32_t dtype) { return dtypes[dtype].bytes; }

ATTN_PUBLIC attn_code attn_safetensors_open_memory(const char *name, const void *data, size_t size,
                                                   attn_safetensors **out, attn_status *status) {
  *out = 0;
  const unsigned char *bytes = data;
  uint64_t header_bytes = 0;
  if (size < 8)
    return attn_fail(status, ATTN_BAD_FILE, "%s: %zu bytes are too few for a safetensors file", name, size);
  for (int i = 7; i >= 0; --i)
    header_bytes = header_bytes << 8 | bytes[i];
  if (header_bytes > MOST_HEADER_BYTES)
    return attn_fail(status, ATTN_BAD_FILE, "%s: not a safetensors file: its header would take %llu bytes", name,
                     (unsigned long long)header_bytes);
  if (header_bytes > size - 8)
    return attn_fail(status, ATTN_BAD_FILE, "%s: truncated: the header takes %llu bytes, the file holds %zu", name,
                     (unsigned long long)header_bytes, size);
  attn_safetensors *file = calloc(1, sizeof *file);
  if (!file)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", name);
  const char *text = (const char *)data + 8;
  attn_code code = attn_header_parse(name, text, header_bytes, text + header_bytes, size - 8 - header_bytes,
                                     &file->header, status);
  if (code != ATTN_OK) {
    free(file);
    return code;
  }
  *out = file;
  return attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_safetensors_open(const char *path, attn_safetensors **out, attn_status *status) {
  *out = 0;
  if (!path)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "the path of a safetensors file is a null pointer");
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (descriptor < 0 || fstat(descriptor, &about) != 0 || S_ISDIR(about.st_mode)) {
    int error = descriptor < 0 ? errno : EISDIR;
    if (descriptor >= 0)
      close(descriptor);
    return attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: %s", path, strerror(error));
  }
  size_t size = (size_t)about.st_size;
  void *mapping = size ? mmap(0, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : 0;
  close(descriptor);
  if (mapping == MAP_FAILED)
    return attn_fail(status, ATTN_BAD_FILE, "%s: can't be mapped: %s", path, strerror(errno));
  attn_code code = attn_safetensors_open_memory(path, mapping ? mapping : "", size, out, status);
  if (code != ATTN_OK) {
    if (mapping)
      munmap(mapping, size);
    return code;
  }
  (*out)->mapping = mapping;
  (*out)->mapping_bytes = size;
  return code;
}

ATTN_PUBLIC void attn_safetensors_close(attn_safetensors *file) {
  if (!file)
    return;
  attn_header_free(&file->header);
  if (file->mapping)
    munmap(file->mapping, file->mapping_bytes);
  free(file);
}

ATTN_PUBLIC int64_t attn_safetensors_count(const attn_safetensors *file) { return file->header.count; }

ATTN_PUBLIC const attn_file_tensor *attn_safetensors_at(const attn_safetensors *file, int64_t index) {
  return index >= 0 && index < file->header.count ? &file->header.tensors[index] : 0;
}

ATTN_PUBLIC const attn_file_tensor *attn_safetensors_find(const attn_safetensors *file, const char *name) {
  for (int64_t i = 0; i < file->header.count; ++i)
    if (strcmp(file->header.tensors[i].name, name) == 0)
      return &file->header.tensors[i];
  return 0;
}

ATTN_PUBLIC const char *attn_safetensors_object(const attn_safetensors *file) { return file->header.object; }
