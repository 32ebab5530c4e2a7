#include "compiler/Pipeline/PackWeights.h"
#include "compiler/Codegen/CPU/Packing.h"
#include "compiler/Fuse/Explanation.h"
#include "compiler/Memory/Plan.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {

/// The parameters that calls of `kernel` pass as `argument`; nothing where one passes something else.
static std::optional<SmallVector<model::GetOp>> parametersPassed(ModuleOp module, func::FuncOp kernel,
                                                                 unsigned argument) {
  SmallVector<model::GetOp> parameters;
  WalkResult result = module.walk([&](func::CallOp call) -> WalkResult {
    if (call.getCallee() != kernel.getName())
      return WalkResult::advance();
    auto get = EntryPlan::root(call.getOperand(argument)).getDefiningOp<model::GetOp>();
    if (!get)
      return WalkResult::interrupt();
    parameters.push_back(get);
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional(parameters);
}

void packWeights(ModuleOp module, const Target &target) {
  for (auto kernel : module.getOps<func::FuncOp>()) {
    auto kind = kernel->getAttrOfType<StringAttr>("attn.kernel");
    if (!kind || kind.getValue() != "gemm")
      continue;
    std::optional<OperandPacking> wanted = preferredPacking(kernel, target);
    if (!wanted)
      continue;
    std::optional<SmallVector<model::GetOp>> parameters = parametersPassed(module, kernel, wanted->argument);
    if (!parameters)
      continue;
    kernel.setArgAttr(wanted->argument, "attn.packed", wanted->packing.attribute(module.getContext()));
    auto type = cast<RankedTensorType>(kernel.getArgumentTypes()[wanted->argument]);
    for (model::GetOp get : *parameters) {
      bool plainToo = llvm::any_of(get->getUsers(), [&](Operation *user) {
        auto call = dyn_cast<func::CallOp>(user);
        return call && call.getCallee() != kernel.getName();
      });
      Decision decision;
      decision.made = true;
      decision.reason = plainToo ? Reason::WeightPackedBeside : Reason::WeightPacked;
      decision.what = get.getParameter().str();
      decision.into = kernel.getName().str();
      decision.entry = get->getParentOfType<func::FuncOp>().getName().str();
      decision.bytes = std::to_string(packedBytes(type, wanted->packing));
      if (!llvm::is_contained(recordedDecisions(module), decision))
        recordDecision(module, decision);
    }
  }
}

} // namespace attnc
