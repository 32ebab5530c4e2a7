#include "compiler/Emit/WeightsFiles.h"
#include "runtime/files/safetensors_file.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemAlloc.h"
#include "llvm/Support/Path.h"
#include <cstring>

using namespace llvm;

namespace attnc {

std::string pathOfTensors(const std::string &path) {
  SmallString<128> file(path);
  sys::path::append(file, "adapter_model.safetensors");
  SmallString<128> config(path);
  sys::path::append(config, "config.json");
  return sys::fs::exists(file) && !sys::fs::exists(config) ? file.str().str() : path;
}

/// A zeroed array that the runtime frees.
template <typename Element> static Element *arrayOf(size_t count) {
  return static_cast<Element *>(safe_calloc(count + 1, sizeof(Element)));
}

/// The tensors of all files; for a name that several files have, the tensor of the last one. `offsets` are the
/// distances of the data of the files from those of the first one.
static std::vector<attn_file_tensor> tensorsOf(ArrayRef<attn_safetensors *> files, ArrayRef<uint64_t> offsets) {
  std::vector<attn_file_tensor> tensors;
  StringMap<size_t> places;
  for (auto [file, offset] : zip_equal(files, offsets))
    for (attn_file_tensor tensor : ArrayRef(file->header.tensors, size_t(file->header.count))) {
      tensor.offset += offset;
      auto [place, isNew] = places.try_emplace(tensor.name, tensors.size());
      if (isNew)
        tensors.push_back(tensor);
      else
        tensors[place->second] = tensor;
    }
  return tensors;
}

/// Moves the shards of a set, or a single file, to the shards of `set`. `offset` is the distance of its data.
static void addShards(attn_safetensors *set, attn_safetensors *file, uint64_t offset) {
  if (file->shard_count == 0) {
    file->first = offset;
    set->shards[set->shard_count++] = file;
    return;
  }
  for (attn_safetensors *shard : ArrayRef(file->shards, size_t(file->shard_count))) {
    shard->first += offset;
    set->shards[set->shard_count++] = shard;
  }
  file->shard_count = 0;
  attn_safetensors_close(file);
}

attn_safetensors *WeightsFiles::merge(std::vector<File> owned, const std::string &name) {
  std::vector<attn_safetensors *> files;
  std::vector<uint64_t> offsets;
  auto *set = arrayOf<attn_safetensors>(1);
  set->name = strdup(name.c_str());
  set->descriptor = -1;
  size_t shards = 0;
  for (File &file : owned) {
    offsets.push_back(set->data_bytes);
    set->data_bytes += file->data_bytes;
    shards += std::max<int64_t>(file->shard_count, 1);
    files.push_back(file.release());
  }
  std::vector<attn_file_tensor> tensors = tensorsOf(files, offsets);
  attn_header &header = set->header;
  header.count = int64_t(tensors.size());
  header.tensors = arrayOf<attn_file_tensor>(tensors.size());
  header.by_name = arrayOf<attn_file_tensor *>(tensors.size());
  copy(tensors, header.tensors);
  for (size_t i = 0; i < tensors.size(); ++i)
    header.by_name[i] = &header.tensors[i];
  sort(MutableArrayRef(header.by_name, tensors.size()),
       [](const attn_file_tensor *a, const attn_file_tensor *b) { return std::strcmp(a->name, b->name) < 0; });
  set->shards = arrayOf<attn_safetensors *>(shards);
  for (auto [file, offset] : zip_equal(files, offsets))
    addShards(set, file, offset);
  return set;
}

Expected<WeightsFiles> WeightsFiles::open(ArrayRef<std::string> paths) {
  std::vector<File> files;
  for (const std::string &path : paths) {
    attn_status status;
    attn_safetensors *opened = nullptr;
    if (attn_safetensors_open(pathOfTensors(path).c_str(), &opened, &status) != ATTN_OK)
      return createStringError(StringRef(status.message));
    files.emplace_back(opened, attn_safetensors_close);
  }
  std::string name = join(paths, ", ");
  if (files.size() == 1)
    return WeightsFiles(std::move(files.front()), name);
  return WeightsFiles(File(merge(std::move(files), name), attn_safetensors_close), name);
}

} // namespace attnc
