// Fuzzes safetensors: arbitrary bytes give a message, or tensors that lie inside the file. As an index of shards, they
// give a message, or sorted entries with files in the folder of the index.
#include "attn/safetensors.h"
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>
extern "C" {
#include "safetensors_index.h"
}

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Opens a header with its length before it, so that the fuzzer need not guess the length.
static void openWithLength(const uint8_t *text, size_t size, size_t headerBytes) {
  auto *bytes = static_cast<char *>(malloc(size + 8));
  uint64_t length = headerBytes;
  memcpy(bytes, &length, 8);
  memcpy(bytes + 8, text, size);
  attn_safetensors *file;
  attn_status status;
  attn_code code = attn_safetensors_open_memory("fuzz", bytes, size + 8, &file, &status);
  require(code == status.code && (code == ATTN_OK) == (file != nullptr));
  require((code == ATTN_OK) == (status.message[0] == 0));
  uint64_t covered = 0;
  for (int64_t i = 0; file && i < attn_safetensors_count(file); ++i) {
    const attn_file_tensor *tensor = attn_safetensors_at(file, i);
    require(tensor->offset <= size - headerBytes && tensor->bytes <= size - headerBytes - tensor->offset);
    require(attn_safetensors_find(file, tensor->name) == tensor);
    std::vector<char> read(tensor->bytes + 1);
    require(attn_safetensors_read(file, tensor, 0, tensor->bytes, read.data(), nullptr) == ATTN_OK);
    require(memcmp(read.data(), text + headerBytes + tensor->offset, tensor->bytes) == 0);
    require(attn_safetensors_read(file, tensor, 1, tensor->bytes, read.data(), nullptr) == ATTN_BAD_ARGUMENT);
    covered += tensor->bytes;
  }
  require(!file || covered == size - headerBytes);
  attn_safetensors_close(file);
  free(bytes);
}

static void parseIndex(const char *text, size_t size) {
  attn_index index;
  attn_status status = {};
  attn_code code = attn_index_parse("fuzz", text, size, &index, &status);
  require((code == ATTN_OK) == (status.message[0] == 0));
  require((code == ATTN_OK) == (index.names != nullptr));
  std::pair<std::string, std::string> last;
  int64_t files = 0;
  for (int64_t i = 0; i < index.count; ++i) {
    std::pair<std::string, std::string> entry = {index.entries[i].file, index.entries[i].tensor};
    require(i == 0 || last < entry);
    require(entry.first.find('/') == std::string::npos);
    require(entry.first != "" && entry.first != "." && entry.first != "..");
    files += i == 0 || last.first != entry.first;
    last = std::move(entry);
  }
  require(files == index.file_count);
  attn_index_free(&index);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  size_t dataBytes = data[0] % 32;
  if (dataBytes < size)
    openWithLength(data + 1, size - 1, size - 1 - dataBytes);
  attn_safetensors *file;
  if (attn_safetensors_open_memory("fuzz", data, size, &file, nullptr) == ATTN_OK)
    attn_safetensors_close(file);
  parseIndex(reinterpret_cast<const char *>(data), size);
  return 0;
}
