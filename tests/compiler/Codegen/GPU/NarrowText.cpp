#include "tests/compiler/Codegen/GPU/NarrowText.h"
#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Narrow/NarrowKernel.h"
#include "tests/support/DeviceTensorMap.h"
#include "tests/support/ParsedModule.h"
#include <bit>
#include <gtest/gtest.h>

using namespace mlir;

namespace attnc {

std::string narrowText(const std::string &kernel, const NarrowPorts &narrow) {
  ParsedModule parsed(kernel);
  EXPECT_TRUE(parsed) << parsed.diagnostics();
  func::FuncOp function = parsed.function();
  Builder builder(parsed.get().getContext());
  llvm::SmallBitVector ports(function.getNumArguments() + function.getNumResults());
  for (unsigned number : narrow.operands)
    ports.set(number);
  for (unsigned number : narrow.results)
    ports.set(function.getNumArguments() + number);
  FloatType type = builder.getF16Type();
  if (narrow.element == ElementKind::BF16)
    type = builder.getBF16Type();
  OwningOpRef<func::FuncOp> made = narrowKernel(function, ports, type);
  if (narrow.unaligned)
    made->setArgAttr(*narrow.unaligned, unalignedAttrName, builder.getUnitAttr());
  std::string printed;
  llvm::raw_string_ostream(printed) << **made;
  return printed;
}

HostArray roundedToTf32(HostArray wide) {
  for (int64_t at = 0; at < wide.size(); ++at)
    wide.f32()[at] = std::bit_cast<float>(nearestTf32(std::bit_cast<uint32_t>(wide.f32()[at])));
  return wide;
}

std::vector<HostArray> stored(std::vector<HostArray> operands, const NarrowPorts &ports) {
  for (unsigned number : ports.operands)
    operands[number] = operands[number].storedAs(ports.element);
  return operands;
}

std::vector<HostArray> widened(std::vector<HostArray> operands) {
  for (HostArray &operand : operands)
    if (operand.kind == ElementKind::BF16 || operand.kind == ElementKind::F16)
      operand = operand.widened();
  return operands;
}

double unitOf(ElementKind narrow) { return narrow == ElementKind::BF16 ? 0x1p-8 : 0x1p-11; }

} // namespace attnc
