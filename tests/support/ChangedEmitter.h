//===- ChangedEmitter.h - emits what another emitter does, and changes it -----------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include <functional>
#include <utility>

namespace attnc {

class ChangedEmitter : public Emitter {
public:
  /// `inner` has to live as long; an empty change is none.
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
