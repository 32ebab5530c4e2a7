#include "compiler/Codegen/Host/Program.h"

using namespace mlir;

namespace attnc {

/// Does a pack kernel make it?
static bool isPacked(Value operand) {
  auto call = operand.getDefiningOp<func::CallOp>();
  auto kernel = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()) : func::FuncOp();
  return kernel && kernelKindOf(kernel) == KernelKind::Pack;
}

FailureOr<ParameterTable> ParameterTable::of(ModuleOp module) {
  ParameterTable table;
  for (auto op : module.getOps<model::ParameterOp>()) {
    int64_t count = 1;
    for (int64_t factor : op.getCounts())
      count *= factor;
    table.numbers[op.getSymName()] = table.loaded.size();
    table.loaded.push_back({op, table.loadedCount, count});
    table.loadedCount += count;
  }
  WalkResult result = module.walk([&](func::CallOp call) -> WalkResult {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    for (unsigned operand = 0; operand < call.getNumOperands(); ++operand) {
      auto packing = kernel.getArgAttrOfType<DictionaryAttr>(operand, packedAttrName);
      if (!packing)
        continue;
      if (isPacked(call.getOperand(operand)))
        continue;
      auto get = EntryPlan::root(call.getOperand(operand)).getDefiningOp<model::GetOp>();
      if (!get)
        return call.emitError("operand ") << operand << " is to arrive packed, but is no parameter";
      unsigned parameter = table.numbers.at(get.getParameter());
      auto type = cast<RankedTensorType>(call.getOperand(operand).getType());
      if (table.findPacked(parameter, type, packing))
        continue;
      int64_t count = table.loaded[parameter].count;
      table.packed.push_back({parameter, kernel, type, packing, table.loadedCount + table.packedCount, count, 0, {}});
      table.packedCount += count;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return table;
}

const PackedParameter *ParameterTable::findPacked(unsigned parameter, Type type, Attribute packing) const {
  for (const PackedParameter &each : packed)
    if (each.parameter == parameter && each.type == type && each.packing == packing)
      return &each;
  return nullptr;
}

int64_t ParameterTable::firstPlace(StringRef parameter) const { return loaded[numbers.at(parameter)].first; }

int64_t ParameterTable::firstPlace(func::CallOp call, unsigned operand) const {
  auto get = EntryPlan::root(call.getOperand(operand)).getDefiningOp<model::GetOp>();
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  Attribute packing = kernel.getArgAttr(operand, packedAttrName);
  if (!packing)
    return firstPlace(get.getParameter());
  return findPacked(numbers.at(get.getParameter()), call.getOperand(operand).getType(), packing)->first;
}

std::string Program::runSymbol(const EntryPlan &entry) const {
  return prefix + "_" + func::FuncOp(entry.entry).getName().str() + "_run";
}

std::string Program::arenaSymbol(const EntryPlan &entry) const {
  return prefix + "_" + func::FuncOp(entry.entry).getName().str() + "_arena_bytes";
}

std::string Program::flopsSymbol(const EntryPlan &entry) const {
  return prefix + "_" + func::FuncOp(entry.entry).getName().str() + "_flops";
}

SizeExpr Program::prepareArenaBytes() const {
  SizeExpr bytes;
  for (const PackedParameter &each : parameters.packed)
    bytes = SizeExpr::max(bytes, each.code.sharedBytes.alignTo(arenaAlignment) +
                                     each.code.workerBytes.alignTo(arenaAlignment) * SizeExpr::symbol(0));
  return bytes;
}

} // namespace attnc
