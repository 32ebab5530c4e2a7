#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include "compiler/Reference/Reference.h"
#include <fmt/format.h>

namespace attnc {

NarrowPorts portsAs(ElementKind element) { return {{0, 1, 2}, {0}, element}; }

std::string narrowText(const AttendKernel &kernel, ElementKind element) {
  return narrowText(kernel.text(), portsAs(element));
}

static std::string differenceOf(const HostArray &found, const reference::Array &expected, double limit) {
  for (int64_t i = 0; i < found.size(); ++i)
    if (!reference::agree(found.f32()[i], expected.values[i], limit))
      return fmt::format("element {} of {} is {}, expected {} (within {})", i, found.size(), found.f32()[i],
                         expected.values[i], limit);
  return "";
}

std::string tf32Text(const AttendKernel &kernel) {
  std::string text = kernel.text(), before = "attn.kernel = \"attend\"";
  return text.replace(text.find(before), before.size(), before + ", attn.tf32");
}

std::vector<HostArray> roundedToTf32(std::vector<HostArray> operands) {
  for (HostArray &operand : llvm::MutableArrayRef(operands).take_front(3))
    operand = roundedToTf32(std::move(operand));
  return operands;
}

std::string narrowDifference(const AttendKernel &kernel, KernelRunner &runner, const std::vector<HostArray> &operands,
                             ElementKind element, std::optional<double> limit) {
  NarrowPorts ports = element == ElementKind::F32 ? NarrowPorts{} : portsAs(element);
  return narrowDifference(kernel.text(), ports, runner, operands, kernel.resultShapes(), limit);
}

std::string narrowDifference(const std::string &text, const NarrowPorts &ports, KernelRunner &runner,
                             const std::vector<HostArray> &operands,
                             const std::vector<std::vector<int64_t>> &resultShapes, std::optional<double> limit) {
  if (!runner)
    return runner.message();
  std::vector<HostArray> narrow = stored(operands, ports);
  std::vector<reference::Array> inputs;
  for (const HostArray &operand : widened(narrow))
    inputs.push_back(toReference(operand));
  ParsedModule parsed(text);
  auto expected = reference::interpret(parsed.function(), inputs);
  if (!expected)
    return llvm::toString(expected.takeError());
  double unit = limit.value_or(unitOf(ports.element));
  std::vector<HostArray> first;
  for (bool reversed : {false, true}) {
    RunOptions options;
    options.reversed = reversed;
    options.placement = reversed ? Placement::AgainstStart : Placement::AgainstEnd;
    std::vector<HostArray> found = runner.run(narrow, resultShapes, options);
    if (!runner)
      return runner.message();
    for (size_t number = 0; number < found.size(); ++number) {
      HostArray wide = number == 0 ? widened(found)[0] : found[number];
      if (std::string differs = differenceOf(wide, (*expected)[number], number == 0 ? unit : attendTolerance);
          !differs.empty())
        return fmt::format("result {}: {}", number, differs);
      if (!first.empty() && first[number].bytes != found[number].bytes)
        return "other bits when blocks run in reverse";
    }
    first = std::move(found);
  }
  return "";
}

} // namespace attnc
