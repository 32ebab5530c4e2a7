#include "tools/attnc/Compare/Strategies.h"
#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Json/InputBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

namespace {
struct Known {
  const char *name, *about, *text; ///< in the syntax of strategy files
};
} // namespace

static constexpr Known known[] = {
    {"default", "the choices of the compiler", ""},
    {"no-fusion", "a kernel for each computation, scores as tensors", "model.fusion = none"},
    {"scores-materialised", "attention as products and a softmax of rows", "model.attention-fused = no"},
    {"no-epilogues", "products without epilogues", "model.epilogue-fused = no"},
    {"no-rows", "a kernel for each reduction of rows", "model.rows-fused = no"},
    {"no-pointwise", "a tensor for each pointwise op", "model.pointwise-fused = no"},
    {"cpu", "the cpu emitter only", "model.emitter = cpu"},
    {"halide", "Halide wherever it supports a kernel", "model.emitter = halide"},
    {"prefill", "attention in tiles of queries", "attend.form = prefill"},
    {"split-keys", "attention query by query, with split keys", "attend.form = decode"},
    {"queries-16", "tiles of 16 queries", "attend.form = prefill\nattend.tile_q = 16"},
    {"keys-32", "blocks of 32 keys", "attend.form = prefill\nattend.tile_kv = 32"},
    {"keys-256", "blocks of 256 keys", "attend.form = prefill\nattend.tile_kv = 256"},
    {"rows-4", "register tiles of products with 4 rows", "gemm.mr = 4"},
    {"depth-64", "products in depth blocks of 64", "gemm.kc = 64"},
};

static NamedStrategy strategyOf(const Known &each) {
  return {each.name, each.about, cantFail(parseStrategy("", each.text))};
}

std::vector<NamedStrategy> knownStrategies() {
  std::vector<NamedStrategy> all;
  for (const Known &each : known)
    all.push_back(strategyOf(each));
  return all;
}

Expected<std::vector<NamedStrategy>> strategiesNamed(ArrayRef<std::string> names) {
  std::vector<NamedStrategy> found = {strategyOf(known[0])};
  std::vector<std::string> all;
  for (const Known &each : known)
    all.push_back(each.name);
  for (const std::string &name : names) {
    auto place = find(all, name);
    if (place == all.end())
      return createStringError(fmt::format("there is no strategy `{}`{}", name, didYouMean(name, all)));
    if (none_of(found, [&](const NamedStrategy &each) { return each.name == name; }))
      found.push_back(strategyOf(known[place - all.begin()]));
  }
  return found;
}

Expected<NamedStrategy> strategyOfFile(const std::string &path) {
  auto file = readInputFile(path);
  if (!file)
    return createStringError(fmt::format("can't read {}: {}", path, toString(file.takeError())));
  auto overrides = parseStrategy(path, (*file)->getBuffer());
  if (!overrides)
    return overrides.takeError();
  return NamedStrategy{sys::path::stem(path).str(), path, std::move(*overrides), /*isOwn=*/true};
}

} // namespace attnc
