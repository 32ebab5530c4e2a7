#include "tools/attnc/Train/SavedChanges.h"
#include "attn/files.h"
#include "tools/attnc/Call/ParameterNames.h"
#include "tools/attnc/Messages/Messages.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include <cstring>
#include <deque>

using namespace llvm;

namespace attnc {

/// Whether the tensors of an entry of a parameter are in a file with equal values.
static Expected<bool> isEqual(const attn_parameter_info &info, int64_t entry, const char *values,
                              const WeightsFiles &base) {
  for (const std::string &name : tensorNames(info, entry)) {
    const attn_file_tensor *tensor = attn_safetensors_find(base.get(), name.c_str());
    if (!tensor || convertedType(*tensor) != info.dtype ||
        ArrayRef(tensor->shape, size_t(tensor->rank)) != tensorShape(info))
      return false;
    auto read = readTensor(base.name(), base.get(), *tensor);
    if (!read)
      return read.takeError();
    if (std::memcmp(read->bytes.data(), values, read->bytes.size()) != 0)
      return false;
    values += read->bytes.size();
  }
  return true;
}

namespace {

/// A model whose parameters are some entries of those of another one.
struct PartialModel {
  std::deque<std::string> names;
  std::vector<attn_parameter_info> parameters;
  std::vector<const void *> values;

  void add(attn_parameter_info info, int64_t entry, const void *value) {
    names.push_back(parameterName(info, entry));
    info.name = info.checkpoint = names.back().c_str();
    info.list_rank = 0;
    info.first = int64_t(values.size());
    parameters.push_back(info);
    values.push_back(value);
  }
  attn_model model(const attn_model &whole) const {
    attn_model part = whole;
    part.parameters = parameters.data();
    part.parameter_count = part.loaded_count = int64_t(parameters.size());
    part.entry_count = part.kernel_count = part.packed_count = 0;
    part.prepare = nullptr;
    part.prepare_arena_bytes = nullptr;
    return part;
  }
};

} // namespace

Error saveChanges(const attn_weights *weights, const WeightsFiles &base, const std::string &path) {
  const attn_model &whole = *attn_weights_model(weights);
  PartialModel changed;
  for (const attn_parameter_info &info : ArrayRef(whole.parameters, size_t(whole.parameter_count))) {
    for (int64_t entry = 0; !info.state && entry < entryCount(info); ++entry) {
      const void *value = attn_weights_table(weights)[info.first + entry];
      auto equal = isEqual(info, entry, static_cast<const char *>(value), base);
      if (!equal)
        return equal.takeError();
      if (!*equal)
        changed.add(info, entry, value);
    }
  }
  attn_model model = changed.model(whole);
  attn_status status;
  attn_weights *part = nullptr;
  attn_code code = attn_weights_from_table(&model, changed.values.data(), nullptr, &part, &status);
  if (code == ATTN_OK)
    code = attn_weights_save(part, path.c_str(), 0, &status);
  attn_weights_free(part);
  return toError(code, status);
}

} // namespace attnc
