#include "tools/attnc/Generate/WriterInputs.h"
#include "tools/attnc/Call/InputValues.h"
#include "tools/attnc/Generate/TextForm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

/// Whether an option has the value of an input: a number of the sampler, or the seed.
bool WriterInputs::isOfSampler(const attn_tensor_info &info) const {
  bool isNumber =
      info.rank <= 1 && (info.dtype == ATTN_I32 || (info.dtype == ATTN_F32 && StringRef(info.name) != "seed"));
  return isNumber && (StringRef(info.name) == "seed" || options.choice.count(info.name));
}

/// Rejects options for inputs that the entry points do not have.
Error WriterInputs::checkChoice(StringRef writer) const {
  for (const auto &[name, option] : options.said) {
    bool isInput = any_of(inputs, [&](const attn_tensor_info *info) { return info->name == name; });
    if (option->count() > 0 && (name != "seed" || !options.weights.empty()) && !isInput)
      return createStringError(formatv("{0} has no effect: the model fixes the sampler of '{1}'; with `decoding.draw` "
                                       "each call takes temperature, top_k, top_p and seed",
                                       option->get_name(), writer));
  }
  return Error::success();
}

/// The value of an input of tokens for one row, in the form of a prompt. A row of words has its end, as in training.
static Expected<HostTensor> textOfRow(const attn_tensor_info &info, StringRef value, const Vocabularies &vocabularies) {
  auto vocabulary = vocabularies.forText(info.name);
  if (!vocabulary)
    return vocabulary.takeError();
  TextForm form = TextForm::of(value, *vocabulary);
  auto tokens = tokensOf(value, "the input '" + Twine(info.name) + "'", form, &Vocabulary::rowOf);
  if (!tokens)
    return tokens.takeError();
  HostTensor row(ATTN_I32, {1, int64_t(tokens->size())});
  copy(*tokens, row.integers());
  return row;
}

/// The value of an input for one row, if `value` is no file: tokens like a prompt, or the number of the row.
static Expected<std::optional<HostTensor>> valueOfRow(const attn_tensor_info &info, StringRef value,
                                                      const Vocabularies &vocabularies) {
  if (sys::fs::is_regular_file(value) || value.starts_with("words:") || value.starts_with("label:"))
    return std::nullopt;
  if (info.dtype == ATTN_I32 && info.rank == 2) {
    auto row = textOfRow(info, value, vocabularies);
    if (!row)
      return row.takeError();
    return std::move(*row);
  }
  double number;
  int32_t whole;
  if (info.dtype == ATTN_BOOL || info.rank != 1 || value.getAsDouble(number))
    return std::nullopt;
  if (info.dtype == ATTN_I32 && value.getAsInteger(10, whole))
    return createStringError(formatv("--input {0}={1}: expected a whole number", info.name, value));
  HostTensor one(attn_dtype(info.dtype), {1});
  one.set(0, number);
  return one;
}

/// Reads the option NAME=VALUE if VALUE is no file. Returns whether it is one, and sets `name` to NAME.
Expected<bool> WriterInputs::readText(const std::string &option, std::string &name) {
  SmallVector<const attn_tensor_info *> others;
  SmallVector<StringRef> names;
  for (const attn_tensor_info *info : inputs)
    if (!isOfSampler(*info)) {
      others.push_back(info);
      names.push_back(info->name);
    }
  auto named = splitNamed(option, "input", names);
  if (!named)
    return named.takeError();
  name = names[named->first].str();
  auto row = valueOfRow(*others[named->first], named->second, vocabularies);
  if (!row)
    return row.takeError();
  if (*row && !given.try_emplace(name, **row).second)
    return createStringError(formatv("--input {0}: input '{1}' has its values already", option, name));
  return !*row;
}

/// Reads the options `files`, whose inputs the entry point has.
Error WriterInputs::readFiles(const attn_entry_info &entry, ArrayRef<std::string> files) {
  std::vector<int64_t> dimensions(size_t(entry.dimension_count), -1);
  auto values = readInputValues(entry, entry.input_count, files, vocabularies, dimensions);
  if (!values)
    return values.takeError();
  for (auto [info, value] : zip_equal(ArrayRef(entry.tensors, size_t(entry.input_count)), *values))
    if (value && value->isFilling())
      return createStringError(formatv("--input {0}={1}: expected a file or a number", info.name, value->text));
    else if (value)
      given[info.name] = std::move(value->tensor);
  return Error::success();
}

/// Adds the lengths of texts: an input `source_length`, if no option sets it, is the number of tokens of `source`.
void WriterInputs::addLengths() {
  for (const attn_tensor_info *info : inputs) {
    StringRef text = info->name;
    if (info->dtype != ATTN_I32 || info->rank != 1 || !text.consume_back("_length"))
      continue;
    auto found = given.find(text.str());
    if (found == given.end() || found->second.shape.size() != 2)
      continue;
    HostTensor length(ATTN_I32, {found->second.shape[0]});
    std::fill_n(length.integers(), length.count(), int32_t(found->second.shape[1]));
    given.try_emplace(info->name, std::move(length));
  }
}

Error WriterInputs::read(StringRef writer, ArrayRef<const attn_entry_info *> entries, IsOfLoop isOfLoop) {
  StringMap<const attn_entry_info *> entryOf; // one that has the input
  for (const attn_entry_info *entry : entries)
    for (const attn_tensor_info &info : ArrayRef(entry->tensors, size_t(entry->input_count - entry->state_count)))
      if (!isOfLoop(info.name) && entryOf.try_emplace(info.name, entry).second)
        inputs.push_back(&info);
  if (Error error = checkChoice(writer))
    return error;
  std::map<const attn_entry_info *, std::vector<std::string>> files;
  for (const std::string &option : options.inputs) {
    std::string name;
    auto isFile = readText(option, name);
    if (!isFile)
      return isFile.takeError();
    if (*isFile)
      files[entryOf[name]].push_back(option);
  }
  for (const auto &[entry, texts] : files)
    if (Error error = readFiles(*entry, texts))
      return error;
  addLengths();
  for (const attn_tensor_info *info : inputs)
    if (!isOfSampler(*info) && !given.count(info->name))
      return createStringError(formatv("'{0}' takes `{1}`; give it by --input {1}=FILE", writer, info->name));
  return Error::success();
}

Expected<HostTensor> WriterInputs::valueOf(const attn_tensor_info &info, int32_t seed) const {
  StringRef name = info.name;
  if (auto found = given.find(name.str()); found != given.end())
    return found->second;
  auto made = HostTensor::create(name, static_cast<attn_dtype>(info.dtype), std::vector<int64_t>(size_t(info.rank), 1));
  if (!made)
    return made;
  auto chosen = options.choice.find(name.str());
  made->set(0, chosen == options.choice.end() ? double(seed) : chosen->second);
  return made;
}

} // namespace attnc
