//===- ReuseWiderKernels.cpp - attn-reuse-wider-kernels -----------------------------------------------------------===//
//
// Calls an attention kernel that also yields `lse`, where a kernel that only lacks this result would be compiled too.
// Training saves `lse` for the gradient, so that a model which is trained and evaluated has both. `lse` takes no time
// that can be measured, and a float for each row.
//
// Precondition: no two kernels have the same structure. Postcondition: no two attention kernels differ in `lse` alone.
//
//   %y = call @accuracy_attend_0(%qkv)      %y, %lse = call @train_attend_0(%qkv)
//   %y, %lse = call @train_attend_0(%qkv)   %y, %lse = call @train_attend_0(%qkv)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/KernelStructure.h"
#include "dialects/Attn/Attn.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_REUSEWIDERKERNELSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// A kernel that yields `lse` and other statistics, and the number of the result `lse`.
struct WiderKernel {
  func::FuncOp kernel;
  unsigned lse;
};

std::optional<WiderKernel> widerKernel(func::FuncOp kernel) {
  auto attends = kernel.getOps<attn::AttendOp>();
  if (!isKernel(kernel) || attends.empty())
    return std::nullopt;
  Value lse = (*attends.begin()).getResultFor(attn::Statistic::Lse);
  OperandRange returned = kernel.front().getTerminator()->getOperands();
  auto found = llvm::find(returned, lse);
  if (!lse || returned.size() < 2 || found == returned.end())
    return std::nullopt;
  return WiderKernel{kernel, unsigned(found - returned.begin())};
}

/// The structure (KernelStructure.h) of the kernel without `lse`.
std::string structureWithoutLse(const WiderKernel &wider) {
  OwningOpRef<func::FuncOp> copy = cast<func::FuncOp>(wider.kernel->clone());
  copy->front().getTerminator()->eraseOperand(wider.lse);
  copy->setFunctionType(FunctionType::get(copy->getContext(), copy->front().getArgumentTypes(),
                                          copy->front().getTerminator()->getOperandTypes()));
  attn::AttendOp op = *copy->getOps<attn::AttendOp>().begin();
  SmallVector<attn::Statistic> statistics = op.getStatistics();
  llvm::erase(statistics, attn::Statistic::Lse);
  IRRewriter rewriter(op);
  attn::AttendOp narrower = attn::createAttendLike(rewriter, op, statistics);
  narrower->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), narrower->getRegions()))
    rewriter.inlineRegionBefore(from, to, to.end());
  for (attn::Statistic statistic : statistics)
    rewriter.replaceAllUsesWith(op.getResultFor(statistic), narrower.getResultFor(statistic));
  rewriter.eraseOp(op);
  return kernelStructure(*copy);
}

struct ReuseWiderKernels : impl::ReuseWiderKernelsPassBase<ReuseWiderKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<WiderKernel> byStructure; // of the kernels without `lse`
    for (auto kernel : module.getOps<func::FuncOp>())
      if (std::optional<WiderKernel> wider = widerKernel(kernel))
        byStructure.try_emplace(structureWithoutLse(*wider), *wider);
    if (byStructure.empty())
      return;
    llvm::StringMap<WiderKernel> replacements; // by the kernel's name
    for (auto kernel : module.getOps<func::FuncOp>()) {
      if (!isKernel(kernel) || kernel.getOps<attn::AttendOp>().empty())
        continue;
      auto found = byStructure.find(kernelStructure(kernel));
      if (found == byStructure.end())
        continue;
      func::FuncOp wider = found->second.kernel;
      wider->setLoc(FusedLoc::get(&getContext(), {wider.getLoc(), kernel.getLoc()}));
      replacements.try_emplace(kernel.getName(), found->second);
    }
    SmallVector<func::CallOp> calls;
    module.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (auto found = replacements.find(call.getCallee()); found != replacements.end())
        replace(call, found->second);
    eraseUnusedKernels(module);
  }

  static void replace(func::CallOp call, const WiderKernel &wider) {
    IRRewriter rewriter(call);
    auto replacement = func::CallOp::create(rewriter, call.getLoc(), wider.kernel, call.getOperands());
    replacement->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    SmallVector<Value> results(replacement.getResults());
    results.erase(results.begin() + wider.lse);
    rewriter.replaceOp(call, results);
  }
};

} // namespace

} // namespace attnc
