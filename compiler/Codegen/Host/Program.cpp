#include "compiler/Codegen/Host/Program.h"
#include "compiler/Codegen/Interface/PanelPacking.h"
#include "compiler/ElementTypes/ElementType.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc {

static func::FuncOp kernelOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

/// True if a pack kernel computes the operand.
static bool isPacked(Value operand) {
  auto call = operand.getDefiningOp<func::CallOp>();
  return call && kernelKindOf(kernelOf(call)) == KernelKind::Pack;
}

struct ParameterTable::Form {
  unsigned parameter;
  RankedTensorType type;
  DictionaryAttr packing;
  bool isAsLoaded;
};

std::string PackedParameter::layout() const {
  std::string text = elementTypeName(*elementTypeOf(type.getElementType())).str();
  text +=
      "[" + llvm::join(llvm::map_range(type.getShape(), [](int64_t size) { return std::to_string(size); }), ", ") + "]";
  std::optional<PanelPacking> panels = PanelPacking::fromAttribute(packing);
  return panels ? text + ", " + panels->text() : text;
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
    auto kernel = kernelOf(call);
    for (unsigned operand = 0; operand < call.getNumOperands(); ++operand) {
      std::optional<Form> form = table.formOf(call, operand);
      if (!form && kernel.getArgAttr(operand, packedAttrName) && !isPacked(call.getOperand(operand)))
        return call.emitError("operand ") << operand << " must be packed, but is not a parameter";
      if (!form || form->isAsLoaded || table.findPacked(*form))
        continue;
      int64_t count = table.loaded[form->parameter].count, first = table.loadedCount + table.packedCount;
      table.packed.push_back({form->parameter, kernel, form->type, form->packing, first, count, 0, {}});
      table.packedCount += count;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  module.walk([&](Operation *op) {
    if (auto get = dyn_cast<model::GetOp>(op))
      table.loaded[table.numbers.at(get.getParameter())].isRead |= table.isReadAsLoaded(get);
    if (auto set = dyn_cast<model::SetOp>(op))
      table.loaded[table.numbers.at(set.getParameter())].isRead = true;
  });
  return table;
}

/// True if a kernel reads the parameter, or a reshape of it, as loaded.
bool ParameterTable::isReadAsLoaded(Value value) const {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto call = dyn_cast<func::CallOp>(user))
      return formOf(call, use.getOperandNumber())->isAsLoaded;
    bool isReshape = user->getNumResults() == 1 && EntryPlan::root(user->getResult(0)) == EntryPlan::root(value);
    return isReshape ? isReadAsLoaded(user->getResult(0)) : !isa<tensor::DimOp>(user);
  });
}

std::optional<ParameterTable::Form> ParameterTable::formOf(func::CallOp call, unsigned operand) const {
  auto get = EntryPlan::root(call.getOperand(operand)).getDefiningOp<model::GetOp>();
  if (!get)
    return std::nullopt;
  unsigned parameter = numbers.at(get.getParameter());
  auto packing = kernelOf(call).getArgAttrOfType<DictionaryAttr>(operand, packedAttrName);
  model::ParameterOp loadedAs = loaded[parameter].op;
  bool isAsLoaded = !packing && get.getType() == loadedAs.getType();
  Type type = packing ? call.getOperand(operand).getType() : get.getType();
  return Form{parameter, cast<RankedTensorType>(type), packing, isAsLoaded};
}

const PackedParameter *ParameterTable::findPacked(const Form &form) const {
  for (const PackedParameter &each : packed)
    if (each.parameter == form.parameter && each.type == form.type && each.packing == form.packing)
      return &each;
  return nullptr;
}

int64_t ParameterTable::firstPosition(StringRef parameter) const { return loaded[numbers.at(parameter)].first; }

int64_t ParameterTable::firstPosition(func::CallOp call, unsigned operand) const {
  std::optional<Form> form = formOf(call, operand);
  return form->isAsLoaded ? loaded[form->parameter].first : findPacked(*form)->first;
}

std::vector<const KernelPhase *> Program::phases() const {
  std::vector<const KernelPhase *> all;
  for (const CompiledKernel &kernel : kernels)
    for (const KernelPhase &phase : kernel.code.phases)
      all.push_back(&phase);
  for (const MovePhase &move : moves)
    all.push_back(&move.phase);
  return all;
}

std::string Program::runSymbol(const EntryPlan &entry) const {
  return prefix + "_" + func::FuncOp(entry.entry).getName().str() + "_run";
}

std::string Program::slotsSymbol(const EntryPlan &entry) const {
  return prefix + "_" + func::FuncOp(entry.entry).getName().str() + "_slots";
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
