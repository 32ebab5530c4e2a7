#include "tests/programs/ProgramCheck.h"
#include "compiler/Reference/RoundingSamples.h"
#include "compiler/Reference/StorageBound.h"
#include "compiler/Reference/Tolerance.h"
#include "tests/e2e/CompiledModel.h"
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace attnc::programs {

using reference::Array;
using reference::Element;

namespace {

//===-------------------------------------------- calls -------------------------------------------------------===//

/// A result or a parameter after a call: its bytes and the oracle's values.
struct Found {
  std::string name;
  int32_t dtype;
  const std::vector<char> &bytes;
  const Array &exact;
  std::string parameter = ""; ///< name of the updated parameter; "" for results
  double storage = 0;         ///< bound of the error by storage in 16 bits

  double at(size_t place) const { return e2e::elementAt(bytes, dtype, place); }
};

/// The oracle's results and updated parameters of a call.
struct Exact {
  std::vector<Array> results;
  reference::Parameters updates;
};

class EntryCheck {
public:
  EntryCheck(const RandomProgram &program, const e2e::CompiledModel &model, const attn_entry_info &entry)
      : program(program), model(model), entry(entry),
        function(model.imported().lookupSymbol<mlir::func::FuncOp>(entry.name)) {
    for (int32_t number = 0; number < entry.dimension_count; ++number)
      dimensions.push_back(sizeOf(entry.dimensions[number].name));
    for (int32_t number = 0; number < entry.input_count; ++number)
      inputs.push_back(draw(entry.tensors[number]));
  }

  /// Returns a description of the first difference, or "" if all agree.
  std::string difference();

private:
  int64_t sizeOf(const std::string &name) const {
    auto found = program.sizes.find(name);
    return found == program.sizes.end() ? 2 : found->second;
  }
  bool isEmpty() const { return llvm::is_contained(dimensions, 0); }
  /// Returns the number of positions that a call of an entry point made by `incremental` computes.
  int64_t positions() const {
    for (int32_t number = 0; number < entry.dimension_count; ++number)
      if (std::string(entry.dimensions[number].name) == "seq")
        return dimensions[number];
    return 1;
  }
  /// Returns the unit roundoff of stored tensors: 0 if they are f32, as in entry points that train.
  double roundoff() const {
    return entry.updates ? 0 : program.precision == "bf16" ? 0x1p-8 : program.precision == "f16" ? 0x1p-11 : 0;
  }

  Array draw(const attn_tensor_info &tensor) const;
  double drawInteger(const std::string &name, e2e::Random &random) const;
  llvm::Expected<Exact> interpret(reference::Rounding rounding = reference::Rounding::None) const;
  using Elements = std::vector<std::vector<size_t>>; ///< element indices per result
  llvm::Expected<Elements> overflowed(const Exact &exact) const;
  std::string differenceFrom(Exact exact, const e2e::CallResults &found) const;
  std::string differenceFromSlopes() const;

  const RandomProgram &program;
  const e2e::CompiledModel &model;
  const attn_entry_info &entry;
  mlir::func::FuncOp function;
  std::vector<int64_t> dimensions;
  std::vector<Array> inputs;
};

double EntryCheck::drawInteger(const std::string &name, e2e::Random &random) const {
  if (name == "seed" || name == "step")
    return 3;
  if (name == "length") // the number of cached positions
    return double(random.below(sizeOf("capacity") - positions() + 1));
  if (name.starts_with("carried")) // a state
    return double(random.below(5));
  if (name == "top_k")
    return double(random.below(4));
  if (name == "count")
    return double(sizeOf("seq"));
  if (name == "prompt_length")
    return double(1 + random.below(sizeOf("seq")));
  if (size_t end = name.rfind('_'); end != std::string::npos) { // the name ends in an exclusive bound
    std::string below = name.substr(end + 1);
    return double(random.below(std::max<int64_t>(1, sizeOf(below))));
  }
  if (name == "tokens" || name == "prompt")
    return double(random.below(7)); // the vocabulary of RandomProgram.cpp
  llvm::report_fatal_error(llvm::Twine("no range is known for the integer input `") + name + "`");
}

Array EntryCheck::draw(const attn_tensor_info &tensor) const {
  Element element = tensor.dtype == ATTN_I32 ? Element::I32 : tensor.dtype == ATTN_BOOL ? Element::I1 : Element::F32;
  Array array(element, e2e::shapeOf(tensor, dimensions), 0.0);
  e2e::Random random(tensor.name);
  std::string name = tensor.name;
  bool isPositive = name == "temperature" || name == "top_p";
  for (double &value : array.values)
    value = element != Element::F32    ? drawInteger(name, random)
            : isPositive               ? static_cast<float>(random.uniform(0, 1))
            : tensor.dtype == ATTN_F32 ? static_cast<float>(random.uniform(-2, 2))
                                       : random.below(65) / 16.0 - 2; // a number that 16 bits represent exactly
  return array;
}

llvm::Expected<Exact> EntryCheck::interpret(reference::Rounding rounding) const {
  Exact exact;
  auto results = reference::interpret(function, inputs, model.parameters(), &exact.updates, rounding);
  if (!results)
    return results.takeError();
  exact.results = std::move(*results);
  return exact;
}

//===-------------------------------------------- comparison --------------------------------------------------===//

/// Describes the first element that sampled roundings do not explain; returns "" if they explain all. Skips integers
/// computed from tensors in 16 bits, because a choice between near numbers may differ.
static std::string unexplained(std::vector<Found> tensors,
                               llvm::function_ref<llvm::Expected<Exact>(reference::Rounding)> interpret) {
  std::vector<reference::RoundingSamples> samples;
  for (const Found &each : tensors)
    samples.emplace_back(each.exact);
  auto first = [&]() -> std::string {
    for (auto [tensor, sample] : llvm::zip_equal(tensors, samples)) {
      if (tensor.storage > 0 && tensor.exact.element != Element::F32)
        continue;
      double limit =
          reference::tolerance(8, double(tensor.exact.terms)) * reference::largestMagnitude(tensor.exact.values, 0) +
          tensor.storage;
      for (size_t place = 0; place < tensor.exact.values.size(); ++place)
        if (!sample.explains(place, tensor.at(place), limit))
          return fmt::format("{}: element {} of {} is {}, expected {} within {} and {} of rounding", tensor.name, place,
                             tensor.exact.values.size(), tensor.at(place), tensor.exact.values[place], limit,
                             sample.movement(place));
    }
    return "";
  };
  std::string text = first();
  for (reference::Rounding rounding : reference::sampledRoundings(64)) {
    if (text.empty())
      break;
    auto sampled = interpret(rounding);
    if (!sampled)
      return text + "; a sample of rounding fails: " + llvm::toString(sampled.takeError());
    for (auto [number, tensor] : llvm::enumerate(tensors))
      samples[number].add(tensor.parameter.empty() ? sampled->results[number] : sampled->updates.at(tensor.parameter));
    text = first();
  }
  return text;
}

/// Returns the elements of results that overflow if all tensors are stored in f16, and are finite otherwise.
llvm::Expected<EntryCheck::Elements> EntryCheck::overflowed(const Exact &exact) const {
  Elements elements(exact.results.size());
  if (program.precision != "f16" || entry.updates)
    return elements;
  auto narrow = interpret(reference::Rounding::TensorsToF16);
  if (!narrow)
    return narrow.takeError();
  for (size_t number = 0; number < elements.size(); ++number)
    for (size_t place = 0; place < exact.results[number].values.size(); ++place)
      if (std::isfinite(exact.results[number].values[place]) && !std::isfinite(narrow->results[number].values[place]))
        elements[number].push_back(place);
  return elements;
}

std::string EntryCheck::differenceFrom(Exact exact, const e2e::CallResults &found) const {
  auto beyondRange = overflowed(exact);
  if (!beyondRange)
    return "the oracle says, of tensors in f16: " + llvm::toString(beyondRange.takeError());
  std::vector<double> storage(exact.results.size());
  if (roundoff() > 0) {
    auto bounds = reference::storageBounds({function, inputs, model.parameters()}, exact.results, roundoff());
    if (!bounds)
      return "the oracle says, of inputs moved by the roundoff: " + llvm::toString(bounds.takeError());
    storage = std::move(*bounds);
  }
  std::vector<Found> tensors;
  for (auto [number, bytes] : llvm::enumerate(found.bytes)) {
    const attn_tensor_info &info = e2e::resultInfo(entry, number);
    for (size_t place : (*beyondRange)[number]) // any value is accepted
      exact.results[number].values[place] = e2e::elementAt(bytes, info.dtype, place);
    tensors.push_back({info.name, info.dtype, bytes, exact.results[number], "", storage[number]});
  }
  for (auto [number, bytes] : llvm::enumerate(found.parameters)) {
    const auto &[name, dtype] = model.parameterNames()[number];
    auto updated = exact.updates.find(name);
    const Array &before = model.parameters().at(name);
    Found after{name, dtype, bytes, updated == exact.updates.end() ? before : updated->second, name};
    if (updated != exact.updates.end())
      tensors.push_back(after);
    else
      for (size_t place = 0; place < before.values.size(); ++place)
        if (after.at(place) != before.values[place])
          return fmt::format("{}: element {} is updated, and should not be", name, place);
  }
  return unexplained(std::move(tensors), [&](reference::Rounding rounding) { return interpret(rounding); });
}

/// Compares the derivative along a random direction of all inputs: gradients against central differences in double.
std::string EntryCheck::differenceFromSlopes() const {
  auto exact = interpret();
  if (!exact)
    return llvm::toString(exact.takeError());
  double slope = 0;
  auto along = [&](double step) -> double {
    std::vector<Array> moved = inputs;
    size_t next = 1; // the first result is the value
    slope = 0;
    for (Array &input : moved) {
      if (input.element != Element::F32)
        continue;
      e2e::Random random("direction" + std::to_string(next));
      const Array &gradient = exact->results[next++];
      for (auto [value, derivative] : llvm::zip_equal(input.values, gradient.values)) {
        double direction = random.uniform(-1, 1);
        slope += direction * derivative;
        value += step * direction;
      }
    }
    auto results = reference::interpret(function, moved);
    return results ? (*results)[0].values[0] : (llvm::consumeError(results.takeError()), std::nan(""));
  };
  auto differences = [&](double step) { return (along(step) - along(-step)) / (2 * step); };
  double coarse = differences(2e-5), fine = differences(1e-5);
  double allowed = 1e-6 * std::max(1.0, std::fabs(slope)) + 4 * std::fabs(coarse - fine);
  if (!std::isfinite(slope) || !std::isfinite(fine) || std::fabs(fine - slope) <= allowed)
    return "";
  return fmt::format("the slope is {} by gradients, {} by differences", slope, fine);
}

std::string EntryCheck::difference() {
  e2e::CallResults found = model.call(entry, inputs, dimensions, {});
  auto exact = interpret();
  if (!exact) {
    std::string message = llvm::toString(exact.takeError());
    return found.status == 0 && !isEmpty() ? "the oracle says: " + message : ""; // it also reads masked elements
  }
  if (found.status != 0)
    return isEmpty() ? "" : fmt::format("status {}", found.status);
  // A choice between near numbers may differ if the weights behind them are stored in 16 bits.
  bool isComparable = roundoff() == 0 || program.isSmooth;
  std::string text = isComparable ? differenceFrom(*exact, found) : "";
  if (text.empty() && program.isSmooth && entry.name == std::string("g") && model.parameterNames().empty())
    text = differenceFromSlopes();
  if (!text.empty())
    return text;
  for (e2e::CallOptions options :
       {e2e::CallOptions{2, Placement::AgainstStart}, e2e::CallOptions{3, Placement::Misaligned}}) {
    e2e::CallResults again = model.call(entry, inputs, dimensions, options);
    if (again.bytes != found.bytes || again.parameters != found.parameters)
      return fmt::format("other bits with {} workers", options.workers);
  }
  return "";
}

} // namespace

//===-------------------------------------------- programs ----------------------------------------------------===//

static CompileOptions optionsOf(const RandomProgram &program, const std::string &path) {
  CompileOptions options;
  options.input = path;
  options.reproducerDirectory = "";
  options.emitter = emitterPreferenceNamed(program.emitter).value();
  options.precision = precisionNamed(program.precision).value();
  for (const std::string &text : program.overrides)
    options.overrides.push_back(llvm::cantFail(parseOverride(text)));
  return options;
}

Verdict check(const RandomProgram &program) {
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("program-{}.attn", getpid());
  std::ofstream(path) << program.text;
  e2e::CompiledModel model(optionsOf(program, path));
  std::filesystem::remove(path);
  if (!model)
    return {model.isRefused() ? Verdict::Refused : Verdict::Wrong, model.message()};
  for (int64_t number = 0; number < model.table().entry_count; ++number) {
    const attn_entry_info &entry = model.table().entries[number];
    if (std::string text = EntryCheck(program, model, entry).difference(); !text.empty())
      return {Verdict::Wrong, fmt::format("{}: {}", entry.name, text)};
  }
  return {};
}

/// Returns all bytes until the file is closed.
static std::string readAll(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(count));
  return text;
}

Verdict checkInChild(const RandomProgram &program, unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0)
    return {Verdict::Wrong, "no pipe"};
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(seconds);
    Verdict verdict = check(program);
    std::string text = std::to_string(verdict.kind) + verdict.message;
    for (size_t done = 0; done < text.size();)
      done += size_t(std::max<ssize_t>(0, write(ends[1], text.data() + done, text.size() - done)));
    _exit(0);
  }
  close(ends[1]);
  std::string text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return {Verdict::Wrong, WTERMSIG(status) == SIGALRM ? fmt::format("takes more than {} seconds", seconds)
                                                        : fmt::format("signal {}", strsignal(WTERMSIG(status)))};
  if (text.empty() || WEXITSTATUS(status) != 0)
    return {Verdict::Wrong, fmt::format("exit status {}", WEXITSTATUS(status))};
  return {static_cast<Verdict::Kind>(text[0] - '0'), text.substr(1)};
}

} // namespace attnc::programs
