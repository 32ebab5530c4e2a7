#include "tools/attnc/Call/Invocation.h"
#include "tools/attnc/Call/EntryChoice.h"
#include "tools/attnc/Call/InputValues.h"
#include "tools/attnc/Call/ParameterNames.h"
#include "tools/attnc/Call/VocabularyOption.h"
#include "tools/attnc/Messages/Messages.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

Expected<std::unique_ptr<Invocation>> Invocation::create(const attn_model &model, const InvocationOptions &options) {
  std::unique_ptr<Invocation> result(new Invocation(model));
  if (Error error = result->findEntry(options.entry))
    return std::move(error);
  if (Error error = result->makeInputs(options))
    return std::move(error);
  if (Error error = result->makeContext(options))
    return std::move(error);
  return result;
}

Error Invocation::findEntry(const std::string &name) {
  Expected<int64_t> number = chooseEntry(model, name, EntryKind());
  if (!number)
    return number.takeError();
  entryNumber = *number;
  entry = &model.entries[entryNumber];
  dimensions.assign(entry->dimension_count, -1);
  return Error::success();
}

/// A dimension in the size that is not known, that is, below 0.
static std::optional<int32_t> unknownDimension(const attn_size_info &size, ArrayRef<int64_t> dimensions) {
  for (const attn_size_term &term : ArrayRef(size.terms, size.term_count)) {
    for (int32_t dimension : ArrayRef(term.factors, term.factor_count))
      if (dimensions[dimension] < 0)
        return dimension;
    for (const attn_size_quotient &quotient : ArrayRef(term.quotients, term.quotient_count))
      if (std::optional<int32_t> unknown = unknownDimension(quotient.dividend, dimensions))
        return unknown;
  }
  return std::nullopt;
}

/// The shape of a tensor by the known dimensions; an error names a dimension that is not known.
static Expected<std::vector<int64_t>> knownShape(const attn_entry_info &entry, const attn_tensor_info &info,
                                                 ArrayRef<int64_t> dimensions) {
  std::vector<int64_t> shape;
  for (int32_t d = 0; d < info.rank; ++d) {
    if (std::optional<int32_t> unknown = unknownDimension(info.shape[d], dimensions))
      return createStringError(formatv("the size of `{0}` is not known (for '{1}'); give it by --dim {0}=SIZE",
                                       entry.dimensions[*unknown].name, info.name));
    shape.push_back(attn_size(&info.shape[d], dimensions.data()));
  }
  return shape;
}

/// The bound of random integers for an input: the smallest size of the dimensions that it subscripts, at least 1; 0 for
/// inputs that are not i32.
int64_t Invocation::boundOf(const attn_tensor_info &input, const InputRanges &ranges) const {
  constexpr int64_t unknownBound = 4;
  auto found = ranges.find(input.name);
  if (input.dtype != ATTN_I32)
    return 0;
  std::optional<int64_t> least;
  for (StringRef size : found == ranges.end() ? ArrayRef<std::string>() : ArrayRef(found->second)) {
    int64_t value = -1;
    if (size.getAsInteger(10, value))
      for (int32_t d = 0; d < entry->dimension_count; ++d)
        if (size == entry->dimensions[d].name)
          value = dimensions[d];
    if (value >= 0)
      least = std::min(least.value_or(value), value);
  }
  return std::max<int64_t>(least.value_or(unknownBound), 1);
}

DrawnInput Invocation::drawnInput(int32_t number, const InvocationOptions &options) const {
  const attn_tensor_info &info = entry->tensors[number];
  return {attn_dtype(info.dtype), boundOf(info, options.ranges), options.seed, uint64_t(number)};
}

/// Checks all sizes before the first tensor is allocated, because that tensor may be large.
Error Invocation::checkSizes() const {
  for (auto [size, dimension] : llvm::zip_equal(dimensions, ArrayRef(entry->dimensions, entry->dimension_count)))
    if (size >= 0 && (size < dimension.min || (dimension.max >= 0 && size > dimension.max)))
      return createStringError(formatv("--dim {0}={1}: expected {2}", dimension.name, size,
                                       dimension.max < 0 ? fmt::format("at least {}", dimension.min)
                                                         : fmt::format("{} to {}", dimension.min, dimension.max)));
  for (int32_t i = 0; i < entry->input_count + entry->result_count; ++i) {
    const attn_tensor_info &info = entry->tensors[i];
    auto shape = knownShape(*entry, info, dimensions);
    if (!shape) {
      consumeError(shape.takeError()); // a size that an input file determines
      continue;
    }
    auto bytes = HostTensor::bytesFor(info.name, static_cast<attn_dtype>(info.dtype), *shape);
    if (!bytes)
      return bytes.takeError();
  }
  return Error::success();
}

Error Invocation::setDimensions(ArrayRef<std::string> options) {
  SmallVector<StringRef> names;
  for (const attn_dimension_info &dimension : ArrayRef(entry->dimensions, entry->dimension_count))
    names.push_back(dimension.name);
  for (const std::string &text : options) {
    auto named = splitNamed(text, "dimension", names);
    if (!named)
      return named.takeError();
    auto [number, size] = *named;
    if (size.getAsInteger(10, dimensions[number]) || dimensions[number] < 0)
      return createStringError(formatv("--dim {0}: expected a size", text));
  }
  return checkSizes();
}

Error Invocation::makeInputs(const InvocationOptions &options) {
  if (Error error = setDimensions(options.dims))
    return error;
  auto opened = openVocabularies(options.vocabularies, options.weights);
  if (!opened)
    return opened.takeError();
  vocabularies = std::move(*opened);
  auto values = readInputValues(*entry, entry->input_count, options.inputs, vocabularies, dimensions);
  if (!values)
    return values.takeError();
  values->resize(entry->input_count + entry->result_count);
  tensors.resize(values->size());
  for (auto [number, value] : enumerate(*values)) {
    const attn_tensor_info &info = entry->tensors[number];
    auto i = int32_t(number);
    bool isInput = i < entry->input_count, isState = isInput && i >= entry->input_count - entry->state_count;
    if (value && !value->isFilling()) {
      tensors[i] = std::move(value->tensor);
      continue;
    }
    if (isInput && !value && !isState && !options.fillMissing)
      return createStringError(formatv("input '{0}' is missing; give it by --input {0}=FILE", info.name));
    auto shape = knownShape(*entry, info, dimensions);
    if (!shape)
      return shape.takeError();
    auto made = HostTensor::create(info.name, static_cast<attn_dtype>(info.dtype), std::move(*shape));
    if (!made)
      return made.takeError();
    tensors[i] = std::move(*made);
    if (isInput)
      fill(tensors[i], value ? StringRef(value->text) : isState ? "zeros" : "random", drawnInput(i, options));
  }
  return Error::success();
}

Error Invocation::makeContext(const InvocationOptions &options) {
  if (Error error = runner.start(options.threads))
    return error;
  int32_t flags = (options.allowExtra ? ATTN_ALLOW_EXTRA : 0) | (options.keepsParameters ? ATTN_KEEP_VALUES : 0);
  if (Error error = runner.loadWeights(options.weights, flags, options.seed))
    return error;
  attn_status status;
  std::vector<attn_tensor> all = viewsOf(tensors);
  attn_code code = attn_infer_dimensions(&model, entryNumber, all.data(), all.size(), dimensions.data(), &status);
  if (Error error = toError(code, status))
    return error;
  return runner.growArena(*entry, dimensions);
}

std::vector<ParameterNow> Invocation::parameters() const {
  std::vector<ParameterNow> all;
  for (const attn_parameter_info &info : ArrayRef(model.parameters, size_t(model.parameter_count))) {
    for (int64_t entry = 0; entry < entryCount(info); ++entry)
      if (const void *values = attn_weights_table(runner.context.weights)[info.first + entry])
        all.push_back({parameterName(info, entry), info, values});
  }
  return all;
}

Error Invocation::run() { return runner.call(entryNumber, viewsOf(tensors)); }

} // namespace attnc
