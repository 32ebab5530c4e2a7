//===- SplitKernels.cpp - attn-split-kernels ----------------------------------------------------------------------===//
//
// Splits kernels of several ops that no emitter supports as a whole. Grouping passes select ops that belong together;
// an emitter determines which orders of dimensions it can address. A sum over windows with an epilogue remains one
// kernel if an emitter has fast code for both.
//
// Precondition: outlined kernels and a target. Postcondition: every kernel is supported, or has one op. Each op of a
// split kernel is a loops kernel. A decision is recorded for each split, and for each kernel with slow code only.
//
//   call @f_gemm_0(%x, %w, %bias)                        →     %y = call @f_loops_0(%x, %w)
//   func.func private @f_gemm_0 { contraction; epilogue }      call @f_loops_1(%y, %bias)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Fuse/EmitterPass.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Groups.h"
#include "compiler/Fuse/Outliner.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_SPLITKERNELSPASS
#include "compiler/Fuse/EmitterPasses.h.inc"
namespace {

/// Inlines the kernel at its call, each op as a group of its own.
void inlineCall(func::CallOp call, func::FuncOp kernel) {
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(kernel.getArguments(), call.getOperands());
  func::FuncOp caller = call->getParentOfType<func::FuncOp>();
  Block &body = kernel.front();
  SmallVector<Operation *> copies;
  for (Operation &op : body.without_terminator())
    copies.push_back(builder.clone(op, mapping));
  for (Operation *copy : copies) // whether a fill is a computation depends on its users
    if (computesTensor(copy))
      markGroup(copy, {nextGroupNumber(caller), KernelKind::Loops});
  for (auto [result, returned] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
  call.erase();
}

struct SplitKernels : EmitterPass<SplitKernels, impl::SplitKernelsPassBase> {
  using EmitterPass::EmitterPass;
  void runFor(const Target &target) {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : hostFunctions(getOperation())) {
      SmallVector<func::CallOp> calls;
      function.walk([&](func::CallOp call) {
        auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
        std::optional<KernelKind> kind = kernel ? kernelKindOf(kernel) : std::nullopt;
        if (kind && !isTakenWhole(kernel, *kind, target))
          calls.push_back(call);
        else
          noteForm(call, function, symbols, target);
      });
      for (func::CallOp call : calls)
        split(call, function, symbols);
      if (!calls.empty())
        outlineGroups(function, symbols);
    }
  }

  bool isTakenWhole(func::FuncOp kernel, KernelKind kind, const Target &target) const {
    bool isOneLoop = kind == KernelKind::Loops && llvm::range_size(kernel.getOps<linalg::GenericOp>()) <= 1;
    if (!kernelTraits(kind).isDivisible || isOneLoop)
      return true;
    const Emitter *taker = emitterOf(kernel, target);
    return taker && taker->hasFastForm(kernel);
  }

  /// Records a decision if the emitter of a kernel has only slow code for it.
  void noteForm(func::CallOp call, func::FuncOp function, SymbolTable &symbols, const Target &target) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    const Emitter *taker = kernel && isKernel(kernel) ? emitterOf(kernel, target) : nullptr;
    if (!taker || taker->hasFastForm(kernel))
      return;
    Decision decision;
    decision.reason = Reason::PairByPair;
    decision.what = placeOf(call);
    decision.entry = function.getName().str();
    recordDecision(getOperation(), decision);
  }

  void split(func::CallOp call, func::FuncOp function, SymbolTable &symbols) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    forgetFusions(getOperation(), placesOf(kernel.getLoc()));
    Decision decision;
    decision.reason = Reason::NotOneKernel;
    decision.what = placeOf(call);
    decision.entry = function.getName().str();
    recordDecision(getOperation(), decision);
    inlineCall(call, kernel);
    if (SymbolTable::symbolKnownUseEmpty(kernel, getOperation()))
      symbols.erase(kernel);
  }
};

} // namespace

std::unique_ptr<Pass> createSplitKernelsPass(ArrayRef<std::unique_ptr<Emitter>> emitters, StringRef target) {
  return std::make_unique<SplitKernels>(emitters, target);
}

} // namespace attnc
