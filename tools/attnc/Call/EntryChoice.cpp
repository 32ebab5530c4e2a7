#include "tools/attnc/Call/EntryChoice.h"
#include "compiler/Derive/Incremental/ResumedNames.h"
#include "llvm/Support/FormatVariadic.h"
#include <string>

using namespace llvm;

namespace attnc {

Expected<int64_t> chooseEntry(const attn_model &model, StringRef name, const EntryKind &kind) {
  std::string names, does = kind.does.empty() ? "" : (" that " + kind.does).str();
  int64_t candidates = 0, chosen = -1;
  for (int64_t number = 0; number < model.entry_count; ++number) {
    if (!kind.contains(model.entries[number]) || ResumedNames::isEntry(model.entries[number].name))
      continue;
    names += (names.empty() ? "" : ", ") + std::string(model.entries[number].name);
    ++candidates;
    if (name.empty() || name == model.entries[number].name)
      chosen = number;
  }
  if (candidates == 0)
    return createStringError(formatv("the model has no entry point{0}{1}", does, kind.hint));
  if (chosen < 0)
    return createStringError(formatv("no entry point '{0}'{1}; the model has {2}", name, does, names));
  if (name.empty() && candidates > 1)
    return createStringError(formatv("choose an entry point by --entry: {0}", names));
  return chosen;
}

} // namespace attnc
