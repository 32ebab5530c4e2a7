//===- Emitter.h - the border between the phases and the emitters ---------------------------------------------===//
//
// All that the compiler asks of the code for one kind of machine. `fuse` asks how weights should arrive, `generate`
// which kernels an emitter takes, for their code and for the code that packs weights, and which results may be written
// over an operand. Of several emitters the first that supports a kernel has it; where what it compiles with refuses the
// kernel after all, the next one that supports it takes over, and the compile says so.
//
// A new emitter is a class with this interface and a line in Emitters.cpp; no phase includes its headers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernel.h"
#include "compiler/Codegen/PanelPacking.h"
#include <memory>
#include <string_view>

namespace attnc {

struct Target;

class Emitter {
public:
  virtual ~Emitter() = default;
  virtual std::string_view name() const = 0;
  /// Whether its code runs on such machines; nothing else is asked where it does not.
  virtual bool makesCodeFor(const Target &target) const { return true; }
  virtual Verdict supports(mlir::func::FuncOp kernel, const Target &target) const = 0;
  /// What is wrong with what the kernel's schedule says, as only the emitter can tell; empty where nothing is.
  virtual std::string scheduleError(mlir::func::FuncOp kernel, const Target &target) const { return {}; }
  /// Appends the phases' functions to `code`. Requires supports(). Fails where what it compiles with refuses a kernel,
  /// with a remark that says why and nothing appended, or else by a bug of ours.
  virtual mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp kernel, const Target &target,
                                           mlir::ModuleOp code) const = 0;

  /// Whether the kernel computes result `result` right when that is the same buffer as its argument `argument` (the
  /// condition of `attn.in_place`). Requires supports().
  virtual bool mayRunInPlace(mlir::func::FuncOp kernel, unsigned argument, unsigned result) const { return false; }

  /// Whether the kernel gets the form that its kind is known for, and not a general one that takes several times as
  /// long. Requires supports().
  virtual bool hasFastForm(mlir::func::FuncOp kernel) const { return true; }

  /// Whether a linalg.generic that sums products over windows, x[i + di, c] * w[di, c, o], is fast as it is. If not,
  /// it is made a product of matrices, for which each window of x is copied.
  virtual bool sumsWindows(mlir::Operation *sum, const Target &target) const { return false; }

  /// The argument of `kernel` that, where it is a weight, should arrive packed, and how. Nothing where reading weights
  /// as they lie is as fast. With `inWholePanels` there are none that it does not fill. Requires supports().
  virtual std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target,
                                                         bool inWholePanels) const {
    return std::nullopt;
  }
  /// Code that packs as preferredPacking asked: one phase with two buffers, a tensor of f32 of the static shape that
  /// `source` has and the packed form, in elements as `source` has them; appended to `code` under `symbol`.
  virtual mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                                  llvm::StringRef symbol, const Target &target,
                                                  mlir::ModuleOp code) const {
    return mlir::failure();
  }
};

using Emitters = std::vector<std::unique_ptr<Emitter>>;

/// Who makes code for processors, where several can.
enum class EmitterPreference {
  Auto,   ///< whichever is predicted to be faster, or what is so by rule (docs/emitters.md)
  Cpu,    ///< ours alone
  Halide, ///< Halide wherever it supports a kernel
};

/// "auto", "cpu", "halide"; in the order of the enumeration.
llvm::ArrayRef<llvm::StringRef> emitterPreferenceNames();
std::optional<EmitterPreference> emitterPreferenceNamed(llvm::StringRef name);

/// Every emitter that may be asked, in that order.
Emitters createEmitters(EmitterPreference preference = EmitterPreference::Auto);

} // namespace attnc
