// attnc explain: the kernels of a model, the fusions in them, the edges that were not fused with reasons, and the
// costs.
#include "compiler/Codegen/Schedule/KernelForms.h"
#include "compiler/Derive/Residuals.h"
#include "compiler/Fuse/Explanation.h"
#include "compiler/Memory/Peak.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Explain/ExplainPage.h"
#include "tools/attnc/Explain/ExplainedJson.h"
#include "tools/attnc/Explain/ExplainedText.h"
#include "tools/attnc/Explain/MeasureModel.h"
#include "tools/attnc/Explain/Summary.h"
#include "tools/attnc/Options/AssemblerOption.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

/// Prints the residuals that the backward pass of a loop reads from memory, and those that it recomputes.
static void printResiduals(func::FuncOp entry, llvm::ArrayRef<int64_t> sizes, llvm::raw_ostream &out) {
  for (const Residual &residual : residualsOf(entry))
    if (int64_t bytes = residual.bytes.evaluate(sizes)) // a remainder without iterations has none
      out << (residual.kept ? "  stored      " : "  recomputed  ") << nameOf(residual) << ": " << megabytes(bytes)
          << " over all iterations\n";
}

static void printMemory(const EntryPlan &entry, const NamedSizes &at, llvm::raw_ostream &out) {
  func::FuncOp function = entry.entry;
  out << "memory of " << function.getName();
  llvm::Expected<std::vector<int64_t>> sizes = sizesAt(entry, at);
  if (!sizes) {
    out << ": " << llvm::toString(sizes.takeError()) << '\n';
    return;
  }
  MemoryPeak peak = peakOf(entry, *sizes);
  out << " at " << sizesText(entry, *sizes) << ": an arena of " << megabytes(peak.arenaBytes) << '\n';
  printResiduals(function, *sizes, out);
  if (peak.residents.empty())
    return;
  out << "  at its peak, while " << peak.during << " runs, " << megabytes(peak.liveBytes) << " live:\n";
  printResidents(peak, 20, out);
}

/// Prints the emitter of each kernel, and the earlier emitters that do not support it, with reasons; nothing for
/// devices, which have one emitter.
static void printEmitters(const CompileOptions &options, const ExplainedModel &model, llvm::raw_ostream &out) {
  auto isAnswer = [&](const ExplainedKernel &kernel) {
    bool isRefused = kernel.isWantedSum && !kernel.refusals.empty();
    return kernel.emitter == "halide" || !kernel.predictions.empty() || isRefused;
  };
  if (options.emitter.value_or(EmitterPreference::Auto) == EmitterPreference::Auto &&
      llvm::none_of(model.kernels, isAnswer))
    return;
  out << "emitters\n";
  for (const ExplainedKernel &kernel : model.kernels) {
    out << "  " << kernel.name << ": " << kernel.emitter;
    for (const auto &[key, text] : kernel.schedule)
      if (key == "halide")
        out << ", " << text;
    std::string by;
    for (const auto &[emitter, seconds] : kernel.predictions) {
      by += llvm::formatv("{0}{1:F1} us by {2}", by.empty() ? "; predicted " : ", ", 1e6 * seconds, emitter);
      if (emitter == "cpu" && kernel.isKeptSum)
        by += " as a sum over windows (--emitter cpu makes it a matrix product)";
    }
    out << by;
    for (const auto &[emitter, reason] : kernel.refusals)
      out << "; not " << emitter << ": " << reason;
    out << '\n';
  }
}

namespace {
struct ExplainOptions {
  SourceOptions source;
  AssemblerOption assembler;
  bool measures = false, json = false, all = false;
  std::string page;    ///< path of the page; empty: none
  std::string machine; ///< path of a file
  int repetitions = 5;
};
} // namespace

static void printText(const ExplainOptions &options, const Compilation &made, const ExplainedModel &model) {
  const CompileOptions &compiled = options.source.compile;
  printExplanation(*made.module, llvm::outs());
  printEmitters(compiled, model, llvm::outs());
  if (!made.storage.empty())
    printStorage(made.storage, nameOf(compiled.precision), llvm::outs());
  for (auto [entry, explained] : llvm::zip_equal(made.program.entries, model.entries)) {
    printMemory(entry, compiled.at, llvm::outs());
    printCosts(model, explained, llvm::outs());
  }
  if (!made.program.images.empty()) {
    llvm::SmallVector<func::FuncOp> kernels;
    for (const CompiledKernel &each : made.program.kernels)
      kernels.push_back(each.function);
    printForms(kernels, llvm::outs());
    printResources(options.assembler.resourcesOf(made.program), llvm::outs());
  }
}

/// The machine for predictions: that of --machine, that of the file of `attnc machine`, or defaults; null for devices.
static llvm::Expected<std::optional<Machine>> machineOf(const ExplainOptions &options, const Target &target) {
  if (target.isDevice && !options.machine.empty())
    return llvm::createStringError("--machine describes a processor, but " + options.source.compile.target +
                                   " is a device");
  if (target.isDevice)
    return std::nullopt;
  std::string kept = defaultMachinePath();
  if (options.machine.empty() && !llvm::sys::fs::exists(kept))
    return defaultMachine(target.f32Lanes);
  llvm::Expected<Machine> machine = readMachine(options.machine.empty() ? kept : options.machine);
  if (!machine)
    return machine.takeError();
  return std::move(*machine);
}

/// The path relative to the working directory, for a file in it or below, so that source locations are relative.
static std::string relativePath(llvm::StringRef path) {
  llvm::SmallString<128> directory;
  if (llvm::StringRef below = path;
      !llvm::sys::fs::current_path(directory) && below.consume_front(directory) && below.consume_front("/"))
    return below.str();
  return path.str();
}

static ExitCode run(const ExplainOptions &options) {
  CompileOptions compiled = options.source.compile;
  compiled.input = relativePath(compiled.input);
  llvm::Expected<Target> target = Target::resolve(compiled.target);
  if (llvm::Error error = target ? options.assembler.checkUse(*target) : target.takeError())
    return report(std::move(error));
  if (target->isDevice && options.measures)
    return refuse(compiled.target + " is a device: --measure times the kernels of processors");
  llvm::Expected<std::optional<Machine>> machine = machineOf(options, *target);
  if (!machine)
    return report(machine.takeError());
  if (!target->isDevice) // there is no prediction for devices
    compiled.dump = Phase::Plan;
  Compilation made;
  Outcome outcome = compile(compiled, made, llvm::errs());
  if (outcome != Outcome::Done)
    return static_cast<ExitCode>(outcome);
  NamedSizes assumed;
  if (!options.all && !options.json)
    assumed = assumedSizes(made.program.entries, compiled.at);
  CompileOptions sized = compiled;
  llvm::append_range(sized.at, assumed);
  ExplainedModel model = explain(made, sized, *target, *machine);
  if (options.measures)
    if (ExitCode failed = measureModel(model, options.source, {options.repetitions, 0.2}); failed != ExitCode::Success)
      return failed;
  if (options.json)
    writeJson(model, llvm::outs());
  else if (options.all)
    printText(options, made, model);
  else
    printSummary(model, assumed, llvm::outs());
  return options.page.empty() ? ExitCode::Success : report(writePage(options.page, pageOf(model)));
}

void addExplain(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App *command =
      addCommand(app, "explain", "Print the fusions made, the edges left and why, and the cost of each kernel");
  options->source.addTo(*command, SourceOptions::Takes::Models);
  options->source.takeTraining(*command);
  options->assembler.addTo(*command);
  command->add_flag("--measure", options->measures,
                    "Call each entry point with random inputs of the sizes of --at (workers=1), and time its kernels");
  command
      ->add_option("--repetitions", options->repetitions,
                   "With --measure: minimum number of calls, of which the median is reported")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      ->add_option(
          "--machine", options->machine,
          "The parameters of the cost model, written by `attnc machine` (its default file, or defaults for the target)")
      ->type_name("FILE");
  command->add_flag("--all", options->all,
                    "Print all decisions, emitters, memory and costs by kernel symbol, instead of one screen");
  command->add_flag("--json", options->json, "Print JSON (docs/explain.md)");
  command->add_option("--html", options->page, "Also write an HTML page with graph, roofline, arena and masks")
      ->type_name("FILE");
  command->footer("Example:\n  attnc explain examples/gpt2/gpt2.attn --set layers=2 --at batch=1,seq=128 --measure");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace attnc
