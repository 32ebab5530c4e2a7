#include "tools/attnc/Call/UnusedTensors.h"
#include "frontends/checkpoint/Checkpoint.h"
#include "tools/attnc/Call/ParameterNames.h"
#include "tools/attnc/Messages/Messages.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

static llvm::StringSet<> namesOfParameters(const attn_model &model) {
  llvm::StringSet<> names;
  for (const attn_parameter_info &info : ArrayRef(model.parameters, size_t(model.parameter_count))) {
    for (int64_t entry = 0; entry < entryCount(info); ++entry)
      for (const std::string &name : tensorNames(info, entry))
        names.insert(name);
  }
  return names;
}

void warnOfUnusedTensors(const attn_model &model, const WeightsFiles &files) {
  llvm::StringSet<> names = namesOfParameters(model);
  constexpr size_t mostShown = 4;
  std::vector<std::string> shown;
  size_t count = 0;
  for (int64_t index = 0; index < attn_safetensors_count(files.get()); ++index) {
    StringRef name = attn_safetensors_at(files.get(), index)->name;
    if (names.contains(name) || isRedundant(name))
      continue;
    if (++count <= mostShown)
      shown.push_back(name.str());
  }
  if (count > mostShown)
    shown.push_back("...");
  if (count > 0)
    warn(fmt::format("{}: the model does not use {} of its tensors: {}", files.name(), count, join(shown, ", ")));
}

} // namespace attnc
