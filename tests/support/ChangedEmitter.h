//===- ChangedEmitter.h - emitter that changes the code of another emitter ----------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include <functional>
#include <utility>

namespace attnc {

/// Emits kernels by another emitter and then changes the emitted code, for mutation tests.
class ChangedEmitter : public Emitter {
public:
  /// `inner` emits the kernels, and must outlive this emitter. `change` then changes the module of the emitted code in
  /// place; an empty `change` changes nothing.
  ChangedEmitter(const Emitter &inner, std::function<void(mlir::ModuleOp code)> change)
      : inner(inner), change(std::move(change)) {}

  std::string_view name() const override { return "changed"; }
  Verdict supports(mlir::func::FuncOp kernel, const Target &target) const override {
    return inner.supports(kernel, target);
  }
  mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp kernel, const Target &target,
                                   mlir::ModuleOp code) const override {
    auto made = inner.emit(kernel, target, code);
    if (succeeded(made) && change)
      change(code);
    return made;
  }

private:
  const Emitter &inner;
  std::function<void(mlir::ModuleOp code)> change;
};

} // namespace attnc
