// attnc run: calls an entry point of a model or of a compiled object on tensors from files.
#include "compiler/Diagnostics/Printable.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Reference/Tolerance.h"
#include "tools/attnc/Call/InputValues.h"
#include "tools/attnc/Call/Oracle.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

namespace {
struct RunOptions {
  SourceOptions source;
  InvocationOptions invocation;
  std::vector<std::string> outputs; ///< FILE or RESULT=FILE
  bool check = false;
  double tolerance = 8;
};
} // namespace

/// Prints one line for a tensor: name, shape, smallest, mean and largest value, and the first few elements.
static void print(const attn_tensor_info &info, const HostTensor &tensor) {
  double smallest = NAN, largest = NAN, sum = 0; // NaNs affect only the mean
  int64_t count = tensor.count();
  for (int64_t i = 0; i < count; ++i) {
    smallest = std::fmin(smallest, tensor.at(i));
    largest = std::fmax(largest, tensor.at(i));
    sum += tensor.at(i);
  }
  std::string shape, values;
  for (size_t d = 0; d < tensor.shape.size(); ++d)
    shape += (d ? ", " : "") + std::to_string(tensor.shape[d]);
  for (int64_t i = 0; i < std::min<int64_t>(count, 6); ++i)
    values += fmt::format(" {:.6g}", tensor.at(i));
  printTo(stdout, "{}: {}[{}]", printable(info.name), elementTypeName(tensor.dtype).str(), shape);
  if (count > 0)
    printTo(stdout, "  min {:.6g}  mean {:.6g}  max {:.6g}  ={}{}", smallest, sum / double(count), largest, values,
            count > 6 ? " ..." : "");
  printTo(stdout, "\n");
}

/// "8 u sqrt(96) 1.73": the factors whose product is the limit.
static std::string formulaOf(const Deviation &deviation, double c) {
  if (!deviation.isReal)
    return deviation.ties == 0
               ? "it is exact"
               : fmt::format("it is exact, but for {} whose values are so close that rounding decides", deviation.ties);
  std::string text = fmt::format("{:g} u sqrt({}) {:.3g}", c, std::max<int64_t>(deviation.terms, 1), deviation.largest);
  if (deviation.rounding > 0)
    text += fmt::format(" + {:g} times {:.3g}, the effect of rounding", c / 8, deviation.rounding);
  if (!std::isfinite(deviation.storage))
    return text + "; rounding of stored tensors makes it infinite or NaN";
  if (deviation.storage > 0)
    text += fmt::format(" + {:.3g} of storage", deviation.storage);
  if (deviation.storedBy > deviation.storage)
    text +=
        fmt::format("; rounding of stored tensors moves it by {:.3g}, more than rounding of inputs and weights does",
                    deviation.storedBy);
  return text;
}

/// "difference 1e-8, allowed 1e-6 (...)"
static std::string textOf(const Deviation &deviation, double c) {
  return fmt::format("difference {:.3g}, allowed {:.3g} ({})", deviation.difference, deviation.limit(c),
                     formulaOf(deviation, c));
}

/// Prints one line for all updated tensors that are within their limits, with the tensor that is nearest to its limit.
static void printUpdates(ArrayRef<Deviation> deviations, double c) {
  const Deviation *nearest = nullptr;
  int64_t agreeing = 0;
  auto share = [&](const Deviation &each) { return each.difference == 0 ? 0 : each.difference / each.limit(c); };
  for (const Deviation &each : deviations) {
    if (!each.isUpdated || !each.isWithin(c))
      continue;
    ++agreeing;
    if (!nearest || share(each) > share(*nearest))
      nearest = &each;
  }
  if (nearest)
    printTo(stdout, "check {} updated parameters and states: ok; nearest to its limit is {}, largest {}\n", agreeing,
            nearest->name, textOf(*nearest, c));
}

/// Prints the deviation of each result and of the updated tensors from the oracle's; fails if one is beyond the
/// tolerance.
static Error check(const RunOptions &options, const Compilation &made, const Invocation &call,
                   const reference::Parameters &before) {
  auto deviations = compareWithOracle(options.source.compile, made, call, before, options.tolerance);
  if (!deviations)
    return deviations.takeError();
  std::string beyond;
  for (const Deviation &deviation : *deviations) {
    bool good = deviation.isWithin(options.tolerance);
    if (!good || !deviation.isUpdated)
      printTo(stdout, "check {}: largest {}: {}\n", deviation.name, textOf(deviation, options.tolerance),
              good ? "ok" : "beyond the tolerance");
    if (deviation.constant)
      warn(fmt::format("every element of {} is {:.6g}, so this check proves little; give other values by --input",
                       deviation.name, *deviation.constant));
    if (!good)
      beyond += (beyond.empty() ? "" : ", ") + deviation.name;
  }
  printUpdates(*deviations, options.tolerance);
  if (!beyond.empty())
    return createStringError("differs from the oracle by more than rounding explains: " + beyond);
  return Error::success();
}

/// The bounds of integer inputs that are subscripts; only a model file has them, not an object.
static InputRanges rangesOf(const RunOptions &options, const attn_model &model) {
  if (!options.invocation.fillMissing)
    return {};
  bool isOnly = options.invocation.entry.empty() && model.entry_count == 1;
  return options.source.rangesOf(isOnly ? std::string(model.entries[0].name) : options.invocation.entry, Phase::Derive);
}

/// Writes one result, or all results and the states, from which a later call can continue.
static Error write(const Invocation &call, StringRef output) {
  ArrayRef<attn_tensor_info> infos(call.entry->tensors, call.tensors.size());
  auto inputs = size_t(call.entry->input_count), first = inputs, count = call.tensors.size();
  StringRef path = output;
  if (output.contains('=')) {
    SmallVector<StringRef> names;
    for (const attn_tensor_info &info : infos.drop_front(inputs))
      names.push_back(info.name);
    auto named = splitNamed(output, "result", names);
    if (!named)
      return named.takeError();
    first += named->first;
    count = first + 1;
    path = named->second;
  }
  std::vector<std::pair<std::string, HostTensor>> tensors;
  auto add = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      tensors.emplace_back(infos[i].name, call.tensors[i]);
  };
  add(first, count);
  if (path.ends_with(".safetensors") && !output.contains('='))
    add(inputs - size_t(call.entry->state_count), inputs);
  auto vocabulary = call.vocabularies.forFile(tensors.empty() ? "" : infos[first].name, path);
  if (!vocabulary)
    return vocabulary.takeError();
  return writeTensors(path.str(), tensors, *vocabulary);
}

/// `made` is the compile of the model, for --check; else null.
static Error call(RunOptions &options, const Compilation *made, const attn_model &model) {
  options.invocation.ranges = rangesOf(options, model);
  options.invocation.keepsParameters = options.check;
  auto call = Invocation::create(model, options.invocation);
  if (!call)
    return call.takeError();
  reference::Parameters before; // a training step changes the parameters
  if (options.check)
    before = parametersOf(**call);
  if (Error error = (*call)->run())
    return error;
  for (size_t i = size_t((*call)->entry->input_count); i < (*call)->tensors.size(); ++i)
    print((*call)->entry->tensors[i], (*call)->tensors[i]);
  for (const std::string &output : options.outputs)
    if (Error error = write(**call, output))
      return error;
  return options.check ? check(options, *made, **call, before) : Error::success();
}

static ExitCode run(RunOptions &options) {
  if (options.check && options.source.isObject())
    return refuse("--check needs the model file, which the oracle runs");
  options.source.compile.entries = {options.invocation.entry};
  ExitCode exitCode = ExitCode::Success;
  std::unique_ptr<Compilation> made;
  std::optional<LoadedModel> loaded = options.source.load(exitCode, options.check ? &made : nullptr);
  return loaded ? report(call(options, made.get(), loaded->model())) : exitCode;
}

void addRun(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command = addCommand(app, "run", "Call an entry point of a model or an object");
  options->source.addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  options->invocation.addTo(*command);
  options->source.takeWeights(*command, options->invocation.weights);
  command
      ->add_option(
          "--output", options->outputs,
          "Write the results and states to a .safetensors file, or a single result to a file: .npy, images as a "
          "picture (.png), lines of characters (.txt), words (.words) or labels (.labels); RESULT=FILE writes "
          "one of several results")
      ->type_name("FILE");
  command->add_flag(
      "--random", options->invocation.fillMissing,
      "Draw missing inputs at random; i32 inputs below the sizes that they subscript, if the model has them");
  CLI::Option *check = command->add_flag("--check", options->check, "Compare with the double-precision oracle");
  command
      ->add_option("--tolerance", options->tolerance,
                   "For --check: the factor c in the allowed difference, c u sqrt(K) times the largest value of a "
                   "result; u is 2^-24, K the number of terms of its longest chain of sums. In addition, an element "
                   "may differ by c / 8 times the effect of random rounding")
      ->needs(check)
      ->check(atLeast(0))
      ->type_name("C")
      ->capture_default_str();
  command->footer("Example:\n  attnc run examples/gpt2/gpt2.attn --set layers=1 --entry logits --dim batch=1 "
                  "--dim seq=8 --random --check");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace attnc
