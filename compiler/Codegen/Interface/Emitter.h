//===- Emitter.h - interface of code generators -------------------------------------------------------------------===//
//
// An emitter generates code of kernels (Kernel.h) for one kind of machine. The phase fuse queries which kernels and
// sums over windows have fast code, and the layout of weights. The phase narrow queries which kernels with 16-bit
// operands an emitter supports. The phase generate queries which results may overwrite an operand, and requests the
// code of kernels and the code that packs weights. The first emitter that supports a kernel emits it, unless
// `attn.emitter` of the kernel names another one, chosen by a strategy or by prediction (AskedEmitter.h). If an
// emitter's backend fails on a kernel, the next emitter that supports the kernel emits it, with a remark.
//
// A new emitter is a class with this interface and a line in compiler/Emitters; no phase includes its headers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Interface/PanelPacking.h"
#include <memory>
#include <string_view>

namespace attnc {

struct Target;

class Emitter {
public:
  virtual ~Emitter() = default;
  virtual std::string_view name() const = 0; ///< "cpu", as in `attn.emitter` (AskedEmitter.h)
  /// Whether its code runs on such machines; if not, no other member is called.
  virtual bool makesCodeFor(const Target &target) const { return true; }
  /// Whether the emitter has code for the kernel; otherwise the reason.
  virtual Verdict supports(mlir::func::FuncOp kernel, const Target &target) const = 0;
  /// The error in the kernel's `attn.schedule`, if only the emitter can detect it; else empty.
  virtual std::string scheduleError(mlir::func::FuncOp kernel, const Target &target) const { return {}; }
  /// Appends the phases' functions to `code`, and records the schedule on the kernel (ChosenSchedule.h). Requires
  /// supports(). Fails if its backend rejects the kernel, with the reason in a remark and nothing appended, or on an
  /// internal error.
  virtual mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp kernel, const Target &target,
                                           mlir::ModuleOp code) const = 0;

  /// Whether result number `result` is correct if its buffer is that of argument number `argument` (the condition of
  /// `attn.in_place`). Requires supports().
  virtual bool mayRunInPlace(mlir::func::FuncOp kernel, unsigned argument, unsigned result) const { return false; }

  /// Whether the kernel has the specialised algorithm of its kind, not a general one that is several times slower.
  /// Requires supports().
  virtual bool hasFastForm(mlir::func::FuncOp kernel) const { return true; }

  /// Whether the emitter has fast code for a linalg.generic that sums products over windows, x[i + di, c] * w[di, c,
  /// o]. If not, fuse makes it a matrix product, for which each window of x is copied (im2col).
  virtual bool sumsWindows(mlir::Operation *sum, const Target &target) const { return false; }

  /// The argument of `kernel` to pack if it is a weight, and its layout; null if row-major weights are as fast. With
  /// `inWholePanels`, only layouts without a partial panel. Requires supports().
  virtual std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target,
                                                         bool inWholePanels) const {
    return std::nullopt;
  }
  /// Appends the code of a packing by preferredPacking to `code`, as `symbol`: one phase with two buffers, a tensor of
  /// f32 of the static shape of `source`, and the packed tensor, in the element type of `source` (PanelPacking.h).
  /// Fails if the emitter packs nothing.
  virtual mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                                  llvm::StringRef symbol, const Target &target,
                                                  mlir::ModuleOp code) const {
    return mlir::failure();
  }
};

/// In order of preference.
using Emitters = std::vector<std::unique_ptr<Emitter>>;

} // namespace attnc
