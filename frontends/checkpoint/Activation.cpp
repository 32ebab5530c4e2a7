#include "frontends/checkpoint/Activation.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace attnc {

namespace {

struct Row {
  StringLiteral name, function, file;
};

} // namespace

static constexpr Row activations[] = {{"gelu", "nn.gelu", "nn"},
                                      {"gelu_python", "nn.gelu", "nn"},
                                      {"gelu_new", "nn.gelu_tanh", "nn"},
                                      {"gelu_pytorch_tanh", "nn.gelu_tanh", "nn"},
                                      {"gelu_fast", "nn.gelu_tanh", "nn"},
                                      {"quick_gelu", "encoders.quick_gelu", "models.encoders"},
                                      {"silu", "nn.silu", "nn"},
                                      {"swish", "nn.silu", "nn"},
                                      {"relu", "relu", ""}};

std::optional<Activation> findActivation(StringRef name) {
  const auto *found = find_if(activations, [&](const Row &each) { return each.name == name; });
  if (found == std::end(activations))
    return std::nullopt;
  return Activation{found->function.str(), found->file.str()};
}

Activation readActivation(Config &config, StringRef key, StringRef otherwise) {
  std::string name = config.text(key, otherwise);
  if (name == otherwise)
    return {};
  if (std::optional<Activation> found = findActivation(name))
    return *found;
  config.refuse(key, "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, quick_gelu, silu, swish or relu");
  return {};
}

} // namespace attnc
