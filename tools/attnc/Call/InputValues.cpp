#include "tools/attnc/Call/InputValues.h"
#include "attn/run.h"
#include "compiler/ElementTypes/ElementTable.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Call/TypeText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>

using namespace llvm;

namespace attnc {

Expected<std::pair<size_t, StringRef>> splitNamed(StringRef option, StringRef what, ArrayRef<StringRef> names) {
  auto [name, value] = option.split('=');
  if (!option.contains('='))
    return createStringError(formatv("'{0}': expected name=value", option));
  const StringRef *found = find(names, name);
  if (found == names.end())
    return createStringError(
        formatv("no {0} '{1}'; the entry point has {2}", what, name, names.empty() ? "none" : join(names, ", ")));
  return std::make_pair(size_t(found - names.begin()), value);
}

std::optional<int64_t> leadingNumber(const attn_tensor_info &tensor) {
  if (tensor.rank == 0 || tensor.shape[0].term_count != 1 || tensor.shape[0].terms[0].factor_count > 0)
    return std::nullopt;
  return tensor.shape[0].terms[0].coefficient;
}

static bool isFilling(StringRef text) {
  int64_t bound;
  return text == "zeros" || text == "iota" || text == "random" ||
         (text.consume_front("random:") && !text.getAsInteger(10, bound) && bound > 0);
}

bool InputValues::isFilling() const { return attnc::isFilling(text); }

void fill(HostTensor &tensor, StringRef filling, DrawnInput drawn) {
  if (filling.consume_front("random:"))
    filling.getAsInteger(10, drawn.bound);
  for (int64_t i = 0, n = tensor.count(); i < n; ++i)
    tensor.set(i, filling == "zeros" ? 0 : filling == "iota" ? double(i) : drawn.at(i));
}

HostTensor repeatedFor(const attn_tensor_info &input, HostTensor tensor) {
  if (int32_t(tensor.shape.size()) == input.rank)
    return tensor;
  int64_t times = *leadingNumber(input);
  size_t bytes = tensor.bytes.size();
  tensor.shape.insert(tensor.shape.begin(), times);
  tensor.bytes.resize(bytes * size_t(times));
  for (size_t at = bytes; at < tensor.bytes.size(); at += bytes)
    std::copy_n(tensor.bytes.begin(), bytes, tensor.bytes.begin() + at);
  return tensor;
}

namespace {
/// An option --input NAME=VALUES, and the input that it names.
struct Option {
  const attn_entry_info &entry;
  const attn_tensor_info &input;
  const Vocabularies &vocabularies;
  StringRef text, value;
  bool isOfOneBatch; ///< the value may lack the first dimension

  Expected<HostTensor> read() const;
  Expected<HostTensor> number(double value) const;
  Expected<HostTensor> file() const;
  Expected<HostTensor> textOrFile() const;
  /// The number of leading dimensions that a value of this rank lacks, 0 or 1; null if the rank is wrong.
  std::optional<int32_t> lacking(size_t rank) const;
  Error mismatch(const Twine &found) const;
};
} // namespace

std::optional<int32_t> Option::lacking(size_t rank) const {
  int32_t lacking = input.rank - int32_t(rank);
  bool isRight = lacking == 0 || (lacking == 1 && isOfOneBatch && leadingNumber(input));
  return isRight ? std::optional(lacking) : std::nullopt;
}

Error Option::mismatch(const Twine &found) const {
  return createStringError(
      formatv("--input {0}: found {1}, expected {2} for '{3}'", text, found, typeText(entry, input), input.name));
}

Expected<HostTensor> Option::number(double value) const {
  if (!lacking(0))
    return createStringError(formatv("--input {0}: found a number, expected a file: '{1}' is {2}", text, input.name,
                                     typeText(entry, input)));
  HostTensor tensor(attn_dtype(input.dtype), {});
  tensor.set(0, value);
  bool isExact = input.dtype != ATTN_I32 || (value == std::trunc(value) && value >= INT32_MIN && value <= INT32_MAX);
  bool isBool = value == 0 || value == 1;
  if (!isExact || (input.dtype == ATTN_BOOL && !isBool) || (std::isfinite(value) && !std::isfinite(tensor.at(0))))
    return mismatch(this->value);
  return tensor;
}

/// The tensor of a row of words, of a label, or of a file.
Expected<HostTensor> Option::textOrFile() const {
  StringRef text = value;
  bool areWords = text.consume_front("words:"), isLabel = !areWords && text.consume_front("label:");
  auto vocabulary = areWords  ? vocabularies.find(input.name, Vocabulary::Kind::Words)
                    : isLabel ? vocabularies.find(input.name, Vocabulary::Kind::Labels)
                              : vocabularies.forFile(input.name, value);
  if (!vocabulary)
    return vocabulary.takeError();
  if (!areWords && !isLabel)
    return readTensor(value.str(), *vocabulary);
  auto row = TextLines::oneLine("--input " + this->text.str(), text.str());
  if (!row)
    return row.takeError();
  return (*vocabulary)->encode(*row);
}

Expected<HostTensor> Option::file() const {
  auto tensor = textOrFile();
  if (!tensor)
    return tensor.takeError();
  // A file may contain a state in f32; it is converted to the type in which the state is stored.
  bool isNarrow = narrowFormat(attn_dtype(input.dtype));
  std::string found = typeText(*tensor);
  if (isNarrow && tensor->dtype == ATTN_F32)
    tensor = tensor->narrowedTo(attn_dtype(input.dtype), value);
  if (!tensor)
    return tensor.takeError();
  std::optional<int32_t> first = lacking(tensor->shape.size());
  bool fits = first && tensor->dtype == input.dtype;
  for (int32_t d = first.value_or(0); fits && d < input.rank; ++d) {
    std::optional<int64_t> size = constantSize(input.shape[d]);
    fits = !size || *size == tensor->shape[d - *first];
  }
  if (!fits)
    return mismatch(found);
  return tensor;
}

Expected<HostTensor> Option::read() const {
  if (value.starts_with("random:"))
    return createStringError(formatv("--input {0}: expected a number above 0 after `random:`", text));
  double number;
  return value.getAsDouble(number) ? file() : this->number(number);
}

/// Sets the dimension n of a size a*n + b with a > 0. A rest of the division is a wrong shape, which a call reports.
static void setDimension(const attn_size_info &size, int64_t value, MutableArrayRef<int64_t> dimensions) {
  const attn_size_term *variable = nullptr;
  for (const attn_size_term &term : ArrayRef(size.terms, size.term_count)) {
    bool isNumber = term.factor_count + term.quotient_count == 0;
    if (isNumber)
      value -= term.coefficient;
    else if (variable || term.factor_count != 1 || term.quotient_count != 0 || term.coefficient <= 0)
      return;
    else
      variable = &term;
  }
  if (variable && value >= 0)
    dimensions[variable->factors[0]] = value / variable->coefficient;
}

/// Sets the dimensions whose sizes follow from those of a tensor.
static void setDimensions(const attn_tensor_info &input, const HostTensor &tensor,
                          MutableArrayRef<int64_t> dimensions) {
  int32_t first = input.rank - int32_t(tensor.shape.size());
  for (int32_t d = first; d < input.rank; ++d)
    setDimension(input.shape[d], tensor.shape[d - first], dimensions);
}

Expected<std::vector<std::optional<InputValues>>>
readInputValues(const attn_entry_info &entry, int32_t count, ArrayRef<std::string> options,
                const Vocabularies &vocabularies, MutableArrayRef<int64_t> dimensions, bool areOfOneBatch) {
  std::vector<std::optional<InputValues>> result(count);
  SmallVector<StringRef> names;
  for (const attn_tensor_info &input : ArrayRef(entry.tensors, count))
    names.push_back(input.name);
  for (const std::string &text : options) {
    auto named = splitNamed(text, "input", names);
    if (!named)
      return named.takeError();
    auto [number, value] = *named;
    if (result[number])
      return createStringError(formatv("--input {0}: input '{1}' has its values from {2} already", text, names[number],
                                       result[number]->text));
    InputValues &values = result[number].emplace();
    values.text = value.str();
    if (values.isFilling())
      continue;
    auto tensor =
        Option{entry, entry.tensors[number], vocabularies, text, value, areOfOneBatch && entry.updates}.read();
    if (!tensor)
      return tensor.takeError();
    values.tensor = std::move(*tensor);
    setDimensions(entry.tensors[number], values.tensor, dimensions);
  }
  return result;
}

} // namespace attnc
