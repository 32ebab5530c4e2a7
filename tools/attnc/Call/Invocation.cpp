#include "tools/attnc/Call/Invocation.h"
#include "compiler/ElementTypes/ElementType.h"
#include "tools/attnc/Call/EntryChoice.h"
#include "tools/attnc/Messages/Messages.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
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

/// Splits `name=value` and finds the name among `count` candidates.
template <class NameOf>
static Expected<std::pair<int64_t, StringRef>> splitNamed(StringRef text, StringRef what, int64_t count,
                                                          NameOf nameOf) {
  auto [name, value] = text.split('=');
  std::string names;
  for (int64_t i = 0; i < count; ++i) {
    if (name == nameOf(i) && text.contains('='))
      return std::make_pair(i, value);
    names += (i ? ", " : "") + std::string(nameOf(i));
  }
  if (!text.contains('='))
    return createStringError(formatv("'{0}': expected name=value", text));
  return createStringError(
      formatv("no {0} '{1}'; the entry point has {2}", what, name, names.empty() ? "none" : names));
}

static void fill(HostTensor &tensor, StringRef how, DrawnInput drawn) {
  if (how.consume_front("random:"))
    how.getAsInteger(10, drawn.bound);
  for (int64_t i = 0, n = tensor.count(); i < n; ++i)
    tensor.set(i, how == "zeros" ? 0 : how == "iota" ? double(i) : drawn.at(i));
}

static bool isFilling(StringRef how) {
  int64_t bound;
  return how == "zeros" || how == "iota" || how == "random" ||
         (how.consume_front("random:") && !how.getAsInteger(10, bound) && bound > 0);
}

/// The shape of a tensor by the known dimensions; an error names a dimension that is not known.
static Expected<std::vector<int64_t>> knownShape(const attn_entry_info &entry, const attn_tensor_info &info,
                                                 ArrayRef<int64_t> dimensions) {
  std::vector<int64_t> shape;
  for (int32_t d = 0; d < info.rank; ++d) {
    for (const attn_size_term &term : ArrayRef(info.shape[d].terms, info.shape[d].term_count))
      for (int32_t dimension : ArrayRef(term.factors, term.factor_count))
        if (dimensions[dimension] < 0)
          return createStringError(formatv("the size of `{0}` is not known (for '{1}'); give it by --dim {0}=SIZE",
                                           entry.dimensions[dimension].name, info.name));
    shape.push_back(attn_size(&info.shape[d], dimensions.data()));
  }
  return shape;
}

/// Reads the inputs that are in files, which may determine dimensions; records in `fillings` how others are filled.
Error Invocation::readInputs(const InvocationOptions &options, std::vector<std::string> &fillings) {
  for (const std::string &text : options.inputs) {
    auto named = splitNamed(text, "input", entry->input_count, [&](int64_t i) { return entry->tensors[i].name; });
    if (!named)
      return named.takeError();
    fillings[named->first] = named->second.str();
    if (isFilling(named->second))
      continue;
    if (named->second.starts_with("random:"))
      return createStringError(formatv("--input {0}: expected a number above 0 after `random:`", text));
    auto tensor = readTensor(named->second.str());
    if (!tensor)
      return tensor.takeError();
    const attn_tensor_info &info = entry->tensors[named->first];
    for (int32_t d = 0; d < info.rank && d < int32_t(tensor->shape.size()); ++d)
      if (int64_t dimension = attn_size_dimension(&info.shape[d]); dimension >= 0)
        dimensions[dimension] = tensor->shape[d];
      // A file may contain a state in f32; it is converted to the type in which the state is stored.
    bool isNarrow = narrowFormat(attn_dtype(info.dtype));
    if (isNarrow && tensor->dtype == ATTN_F32)
      tensor = tensor->narrowedTo(attn_dtype(info.dtype), named->second);
    if (!tensor)
      return tensor.takeError();
    tensors[named->first] = std::move(*tensor);
  }
  return Error::success();
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

Error Invocation::makeInputs(const InvocationOptions &options) {
  for (const std::string &text : options.dims) {
    auto named =
        splitNamed(text, "dimension", entry->dimension_count, [&](int64_t i) { return entry->dimensions[i].name; });
    if (!named)
      return named.takeError();
    if (named->second.getAsInteger(10, dimensions[named->first]) || dimensions[named->first] < 0)
      return createStringError(formatv("--dim {0}: expected a size", text));
  }
  if (Error error = checkSizes())
    return error;
  tensors.resize(entry->input_count + entry->result_count);
  std::vector<std::string> fillings(tensors.size());
  if (Error error = readInputs(options, fillings))
    return error;
  for (int32_t i = 0; i < entry->input_count + entry->result_count; ++i) {
    const attn_tensor_info &info = entry->tensors[i];
    bool isInput = i < entry->input_count, isGiven = !fillings[i].empty();
    bool isState = isInput && i >= entry->input_count - entry->state_count;
    if (isGiven && !isFilling(fillings[i]))
      continue;
    if (isInput && !isGiven && !isState && !options.fillMissing)
      return createStringError(formatv("input '{0}' is missing; give it by --input {0}=FILE", info.name));
    auto shape = knownShape(*entry, info, dimensions);
    if (!shape)
      return shape.takeError();
    auto made = HostTensor::create(info.name, static_cast<attn_dtype>(info.dtype), std::move(*shape));
    if (!made)
      return made.takeError();
    tensors[i] = std::move(*made);
    if (isInput)
      fill(tensors[i], isGiven ? StringRef(fillings[i]) : isState ? "zeros" : "random", drawnInput(i, options));
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
    int64_t entries = 1;
    for (int64_t count : ArrayRef(info.counts, size_t(info.list_rank)))
      entries *= count;
    for (int64_t entry = 0; entry < entries; ++entry) {
      std::string name(attn_parameter_name(&info, entry, nullptr, 0), '\0');
      attn_parameter_name(&info, entry, name.data(), name.size() + 1);
      if (const void *values = attn_weights_table(runner.context.weights)[info.first + entry])
        all.push_back({name, info, values});
    }
  }
  return all;
}

Error Invocation::run() { return runner.call(entryNumber, viewsOf(tensors)); }

} // namespace attnc
