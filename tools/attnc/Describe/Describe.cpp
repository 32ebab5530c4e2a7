// attnc describe: prints the table of an object, or of the object that a model is compiled to. None of its code runs.
#include "attn/processor.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Emit/ObjectTable.h"
#include "compiler/Emit/Record.h"
#include "compiler/Verify/Certificate.h"
#include "compiler/Verify/ObjectSections.h"
#include "tools/attnc/Call/TypeText.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/command-line/Command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>
#include <limits>
#include <map>

namespace attnc {

/// A text of the object, in full length.
static std::string shown(std::string_view text) { return printable(text, std::numeric_limits<size_t>::max()); }

static std::string elementName(int32_t dtype) { return elementTypeName(attn_dtype(dtype)).str(); }

static std::string bytesText(double bytes) {
  static constexpr const char *units[] = {"bytes", "KB", "MB", "GB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 3; ++unit)
    bytes /= 1000;
  return unit ? fmt::format("{:.1f} {}", bytes, units[unit]) : fmt::format("{} bytes", int64_t(bytes));
}

static std::string featuresText(uint64_t features) {
  std::vector<std::string> names;
  for (int number = 0; number < 64; ++number)
    if (features >> number & 1) {
      const char *name = attn_processor_feature_name(number);
      names.push_back(name ? name : fmt::format("feature {}", number));
    }
  return llvm::join(names, ", ");
}

static std::string tensorText(const attn_tensor_info &tensor, llvm::ArrayRef<std::string> dimensions) {
  return fmt::format("{}: {}", shown(tensor.name), typeText(tensor, dimensions));
}

/// The statements of an object's certificate about each entry point, by name; empty for an object without a record.
using Certificates = std::map<std::string, verify::EntryCertificate>;

static Certificates certificatesOf(llvm::StringRef object) {
  Certificates certificates;
  llvm::Expected<llvm::StringRef> section = verify::sectionOf(object, certificateSection);
  llvm::Expected<std::string> text = section ? decompressed(*section) : section.takeError();
  llvm::Expected<verify::Certificate> certificate = text ? verify::Certificate::parse(*text) : text.takeError();
  if (!certificate) {
    llvm::consumeError(certificate.takeError());
    return certificates;
  }
  for (verify::EntryCertificate &entry : certificate->entries)
    certificates.emplace(entry.name, std::move(entry));
  return certificates;
}

/// Whether the sizes of a certificate are functions of the dimensions in the table and the number of workers.
static bool isAbout(const verify::EntryCertificate &certificate, const attn_entry_info &entry) {
  std::vector<std::string> symbols;
  for (const attn_dimension_info &dimension : llvm::ArrayRef(entry.dimensions, entry.dimension_count))
    symbols.push_back(dimension.name);
  symbols.push_back("workers");
  return certificate.symbols == symbols;
}

/// Prints the bytes of the arena at the largest sizes, and at the smallest for dimensions without a bound; nothing
/// without a certificate.
static void printArena(const attn_entry_info &entry, llvm::ArrayRef<std::string> names,
                       const Certificates &certificates) {
  auto certificate = certificates.find(entry.name);
  if (certificate == certificates.end() || !isAbout(certificate->second, entry))
    return;
  std::vector<std::string> values;
  std::vector<int64_t> sizes;
  for (int32_t n = 0; n < entry.dimension_count; ++n) {
    const attn_dimension_info &dimension = entry.dimensions[n];
    sizes.push_back(dimension.max >= 0 ? dimension.max : std::max<int64_t>(dimension.min, 1));
    values.push_back(fmt::format("{} = {}", names[n], sizes.back()));
  }
  values.push_back("1 worker");
  sizes.push_back(1);
  printTo(stdout, "  arena {} at {}\n", bytesText(certificate->second.arenaBytes.evaluate(sizes)),
          llvm::join(values, ", "));
}

static void printEntry(const attn_entry_info &entry, const Certificates &certificates) {
  std::vector<std::string> names, inputs, results, bounds;
  for (int32_t n = 0; n < entry.dimension_count; ++n) {
    const attn_dimension_info &dimension = entry.dimensions[n];
    names.push_back(printable(dimension.name));
    if (dimension.min > 0 || dimension.max >= 0)
      bounds.push_back(fmt::format("{}{}{}", dimension.min > 0 ? fmt::format("{} <= ", dimension.min) : "",
                                   names.back(), dimension.max >= 0 ? fmt::format(" <= {}", dimension.max) : ""));
  }
  for (int32_t n = 0; n < entry.input_count + entry.result_count; ++n)
    (n < entry.input_count ? inputs : results)
        .push_back((n < entry.input_count && n >= entry.input_count - entry.state_count ? "state " : "") +
                   tensorText(entry.tensors[n], names));
  printTo(stdout, "\nentry {}({}) -> ({})\n", shown(entry.name), llvm::join(inputs, ", "), llvm::join(results, ", "));
  if (!bounds.empty())
    printTo(stdout, "  where {}\n", llvm::join(bounds, ", "));
  printArena(entry, names, certificates);
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
    if (llvm::StringRef(parameter.checkpoint).contains("[]")) { // files have a tensor for each index of this dimension
      list += shape.front() + " x ";
      shape.erase(shape.begin());
    }
    std::string sizes = shape.empty() ? "" : "[" + llvm::join(shape, ", ") + "]";
    lines += fmt::format("  {:<32} {}{}{}{}\n", shown(parameter.checkpoint), list, elementName(parameter.dtype), sizes,
                         parameter.embedded ? ", embedded" : "");
  }
  for (int64_t n = 0; n < model.packed_count; ++n)
    packed += model.packed[n].bytes;
  if (model.parameter_count)
    printTo(stdout, "\nparameters: {} tensors, {:.0f} values, {} packed\n{}", model.loaded_count, values,
            bytesText(packed), lines);
}

static void describe(const attn_model &model, const Certificates &certificates) {
  printTo(stdout, "model {} for {}\nprocessor features: {}\n", shown(model.name), shown(model.target),
          featuresText(model.features));
  for (int64_t n = 0; n < model.entry_count; ++n)
    printEntry(model.entries[n], certificates);
  printParameters(model);
  printTo(stdout, "\nkernels:\n");
  for (int64_t n = 0; n < model.kernel_count; ++n)
    printTo(stdout, "  {:<32} {}, {} phase{}\n", shown(model.kernels[n].name), shown(model.kernels[n].kind),
            model.kernels[n].phase_count, model.kernels[n].phase_count == 1 ? "" : "s");
}

static ExitCode run(const SourceOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  std::unique_ptr<llvm::MemoryBuffer> object = options.object(exitCode);
  if (!object)
    return exitCode;
  llvm::Expected<ObjectTable> table = ObjectTable::read(object->getBuffer());
  if (!table)
    return report(table.takeError());
  describe(table->model(), certificatesOf(object->getBuffer()));
  return ExitCode::Success;
}

void addDescribe(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<SourceOptions>();
  CLI::App *command =
      addCommand(app, "describe", "Print the entry points, parameters and kernels of an object or a model");
  options->addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  command->footer("Example:\n  attnc describe out/gpt2.o");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace attnc
