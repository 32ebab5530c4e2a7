//===- DeduplicateKernels.cpp - attn-deduplicate-kernels ----------------------------------------------------------===//
//
// Merges kernels of equal structure, which differ only in names and source locations. If a kernel of a training step
// reads a parameter that training steps update, it is not merged with kernels that may read the parameter packed.
//
// Precondition: outlined kernels. Postcondition: no two kernels have the same structure; calls refer to the first one.
//
//   call @logits_gemm_0(%a, %w)             call @logits_gemm_0(%a, %w)
//   call @last_gemm_0(%b, %u)         →     call @logits_gemm_0(%b, %u)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/KernelStructure.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_DEDUPLICATEKERNELSPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// Returns a text that is equal for kernels that can be merged: of equal structure, with the same updated parameters.
std::string structureOf(func::FuncOp kernel, ArrayRef<unsigned> updatedParameters) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernelStructure(kernel);
  for (unsigned argument : updatedParameters)
    stream << " updates " << argument;
  return text;
}

struct DeduplicateKernels : impl::DeduplicateKernelsPassBase<DeduplicateKernels> {
  void runOnOperation() override {
    llvm::StringMap<SmallVector<unsigned>> updatedParameters; // arguments of each kernel
    UpdatedParameters updated(getOperation());
    getOperation().walk([&](func::CallOp call) {
      for (auto [number, operand] : llvm::enumerate(call.getOperands()))
        if (updated.contains(operand))
          updatedParameters[call.getCallee()].push_back(number);
    });
    llvm::StringMap<func::FuncOp> first;
    llvm::StringMap<StringRef> renamed;
    SmallVector<func::FuncOp> copies;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!isKernel(kernel) || kernel.isExternal())
        continue;
      auto [entry, isNew] = first.try_emplace(structureOf(kernel, updatedParameters[kernel.getName()]), kernel);
      if (isNew)
        continue;
      func::FuncOp kept = entry->second;
      kept->setLoc(FusedLoc::get(&getContext(), {kept.getLoc(), kernel.getLoc()}));
      renamed[kernel.getName()] = kept.getName();
      copies.push_back(kernel);
    }
    getOperation().walk([&](func::CallOp call) {
      if (auto found = renamed.find(call.getCallee()); found != renamed.end())
        call.setCallee(found->second);
    });
    for (func::FuncOp copy : copies)
      copy.erase();
  }
};

} // namespace

} // namespace attnc
