#include "compiler/Narrow/StoredBytes.h"
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Codegen/Interface/PanelPacking.h"

using namespace mlir;

namespace attnc {

void StoredBytes::count(func::FuncOp entry, const StorageGroups &groups) {
  SymbolicShapes shapes(entry, SymbolicShapes::Lifetime::Stays);
  SizeExpr elementBytes(element.getWidth() / 8);
  SmallVector<Value> narrowResults; // narrow results of kernels
  entry.walk([&](func::CallOp call) {
    llvm::copy_if(call.getResults(), std::back_inserter(narrowResults),
                  [&](Value each) { return groups.isNarrow(each); });
  });
  entry.walk([&](func::CallOp reader) {
    for (OpOperand &operand : reader->getOpOperands()) {
      if (!groups.isNarrow(operand.get()))
        continue;
      countPacked(reader, operand.getOperandNumber());
      for (Value result : narrowResults)
        if (groups.areInOneGroup(result, operand.get()))
          edgeBytes[{result.getDefiningOp<func::CallOp>().getCallee().str(), reader.getCallee().str(),
                     entry.getName().str(), shapes.text(shapes.bytes(result))}] =
              shapes.text(shapes.elements(result) * elementBytes);
    }
  });
}

void StoredBytes::countPacked(func::CallOp call, unsigned operand) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  auto get = skipFreeViews(call.getOperand(operand)).getDefiningOp<model::GetOp>();
  auto packing = PanelPacking::fromAttribute(kernel.getArgAttr(operand, packedAttrName));
  if (!get || !packing)
    return;
  int64_t bytes = packedBytes(cast<RankedTensorType>(kernel.getArgumentTypes()[operand]).clone(element), *packing);
  auto parameter = SymbolTable::lookupNearestSymbolFrom<model::ParameterOp>(call, get.getParameterAttr());
  for (int64_t count : parameter.getCounts())
    bytes *= count;
  weightBytes[{"@" + get.getParameter().str(), call.getCallee().str()}] = std::to_string(bytes);
}

void StoredBytes::record(ModuleOp module, llvm::function_ref<bool(StringRef)> isNarrowAlone) const {
  changeDecisions(module, [&](Decision &decision) {
    auto edge = edgeBytes.find({decision.what, decision.into, decision.entry, decision.bytes});
    auto weight = weightBytes.find({decision.what, decision.into});
    if (!decision.isMade && edge != edgeBytes.end())
      decision.bytes = edge->second;
    else if (decision.isMade && weight != weightBytes.end() && isNarrowAlone(decision.into))
      decision.bytes = weight->second;
  });
}

} // namespace attnc
