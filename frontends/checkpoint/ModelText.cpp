#include "frontends/checkpoint/ModelText.h"
#include <fmt/format.h>

namespace attnc {

std::string realText(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void DecoderText::add(llvm::StringRef name, int64_t value) { add(name, llvm::StringRef(std::to_string(value))); }

void DecoderText::add(llvm::StringRef name, double value) { add(name, llvm::StringRef(realText(value))); }

void DecoderText::add(llvm::StringRef name, llvm::StringRef expression) {
  arguments.emplace_back(name.str(), expression.str());
}

void DecoderText::addFlag(llvm::StringRef name, bool value) {
  if (value)
    add(name, llvm::StringRef("true"));
}

std::string DecoderText::text(llvm::StringRef origin) const {
  std::string result = fmt::format("// Made by `attnc import` from {}.\nuse decoding\nuse {}\n", origin.str(), file);
  if (usesRotary)
    result += "use models.rotary\n";
  std::string module = file.substr(file.rfind('.') + 1);
  result += fmt::format("\nmodel {} {{\n  decoder: {}.Decoder(", model, module);
  for (const auto &[name, value] : arguments)
    result += fmt::format("\n    {}: {},", name, value);
  result.back() = ')';
  result += fmt::format(R"( as ""

  /// The logits of the next token at each position.
  fn logits(tokens: i32[batch, seq <= {0}]) -> f32[batch, seq, {1}] {{
    decoder.logits_of(decoder.features(tokens))
  }}

  /// The logits of the next token after the last position.
  fn last(tokens: i32[batch, seq <= {0}]) -> f32[batch, {1}] {{
    let x = decoder.features(tokens)
    decoder.logits_of([b] => x[b, seq - 1])
  }}
}}

export logits
export next = incremental(last, along: seq)
)",
                        context, vocab);
  std::string end = stop ? fmt::format(" stop: {},", *stop) : "";
  return result + fmt::format("export write = decode(next, with: draw,{} at_most: {})\n", end,
                              std::min<int64_t>(256, context - 1));
}

} // namespace attnc
