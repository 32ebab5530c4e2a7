//===- EmitterPass.h - passes that ask emitters what they take --------------------------------------------------===//
//
// A pass over a module that has the emitters, which must outlive it, and the option `target`, a processor by name:
//
//   struct PackWeights : EmitterPass<PackWeights> {
//     using EmitterPass::EmitterPass;
//     void runFor(const Target &target);
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/AskedEmitter.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include <memory>

namespace attnc {

template <typename Derived> class EmitterPass : public mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
  using Base = mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>>;

public:
  EmitterPass(const EmitterPass &other) : Base(other), emitters(other.emitters) {}
  EmitterPass(llvm::ArrayRef<std::unique_ptr<Emitter>> emitters, llvm::StringRef name) : emitters(emitters) {
    targetName = name.str();
  }

  void runOnOperation() final {
    llvm::Expected<Target> target = Target::resolve(targetName);
    if (target)
      return static_cast<Derived *>(this)->runFor(*target);
    this->getOperation().emitError(llvm::toString(target.takeError()));
    this->signalPassFailure();
  }

protected:
  /// The first that takes the kernel, and may, or null.
  const Emitter *emitterOf(mlir::func::FuncOp kernel, const Target &target) const {
    for (const std::unique_ptr<Emitter> &emitter : emitters)
      if (emitter->makesCodeFor(target) && mayTake(*emitter, kernel) && emitter->supports(kernel, target))
        return emitter.get();
    return nullptr;
  }

  /// Whether one of them wants a sum over windows as it stands.
  bool sumsWindows(mlir::Operation *sum, const Target &target) const {
    return llvm::any_of(emitters, [&](const std::unique_ptr<Emitter> &emitter) {
      return emitter->makesCodeFor(target) && emitter->sumsWindows(sum, target);
    });
  }

private:
  typename Base::template Option<std::string> targetName{*this, "target", llvm::cl::desc("processor to ask for"),
                                                         llvm::cl::init("native")};
  llvm::ArrayRef<std::unique_ptr<Emitter>> emitters;
};

} // namespace attnc
