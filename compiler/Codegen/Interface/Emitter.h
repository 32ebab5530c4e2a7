//===- Emitter.h - interface of code generators -------------------------------------------------------------------===//
//
// An emitter generates the code of kernels (Kernel.h) for processors or for devices. Phases of the compile call it:
//
//   fuse       which kernels and sums over windows have fast code; in which layout a kernel reads its weight; errors in
//              requested schedules
//   narrow     which kernels with operands and results in bf16 or f16 are supported
//   generate   which results may overwrite an operand; the code of kernels and the code that packs weights
//
// The first emitter of the list that supports a kernel generates its code, unless `attn.emitter` of the kernel names
// another one (RequestedEmitter.h). If emit() fails with a diagnostic, the next emitter of the list that supports the
// kernel generates its code, with a warning to the user. It is an error if there is no such emitter, or if
// `attn.emitter` names the one that failed, or one that does not support the kernel. If emit() fails without a
// diagnostic, the compile ends with an internal error.
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

/// "Requires supports()" means: the member is called only for a kernel for which supports() returns yes.
class Emitter {
public:
  virtual ~Emitter() = default;
  virtual std::string_view name() const = 0; ///< the value of `attn.emitter`: "cpu", "halide" or "gpu"
  /// Whether the emitter generates code for `target`; if not, no other member is called but name().
  virtual bool makesCodeFor(const Target &target) const { return true; }
  /// Yes if the emitter has code for the kernel, otherwise the reason against it. The verdict may depend on the
  /// kernel's `attn.emitter` and `attn.schedule`.
  virtual Verdict supports(mlir::func::FuncOp kernel, const Target &target) const = 0;
  /// The message about an error in the kernel's `attn.schedule` that only the emitter can detect, e.g. in the text of a
  /// Halide schedule; empty if there is none, and for a kernel that the emitter does not support.
  virtual std::string scheduleError(mlir::func::FuncOp kernel, const Target &target) const { return {}; }
  /// Starts the part of emit() that runs in the background, so that a later emit() for the kernel takes less time. The
  /// code depends on the order of these calls, so their order must not depend on time. Requires supports().
  virtual void prepare(mlir::func::FuncOp kernel, const Target &target) const {}
  /// Appends the functions of the kernel's phases to `code`, the module of generated code, and records the schedule on
  /// the kernel (ChosenSchedule.h). Requires supports(). Fails if its backend rejects the kernel; then nothing is
  /// appended and a remark at the kernel has the reason.
  virtual mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp kernel, const Target &target,
                                           mlir::ModuleOp code) const = 0;

  /// Whether the code is correct if result number `result` has the same buffer as argument number `argument` (the
  /// condition of `attn.in_place`). Requires supports().
  virtual bool mayRunInPlace(mlir::func::FuncOp kernel, unsigned argument, unsigned result) const { return false; }

  /// Whether the emitter has a specialised algorithm for the kernel. False: only a general algorithm, which is several
  /// times slower; fuse then splits the kernel if it can. Requires supports().
  virtual bool hasFastForm(mlir::func::FuncOp kernel) const { return true; }

  /// Whether the emitter has fast code for `sum`, a linalg.generic that may sum products over windows, such as
  /// x[i + di, c] * w[di, c, o] over di and c. If not, fuse makes it a matrix product, for which each window of x is
  /// copied (im2col).
  virtual bool sumsWindows(mlir::Operation *sum, const Target &target) const { return false; }

  /// The argument of `kernel` that its code reads faster in packed form, and the layout; null if there is none. Fuse
  /// packs the argument if it is a weight, or a matrix that all time steps of a scan read. For the latter, it passes
  /// inWholePanels = true: the layout must then have no partial panel. Requires supports().
  virtual std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target,
                                                         bool inWholePanels) const {
    return std::nullopt;
  }
  /// Appends a function `symbol` to `code` that packs a weight by a layout of preferredPacking(), and returns its only
  /// phase. Buffer 0 of its launch is the weight, f32 in the static shape of `source`; buffer 1 is the packed weight,
  /// in the element type of `source` (PanelPacking.h). Fails if the emitter packs nothing.
  virtual mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                                  llvm::StringRef symbol, const Target &target,
                                                  mlir::ModuleOp code) const {
    return mlir::failure();
  }
};

/// The emitters of a compile (compiler/Emitters). For each kernel they are tried in this order.
using Emitters = std::vector<std::unique_ptr<Emitter>>;

} // namespace attnc
