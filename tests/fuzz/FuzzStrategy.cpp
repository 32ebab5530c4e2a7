// Fuzzes strategies: an arbitrary text gives an error with file and line, or overrides that can be written and read
// again; settings of the model and of fusions are accepted or rejected.
#include "compiler/Schedule/Strategy.h"
#include <cstdlib>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Requires that the message begins with the name of the file.
static void requireMessage(llvm::Error error) {
  std::string message = toString(std::move(error));
  require(llvm::StringRef(message).starts_with("fuzz.strategy:"));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto overrides = parseStrategy("fuzz.strategy", text);
  if (!overrides) {
    requireMessage(overrides.takeError());
    return 0;
  }
  for (const Override &each : *overrides) {
    auto again = parseOverride(textOf(each));
    require(bool(again) && again->what == each.what && again->key == each.key && again->value == each.value);
  }
  if (auto emitter = emitterOverride(*overrides); !emitter)
    requireMessage(emitter.takeError());
  auto refusals = fusionOverrides(*overrides);
  if (!refusals)
    requireMessage(refusals.takeError());
  else
    for (const FusionRefusal &each : *refusals)
      namesKernel(each);
  return 0;
}
