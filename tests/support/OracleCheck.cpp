#include "tests/support/OracleCheck.h"
#include "compiler/Reference/Reference.h"
#include "tests/support/ParsedModule.h"
#include "llvm/Support/ErrorHandling.h"
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace attnc {

static double elementAt(const HostArray &array, int64_t index) {
  switch (array.kind) {
  case ElementKind::F32:
    return array.f32()[index];
  case ElementKind::I32:
    return array.i32()[index];
  case ElementKind::I1:
    return array.i1()[index];
  case ElementKind::BF16:
  case ElementKind::F16:
    break;
  }
  llvm_unreachable("stored in 16 bits");
}

/// Returns the array as the oracle has it: 16-bit numbers are widened.
static HostArray asTheOracleHasIt(const HostArray &array) {
  bool isNarrow = array.kind == ElementKind::BF16 || array.kind == ElementKind::F16;
  return isNarrow ? array.widened() : array;
}

static reference::Array toReference(const HostArray &stored) {
  using reference::Element;
  const HostArray array = asTheOracleHasIt(stored);
  Element elements[] = {Element::F32, Element::I32, Element::I1};
  reference::Array result(elements[static_cast<int>(array.kind)], array.shape);
  for (int64_t i = 0; i < array.size(); ++i)
    result.values[i] = elementAt(array, i);
  return result;
}

static std::string compare(const HostArray &stored, const reference::Array &expected, double tolerance) {
  const HostArray found = asTheOracleHasIt(stored);
  if (expected.shape != llvm::ArrayRef<int64_t>(found.shape))
    return "the oracle's result is of shape " + reference::describe(expected.element, expected.shape);
  double limit = found.kind == ElementKind::F32 ? tolerance * reference::largestMagnitude(expected.values, 0) : 0;
  for (int64_t i = 0; i < found.size(); ++i) {
    double a = elementAt(found, i), b = expected.values[i];
    if (!reference::agree(a, b, limit))
      return fmt::format("element {} of {} is {}, expected {} (within {})", i, found.size(), a, b, limit);
  }
  return "";
}

static llvm::Expected<std::vector<reference::Array>> interpret(const OracleCheck &check, const ParsedModule &parsed) {
  std::vector<reference::Array> inputs;
  for (const HostArray &input : check.inputs)
    inputs.push_back(toReference(input));
  for (int64_t index : check.indexOperands)
    inputs.push_back(reference::Array::scalar(reference::Element::Index, index));
  return reference::interpret(parsed.function(), inputs);
}

/// Returns the compiled kernel, which tests run at many sizes; compiles it once for each target.
static KernelRunner &runnerOf(const OracleCheck &check) {
  static std::map<std::tuple<std::string, std::string, decltype(check.emitter)>, std::unique_ptr<KernelRunner>> runners;
  std::unique_ptr<KernelRunner> &runner = runners[{check.kernel, check.target, check.emitter}];
  if (!runner) {
    std::unique_ptr<Emitter> emitter = check.emitter ? check.emitter() : emitterFor(check.target);
    runner = std::make_unique<KernelRunner>(check.kernel, *emitter, check.target);
  }
  return *runner;
}

std::string differenceFromOracle(const OracleCheck &check) {
  ParsedModule parsed(check.kernel);
  if (!parsed)
    return parsed.diagnostics() + check.kernel;
  auto expected = interpret(check, parsed);
  if (!expected)
    return llvm::toString(expected.takeError());
  KernelRunner &runner = runnerOf(check);
  if (!runner)
    return runner.message();
  std::vector<HostArray> first;
  for (Placement placement : everyPlacement) {
    if (placement == Placement::Misaligned && runner.isOnDevice())
      continue; // device allocations are aligned to more than any vector
    bool isFirst = placement == Placement::AgainstEnd;
    RunOptions options{.workers = isFirst ? 1 : 2, .reversed = !isFirst, .placement = placement};
    options.indexOperands = check.indexOperands;
    std::vector<HostArray> found = runner.run(check.inputs, check.resultShapes, options);
    if (!runner)
      return runner.message();
    if (runner.status() != 0)
      return fmt::format("status {}", runner.status());
    for (size_t number = 0; number < found.size(); ++number) {
      if (std::string difference = compare(found[number], (*expected)[number], check.tolerance); !difference.empty())
        return fmt::format("result {}: {}", number, difference);
      if (!first.empty() && first[number].bytes != found[number].bytes)
        return fmt::format("result {}: other bits when chunks run in another order", number);
    }
    first = std::move(found);
  }
  return "";
}

} // namespace attnc
