#include "tools/attnc/Train/Initialisation.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/ElementTypes/ElementTable.h"
#include "tools/attnc/Call/ParameterNames.h"
#include "tools/attnc/Messages/Messages.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include "compiler/Emit/WeightsFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

namespace {

/// The tensors of a file and of a model, side by side.
class Matching {
public:
  Matching(const std::string &path, const attn_safetensors *file, attn_weights *weights)
      : file(file), weights(weights), model(*attn_weights_model(weights)) {
    result.file = path;
  }
  Error run();

  Initialisation result;

private:
  Error match(const attn_parameter_info &info, int64_t entry, size_t part, const std::string &name);
  void addRest();
  bool isState(StringRef name) const;
  Error nothingMatches() const;

  const attn_safetensors *file;
  attn_weights *weights;
  const attn_model &model;
  StringSet<> known; ///< names of the model, with those of its states
};

} // namespace

/// "F32[64, 16]".
static std::string textOf(StringRef type, ArrayRef<int64_t> shape) {
  auto sizes = map_range(shape, [](int64_t size) { return std::to_string(size); });
  return (type + "[" + join(sizes, ", ") + "]").str();
}

static std::string textOf(const attn_file_tensor &tensor) {
  return textOf(attn_file_dtype_name(tensor.dtype), ArrayRef(tensor.shape, tensor.rank));
}

static std::string textOf(const attn_parameter_info &info) {
  return textOf(elementTypeInSafetensors(attn_dtype(info.dtype)), tensorShape(info));
}

static bool isTaken(const attn_parameter_info &info, const attn_file_tensor &tensor) {
  return convertedType(tensor) == info.dtype && ArrayRef(tensor.shape, tensor.rank) == tensorShape(info);
}

Error Matching::match(const attn_parameter_info &info, int64_t entry, size_t part, const std::string &name) {
  known.insert(name);
  if (info.state)
    return Error::success();
  ++result.parameters;
  const attn_file_tensor *tensor = attn_safetensors_find(file, name.c_str());
  if (!tensor) {
    result.missing.push_back({name, textOf(info)});
    return Error::success();
  }
  if (!isTaken(info, *tensor)) {
    result.different.push_back({name, textOf(*tensor) + " in the file, " + textOf(info) + " in the model"});
    return Error::success();
  }
  auto values = readTensor(result.file, file, *tensor);
  if (!values)
    return values.takeError();
  auto *to = static_cast<char *>(const_cast<void *>(attn_weights_table(weights)[info.first + entry]));
  std::copy(values->bytes.begin(), values->bytes.end(), to + part * values->bytes.size());
  ++result.taken;
  return Error::success();
}

/// Whether a tensor of the file is a state of a training that has written the file: `train.count`, or `train.m.NAME`
/// with the NAME of another tensor.
bool Matching::isState(StringRef name) const {
  auto [entry, rest] = name.split('.');
  const attn_file_tensor *count = attn_safetensors_find(file, (entry + ".count").str().c_str());
  StringRef parameter = rest.split('.').second;
  return count && count->rank == 0 && count->dtype == ATTN_FILE_I32 &&
         (rest == "count" || (!parameter.empty() && attn_safetensors_find(file, parameter.str().c_str())));
}

/// Adds the tensors of the file that the model does not have.
void Matching::addRest() {
  for (int64_t number = 0; number < attn_safetensors_count(file); ++number) {
    const attn_file_tensor &tensor = *attn_safetensors_at(file, number);
    if (isState(tensor.name))
      ++result.states;
    else if (!known.contains(tensor.name))
      result.unknown.push_back({tensor.name, textOf(tensor)});
  }
}

/// The first few lines of a listing, in one sentence.
static std::string someOf(ArrayRef<NamedTensor> tensors) {
  constexpr size_t most = 3;
  std::vector<NamedTensor> lines = joinLists(tensors);
  std::string text;
  for (const NamedTensor &line : ArrayRef(lines).take_front(most))
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", printable(line.name), line.note);
  return text + (lines.size() > most ? ", ..." : "");
}

Error Matching::nothingMatches() const {
  if (!result.different.empty())
    return createStringError(formatv("{0}: no tensor has the shape of the parameter with its name: {1}; give the "
                                     "model the sizes of the file, by --set",
                                     result.file, someOf(result.different)));
  if (result.unknown.empty())
    return createStringError(formatv("{0}: has no tensors but states of training", result.file));
  return createStringError(formatv("{0}: no tensor has the name of a parameter of {1}: the file has {2}, the model has "
                                   "{3}; `as \"NAME\"` after a field of the model changes its name in files",
                                   result.file, model.name, someOf(result.unknown), someOf(result.missing)));
}

Error Matching::run() {
  for (const attn_parameter_info &info : ArrayRef(model.parameters, model.parameter_count)) {
    for (int64_t entry = 0; entry < entryCount(info); ++entry)
      for (auto [part, name] : enumerate(tensorNames(info, entry)))
        if (Error error = match(info, entry, part, name))
          return error;
  }
  addRest();
  return result.taken > 0 ? Error::success() : nothingMatches();
}

Expected<Initialisation> Initialisation::apply(ArrayRef<std::string> paths, attn_weights *weights) {
  auto files = WeightsFiles::open(paths);
  if (!files)
    return files.takeError();
  Matching matching(files->name(), files->get(), weights);
  if (Error error = matching.run())
    return std::move(error);
  return std::move(matching.result);
}

//===- The listing ------------------------------------------------------------------------------------------------===//

static std::string listing(StringRef title, ArrayRef<NamedTensor> tensors) {
  constexpr size_t mostLines = 12;
  std::vector<NamedTensor> lines = joinLists(tensors);
  std::string text;
  for (const NamedTensor &line : ArrayRef(lines).take_front(mostLines))
    text += fmt::format("    {} {}\n", printable(line.name), line.note);
  if (lines.size() > mostLines)
    text += fmt::format("    and {} more lines, which run.json has\n", lines.size() - mostLines);
  return tensors.empty() ? "" : fmt::format("  {}:\n{}", title.str(), text);
}

std::string Initialisation::text() const {
  std::string text = fmt::format("{} of {} parameters have the values of {}\n", taken, parameters, printable(file));
  text += listing("not in the file, so with their initial values", missing);
  text += listing("of another shape or type, so with their initial values", different);
  text += listing("in the file alone, so not used", unknown);
  if (states > 0)
    text += fmt::format("  states of training in the file are not used ({})\n", states);
  return text;
}

static json::Array jsonOf(ArrayRef<NamedTensor> tensors) {
  json::Array lines;
  for (const NamedTensor &line : joinLists(tensors))
    lines.push_back(printable(line.name) + " " + line.note);
  return lines;
}

json::Object Initialisation::json() const {
  return json::Object{{"file", printable(file)},        {"taken", taken},
                      {"parameters", parameters},       {"missing", jsonOf(missing)},
                      {"different", jsonOf(different)}, {"unknown", jsonOf(unknown)}};
}

} // namespace attnc
