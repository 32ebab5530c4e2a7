#include "compiler/Codegen/Host/Program.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

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

int64_t ParameterTable::firstPlace(model::GetOp get) const { return loaded[numbers.at(get.getParameter())].first; }

int64_t ParameterTable::firstPlace(func::CallOp call, unsigned operand) const {
  auto get = EntryPlan::root(call.getOperand(operand)).getDefiningOp<model::GetOp>();
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  Attribute packing = kernel.getArgAttr(operand, packedAttrName);
  if (!packing)
    return firstPlace(get);
  return findPacked(numbers.at(get.getParameter()), call.getOperand(operand).getType(), packing)->first;
}

std::string Program::runSymbol(const EntryPlan &entry) const {
  return prefix + "_" + func::FuncOp(entry.entry).getName().str() + "_run";
}

std::string Program::arenaSymbol(const EntryPlan &entry) const {
  return prefix + "_" + func::FuncOp(entry.entry).getName().str() + "_arena_bytes";
}

SizeExpr Program::prepareArenaBytes() const {
  SizeExpr bytes;
  for (const PackedParameter &each : parameters.packed)
    bytes = SizeExpr::max(bytes, each.code.sharedBytes.alignTo(arenaAlignment) +
                                     each.code.workerBytes.alignTo(arenaAlignment) * SizeExpr::symbol(0));
  return bytes;
}

//===------------------------------------------------------------------------------------------------------------===//
// Certificates
//===------------------------------------------------------------------------------------------------------------===//

/// How often the loops around `call` run it.
static int64_t timesRun(func::CallOp call) {
  int64_t times = 1;
  for (auto loop = call->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
    std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                           end = getConstantIntValue(loop.getUpperBound()), step = getConstantIntValue(loop.getStep());
    if (begin && end && step && *step > 0)
      times *= std::max<int64_t>(0, (*end - *begin + *step - 1) / *step);
  }
  return times;
}

/// Is `bytes` of the order of queries x keys? The query is the innermost outer index of the kernel's attend.
static bool holdsScores(func::FuncOp kernel, const SizeExpr &bytes, ArrayRef<std::optional<SizeExpr>> symbols,
                        unsigned symbolCount) {
  bool holds = false;
  SizeAnalysis inside = SizeAnalysis::ofKernel(kernel);
  auto outside = [&](Value size) {
    std::optional<SizeExpr> known = inside.index(size);
    return known ? substituteKnown(*known, symbols) : std::nullopt;
  };
  kernel.walk([&](attn::AttendOp attend) {
    if (attend.getOuterSizes().empty())
      return;
    std::optional<SizeExpr> queries = outside(attend.getOuterSizes().back());
    for (Value size : attend.getKeySizes()) {
      std::optional<SizeExpr> keys = outside(size);
      for (unsigned a = 0; queries && keys && a < symbolCount; ++a)
        for (unsigned b = 0; b < symbolCount; ++b)
          holds |= queries->mentions(a) && keys->mentions(b) && bytes.hasProductOf(a, b);
    }
  });
  return holds;
}

static KernelLaunch certifyLaunch(EntryPlan &entry, func::CallOp call, const CompiledKernel &kernel) {
  std::vector<std::optional<SizeExpr>> symbols = entry.sizes.kernelSymbols(call);
  auto here = [&](const SizeExpr &size) { return substituteKnown(size, symbols).value_or(SizeExpr()); };
  KernelLaunch launch;
  launch.entry = entry.entry.getName().str();
  launch.symbols = entry.symbols;
  launch.times = timesRun(call);
  launch.flops = here(kernel.code.cost.flops);
  launch.bytesRead = here(kernel.code.cost.bytesRead);
  launch.bytesWritten = here(kernel.code.cost.bytesWritten);
  SizeExpr workers = SizeExpr::symbol(entry.symbols.size() - 1);
  launch.largestIntermediate =
      SizeExpr::max(here(kernel.code.sharedBytes), here(kernel.code.workerBytes).alignTo(arenaAlignment) * workers);
  launch.scoresLive =
      holdsScores(kernel.function, launch.largestIntermediate, symbols, unsigned(entry.symbols.size() - 1));
  return launch;
}

void certify(Program &program) {
  for (EntryPlan &entry : program.entries)
    for (auto &[op, scratch] : entry.launches) {
      auto call = cast<func::CallOp>(op);
      for (CompiledKernel &kernel : program.kernels)
        if (kernel.function.getName() == call.getCallee())
          kernel.launches.push_back(certifyLaunch(entry, call, kernel));
    }
}

} // namespace attnc
