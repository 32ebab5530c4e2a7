//===- EmitterPass.h - base class (CRTP) of passes that query emitters --------------------------------------------===//
//
// Base of a pass over a module that asks emitters, the code generators of kernels, whether they support a kernel
// (EmitterPasses.td). The derived class has the body of the pass, runFor():
//
//   struct PackWeights : EmitterPass<PackWeights, impl::PackWeightsPassBase> {
//     using EmitterPass::EmitterPass;
//     void runFor(const Target &target);
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include <memory>

namespace attnc {

#define GEN_PASS_DECL
#include "compiler/Fuse/EmitterPasses.h.inc"

template <typename Derived, template <typename> typename GeneratedBase>
class EmitterPass : public GeneratedBase<Derived> {
public:
  EmitterPass(const EmitterPass &other) : GeneratedBase<Derived>(other), emitters(other.emitters) {}
  /// `emitters` must outlive the pass. `name` is the target, an argument of Target::resolve.
  EmitterPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters, llvm::StringRef name) : emitters(emitters) {
    this->targetName = name.str();
  }

  /// Resolves the target and calls runFor(). The pass fails with an error if there is no such target.
  void runOnOperation() final {
    llvm::Expected<Target> target = Target::resolve(this->targetName);
    if (target)
      return static_cast<Derived *>(this)->runFor(*target);
    this->getOperation().emitError(llvm::toString(target.takeError()));
    this->signalPassFailure();
  }

protected:
  /// Returns the first emitter that generates code for `target`, may emit `kernel` (mayTake, RequestedEmitter.h) and
  /// supports it; null if there is none.
  const Emitter *emitterOf(mlir::func::FuncOp kernel, const Target &target) const {
    for (const std::unique_ptr<Emitter> &emitter : emitters)
      if (emitter->makesCodeFor(target) && mayTake(*emitter, kernel) && emitter->supports(kernel, target))
        return emitter.get();
    return nullptr;
  }

  /// True if an emitter for `target` has fast code for the op `sum` if it stays a sum over windows (a convolution), so
  /// that it should not be rewritten to a contraction.
  bool sumsWindows(mlir::Operation *sum, const Target &target) const {
    return llvm::any_of(emitters, [&](const std::unique_ptr<Emitter> &emitter) {
      return emitter->makesCodeFor(target) && emitter->sumsWindows(sum, target);
    });
  }

private:
  llvm::ArrayRef<std::unique_ptr<Emitter>> emitters;
};

} // namespace attnc
