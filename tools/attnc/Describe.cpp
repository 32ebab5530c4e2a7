// attnc describe: what a compiled object, or the object that a model would become, says of itself.
#include "attn/run.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/SourceOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

namespace attnc {

static const char *elementName(int32_t dtype) {
  static constexpr const char *names[] = {"f32", "i32", "bool", "packed", "bf16", "f16"};
  return names[dtype];
}

static std::string bytesText(double bytes) {
  static constexpr const char *units[] = {"bytes", "KB", "MB", "GB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 3; ++unit)
    bytes /= 1000;
  return unit ? fmt::format("{:.1f} {}", bytes, units[unit]) : fmt::format("{} bytes", int64_t(bytes));
}

static std::string sizeText(const attn_size_info &size, const attn_dimension_info *dimensions) {
  std::string text;
  for (const attn_size_term &term : llvm::ArrayRef(size.terms, size.term_count)) {
    std::vector<std::string> factors;
    if (std::abs(term.coefficient) != 1 || term.factor_count == 0)
      factors.push_back(std::to_string(std::abs(term.coefficient)));
    for (int32_t factor : llvm::ArrayRef(term.factors, term.factor_count))
      factors.push_back(dimensions[factor].name);
    bool isNegative = term.coefficient < 0;
    text += text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    text += llvm::join(factors, "*");
  }
  return text.empty() ? "0" : text;
}

static std::string tensorText(const attn_tensor_info &tensor, const attn_dimension_info *dimensions) {
  std::vector<std::string> sizes;
  for (int32_t axis = 0; axis < tensor.rank; ++axis)
    sizes.push_back(sizeText(tensor.shape[axis], dimensions));
  std::string shape = sizes.empty() ? "" : "[" + llvm::join(sizes, ", ") + "]";
  return fmt::format("{}: {}{}", tensor.name, elementName(tensor.dtype), shape);
}

static void printEntry(const attn_entry_info &entry) {
  std::vector<std::string> inputs, results, bounds, values;
  std::vector<int64_t> dimensions;
  for (int32_t n = 0; n < entry.input_count + entry.result_count; ++n)
    (n < entry.input_count ? inputs : results)
        .push_back((n < entry.input_count && n >= entry.input_count - entry.state_count ? "state " : "") +
                   tensorText(entry.tensors[n], entry.dimensions));
  for (int32_t n = 0; n < entry.dimension_count; ++n) {
    const attn_dimension_info &dimension = entry.dimensions[n];
    if (dimension.min > 0 || dimension.max >= 0)
      bounds.push_back(fmt::format("{}{}{}", dimension.min > 0 ? fmt::format("{} <= ", dimension.min) : "",
                                   dimension.name, dimension.max >= 0 ? fmt::format(" <= {}", dimension.max) : ""));
    dimensions.push_back(dimension.max >= 0 ? dimension.max : std::max<int64_t>(dimension.min, 1));
    values.push_back(fmt::format("{} = {}", dimension.name, dimensions.back()));
  }
  fmt::print("\nentry {}({}) -> ({})\n", entry.name, llvm::join(inputs, ", "), llvm::join(results, ", "));
  if (!bounds.empty())
    fmt::print("  where {}\n", llvm::join(bounds, ", "));
  values.push_back("1 worker");
  fmt::print("  arena {} at {}\n", bytesText(entry.arena_bytes(dimensions.data(), 1)), llvm::join(values, ", "));
}

static void printParameters(const attn_model &model) {
  double values = 0, packed = 0;
  std::string lines;
  for (int64_t n = 0; n < model.parameter_count; ++n) {
    const attn_parameter_info &parameter = model.parameters[n];
    std::vector<std::string> shape;
    double count = 1;
    for (int32_t axis = 0; axis < parameter.rank; ++axis) {
      shape.push_back(std::to_string(parameter.shape[axis]));
      count *= parameter.shape[axis];
    }
    std::string list;
    for (int32_t axis = 0; axis < parameter.list_rank; ++axis) {
      list += fmt::format("{} x ", parameter.counts[axis]);
      count *= parameter.counts[axis];
    }
    values += count;
    std::string sizes = shape.empty() ? "" : "[" + llvm::join(shape, ", ") + "]";
    lines += fmt::format("  {:<32} {}{}{}{}\n", parameter.checkpoint, list, elementName(parameter.dtype), sizes,
                         parameter.embedded ? ", embedded" : "");
  }
  for (int64_t n = 0; n < model.packed_count; ++n)
    packed += model.packed_bytes[n];
  if (model.parameter_count)
    fmt::print("\nparameters: {} tensors, {:.0f} values, {} packed\n{}", model.loaded_count, values, bytesText(packed),
               lines);
}

static llvm::Error describe(const attn_model &model) {
  if (model.abi_version != ATTN_ABI_VERSION)
    return llvm::createStringError(
        fmt::format("the object has ABI version {}, this attnc knows {}", model.abi_version, ATTN_ABI_VERSION));
  fmt::print("model {} for {} (x86-64-v{})\n", model.name, model.target, model.cpu_level);
  for (int64_t n = 0; n < model.entry_count; ++n)
    printEntry(model.entries[n]);
  printParameters(model);
  fmt::print("\nkernels:\n");
  for (int64_t n = 0; n < model.kernel_count; ++n)
    fmt::print("  {:<32} {}, {} phase{}\n", model.kernels[n].name, model.kernels[n].kind, model.kernels[n].phase_count,
               model.kernels[n].phase_count == 1 ? "" : "s");
  return llvm::Error::success();
}

static ExitCode run(const SourceOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> model = options.load(exitCode);
  return model ? report(describe(model->model())) : exitCode;
}

void addDescribe(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<SourceOptions>();
  CLI::App *command =
      app.add_subcommand("describe", "Print the entry points, parameters and kernels of an object or a model");
  options->addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  command->footer("Example:\n  attnc describe out/gpt2.o");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace attnc
