#include "tests/compiler/Codegen/CPU/AttendGradientKernels.h"
#include "compiler/Reference/Reference.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnc {

std::string AttendGradientKernel::gradientText() const {
  std::string y = tensorType(heads, false, valueDim), l = tensorType(heads, false, 0);
  std::vector<std::pair<std::string, std::string>> all;
  if (ofFactors)
    all = {{"%q", queryType()}, {"%k", keyType()}, {"%v", valueType()}};
  all.insert(all.end(), of.begin(), of.end());
  std::vector<std::string> names, types, results;
  for (auto &[name, type] : all) {
    results.push_back(all.size() == 1 ? "%r" : fmt::format("%r#{}", names.size()));
    names.push_back(name);
    types.push_back(type);
  }
  std::string resultTypes = fmt::format("{}", fmt::join(types, ", "));
  std::string out =
      fmt::format("func.func private @k({}, %dy: {}{}, %saved: {}{}) -> ({}) attributes {{attn.kernel = "
                  "\"attend_gradient\"{}}} {{\n",
                  parameters(), y, hasLseCotangent ? ", %dl: " + l : "", y, isSoftmax() ? ", %lse: " + l : "",
                  resultTypes, schedule.empty() ? "" : ", attn.schedule = {" + schedule + "}");
  out += definitions();
  out += fmt::format(
      "  {} = attn.attend_gradient {} outer(%H, %N) keys(%M) values(%E) yields [{}] cotangents({}) "
      "saved({}) of({} : {})\n",
      all.size() == 1 ? "%r" : fmt::format("%r:{}", all.size()), normaliser, hasLseCotangent ? "value, lse" : "value",
      hasLseCotangent ? fmt::format("%dy, %dl : {}, {}", y, l) : fmt::format("%dy : {}", y),
      isSoftmax() ? fmt::format("%saved, %lse : {}, {}", y, l) : "%saved : " + y, fmt::join(names, ", "), resultTypes);
  return out + regions() + fmt::format("  return {} : {}\n}}\n", fmt::join(results, ", "), resultTypes);
}

static HostArray toHost(const reference::Array &array) {
  HostArray host(std::vector<int64_t>(array.shape.begin(), array.shape.end()));
  for (int64_t i = 0; i < host.size(); ++i)
    host.f32()[i] = float(array.values[i]);
  return host;
}

std::vector<HostArray> AttendGradientKernel::gradientOperands(const std::vector<HostArray> &forward) const {
  AttendKernel kernel = *this;
  kernel.yields = isSoftmax() ? "\"value\", \"lse\"" : "\"value\"";
  kernel.schedule.clear();
  ParsedModule parsed(kernel.text());
  std::vector<reference::Array> inputs;
  for (const HostArray &operand : forward)
    inputs.push_back(toReference(operand));
  auto saved = llvm::cantFail(reference::interpret(parsed.function(), inputs));
  std::vector<HostArray> operands = forward;
  operands.push_back(HostArray::random({heads, queries, valueDim}, 11, -8, 8));
  if (hasLseCotangent)
    operands.push_back(HostArray::random({heads, queries}, 12, -8, 8));
  for (const reference::Array &each : saved)
    operands.push_back(toHost(each));
  return operands;
}

std::vector<std::vector<int64_t>> AttendGradientKernel::gradientShapes(const std::vector<HostArray> &forward) const {
  std::vector<std::vector<int64_t>> shapes;
  for (size_t number = ofFactors ? 0 : 3; number < 3 + of.size(); ++number)
    shapes.push_back(forward[number].shape);
  return shapes;
}

std::string compareGradient(ComparedKernel &compiled, const AttendGradientKernel &kernel,
                            const std::vector<HostArray> &forward, double tolerance) {
  return compiled.compare(kernel.gradientOperands(forward), kernel.gradientShapes(forward), tolerance);
}

std::string compareGradient(const AttendGradientKernel &kernel, const std::vector<HostArray> &forward, double tolerance,
                            std::string_view target) {
  return compareGradient(comparedKernel(kernel.gradientText(), target), kernel, forward, tolerance);
}

} // namespace attnc
