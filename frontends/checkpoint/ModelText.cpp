#include "frontends/checkpoint/ModelText.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/ranges.h>

namespace attnc {

std::string realText(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void Arguments::add(llvm::StringRef name, int64_t value) { add(name, llvm::StringRef(std::to_string(value))); }

void Arguments::add(llvm::StringRef name, double value) { add(name, llvm::StringRef(realText(value))); }

void Arguments::add(llvm::StringRef name, llvm::StringRef expression) {
  values.emplace_back(name.str(), expression.str());
}

void Arguments::addFlag(llvm::StringRef name, bool value) {
  if (value)
    add(name, llvm::StringRef("true"));
}

void ModelText::use(llvm::StringRef file) {
  if (!llvm::is_contained(files, file))
    files.push_back(file.str());
}

FieldText &ModelText::addField(llvm::StringRef name, llvm::StringRef module, llvm::StringRef tensors, FieldRole role) {
  return fields.emplace_back(
      FieldText{.name = name.str(), .module = module.str(), .tensors = tensors.str(), .role = role});
}

void ModelText::addEntry(FunctionText function) {
  exports.push_back(function.name);
  functions.push_back(std::move(function));
}

void ModelText::addTraining(llvm::StringRef rate) {
  use("nn");
  use("optim");
  use("models.losses");
  hyperparameters.insert(hyperparameters.end(), {"rate = " + rate.str(), "warm = 100"});
  hyperparameters.insert(hyperparameters.end(), loss->hyperparameters.begin(), loss->hyperparameters.end());
  notes.insert(notes.end(), loss->notes.begin(), loss->notes.end());
  addEntry({.comment = "The " + loss->comment + ".",
            .name = "loss",
            .inputs = loss->inputs,
            .result = "f32",
            .body = loss->body});
  exports.push_back("train = minimize(loss, with: optim.adamw(lr: optim.warmup(rate, warm)), clip_norm: 1.0)");
}

void ModelText::addAdapters(const Adapters &adapters, bool trains) {
  use("adapters");
  hyperparameters.push_back(fmt::format("rank = {}", adapters.rank));
  hyperparameters.push_back("alpha = " + realText(adapters.alpha));
  if (trains)
    hyperparameters.push_back("drop = " + realText(adapters.drop));
  std::string rules = fmt::format(" with adapters.LoRA(rank, alpha{}) at \"{}\"", trains ? ", drop" : "",
                                  fmt::join(adapters.targets, "\", \""));
  for (FieldText &field : fields) {
    field.isFrozen = trains && field.role != FieldRole::Head;
    if (field.role == FieldRole::Network)
      field.rules = rules;
    if (field.role == FieldRole::Head && !adapters.saved.empty())
      field.tensors = "base_model.model." + field.tensors;
  }
}

/// A field on one line if it is short; otherwise each argument has a line.
static std::string textOf(const FieldText &field) {
  std::vector<std::string> arguments;
  size_t width = 0;
  for (const auto &[name, value] : field.arguments.values)
    width += arguments.emplace_back(name + ": " + value).size() + 2;
  bool isShort = width < 60;
  return fmt::format("  {}{}: {}({}{}) as \"{}\"{}\n", field.isFrozen ? "frozen " : "", field.name, field.module,
                     isShort ? "" : "\n    ", fmt::join(arguments, isShort ? ", " : ",\n    "), field.tensors,
                     field.rules);
}

static std::string textOf(const FunctionText &function) {
  std::string result = fmt::format("\n  /// {}\n  fn {}({}) -> {} {{\n", function.comment, function.name,
                                   function.inputs, function.result);
  for (llvm::StringRef line : llvm::split(function.body, '\n'))
    result += "    " + line.str() + "\n";
  return result + "  }\n";
}

std::string ModelText::text(llvm::StringRef origin) const {
  std::string result = fmt::format("// Made by `attnc import` from {}.\n", origin.str());
  for (const std::string &note : notes)
    result += fmt::format("// {}\n", note);
  for (const std::string &file : files)
    result += "use " + file + "\n";
  std::string parameters = hyperparameters.empty() ? "" : fmt::format("({})", fmt::join(hyperparameters, ", "));
  result += fmt::format("\nmodel {}{} {{\n", model, parameters);
  for (const std::string &constant : constants)
    result += "  const " + constant + "\n";
  for (const FieldText &field : fields)
    result += textOf(field);
  for (const FunctionText &function : functions)
    result += textOf(function);
  result += "}\n\n";
  for (const std::string &entry : exports)
    result += "export " + entry + "\n";
  return result;
}

/// The loss of a decoder on whole texts; `inputs` are those of a decoder without a source.
static std::optional<LossText> lossOf(const DecoderText &decoder, const std::string &inputs) {
  if (!decoder.source)
    return LossText{"mean cross-entropy of each token after the first", inputs,
                    "losses.next_token_loss(logits(tokens), tokens)"};
  if (!decoder.start)
    return std::nullopt;
  return LossText{"mean cross-entropy of each token of the texts that are written",
                  decoder.source->trainedInputs + ", " + inputs,
                  fmt::format("let before = losses.after_start(tokens, {})\n"
                              "losses.token_loss(logits({}, before), tokens)",
                              *decoder.start, decoder.source->trainedArguments)};
}

ModelText DecoderText::asModel() const {
  ModelText result{.model = model, .files = {"decoding", file}, .notes = notes};
  result.files.insert(result.files.end(), uses.begin(), uses.end());
  std::string field = source ? "network" : "decoder", module = source ? "EncoderDecoder" : "Decoder";
  result.fields = {{field, file.substr(file.rfind('.') + 1) + "." + module, arguments, tensors}};
  std::string inputs = context == 0 ? "tokens: i32[batch, seq]" : fmt::format("tokens: i32[batch, seq <= {}]", context);
  if (longContext > 0) {
    result.hyperparameters.push_back("long = false");
    result.constants = {fmt::format("context = if long then {} else {}", longContext, context)};
    result.notes.push_back(
        fmt::format("Texts have at most {} tokens; longer ones, of at most {} tokens, need `long`, as "
                    "by `--set long=true`.",
                    context, longContext));
    inputs = "tokens: i32[batch, seq <= context]";
    for (auto &[name, value] : result.fields[0].arguments.values)
      if (name == "context")
        value = name;
  }
  std::string features = "decoder.features(tokens)";
  result.loss = lossOf(*this, inputs);
  if (source) {
    result.addEntry({.comment = source->comment,
                     .name = "features",
                     .inputs = source->inputs,
                     .result = source->features,
                     .body = fmt::format("network.features({})", source->arguments)});
    inputs = source->inputs + ", " + inputs;
    features = fmt::format("network.decoded(tokens, {})", source->arguments);
  }
  result.addEntry({.comment = "The logits of the next token at each position.",
                   .name = "logits",
                   .inputs = inputs,
                   .result = fmt::format("f32[batch, seq, {}]", vocab),
                   .body = fmt::format("{}.logits_of({})", field, features)});
  result.functions.push_back({.comment = "The logits of the next token after the last position.",
                              .name = "last",
                              .inputs = inputs,
                              .result = fmt::format("f32[batch, {}]", vocab),
                              .body = fmt::format("let x = {}\n{}.logits_of([b] => x[b, seq - 1])", features, field)});
  std::string end = ends.empty() ? "" : fmt::format(" stop: {},", ends[0]);
  if (ends.size() > 1)
    result.notes.push_back(
        fmt::format("`write` ends a text at the token {}, but not at the others of `eos_token_id`: {}.", ends[0],
                    fmt::join(ends.begin() + 1, ends.end(), ", ")));
  result.exports.push_back("next = incremental(last, along: seq)");
  int64_t atMost = context == 0 ? 256 : std::min<int64_t>(256, context - 1);
  result.exports.push_back(fmt::format("write = decode(next, with: draw,{} at_most: {})", end, atMost));
  return result;
}

} // namespace attnc
