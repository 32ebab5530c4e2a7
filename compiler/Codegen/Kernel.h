//===- Kernel.h - the border between fusion and the emitters --------------------------------------------------===//
//
// A kernel is a private `func.func` on tensors that holds one fused region of `attn`/`linalg` ops, made by the fuse
// phase. Its attributes:
//
//   attn.kernel    string: the kind, one of "attend", "gemm", "rows", "loops" (docs/architecture.md says what each
//   holds) attn.schedule  dictionary: tile sizes and choices; whatever is absent the emitter chooses attn.packed    on
//   an argument: the weight arrives packed by `model_prepare` (layout in the dictionary)
//
// An emitter turns it into one or more phases with the kernel ABI of runtime/include/attn/abi.h. The host code runs the
// phases in order, each as a parallel loop over its chunks. The number of chunks is a function of sizes and schedule
// alone, never of the number of workers: that is what makes results the same bits at any thread count.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

struct Target;

/// Yes, or the reason why not, as a phrase that completes "the cpu emitter does not take this kernel: ...".
struct Verdict {
  bool taken = true;
  std::string reason;
  static Verdict yes() { return {}; }
  static Verdict no(std::string reason) { return {false, std::move(reason)}; }
  explicit operator bool() const { return taken; }
};

/// Sizes below are polynomials over the kernel's own dynamic sizes: symbol n is element n of attn_kernel_args::sizes.
struct KernelPhase {
  /// `func.func @symbol(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr)`, in the code module.
  std::string symbol;
  SizeExpr chunks;
};

/// What the certificate says of one launch.
struct KernelCost {
  SizeExpr flops;        ///< useful floating-point operations; an exp, log or tanh counts as one
  SizeExpr bytesRead;    ///< distinct bytes of operands
  SizeExpr bytesWritten; ///< bytes of results
};

struct KernelCode {
  std::vector<KernelPhase> phases;
  SizeExpr sharedBytes; ///< scratch that all chunks share, from one phase to the next
  SizeExpr workerBytes; ///< scratch of one worker
  KernelCost cost;
};

class Emitter {
public:
  virtual ~Emitter() = default;
  virtual std::string_view name() const = 0;
  virtual Verdict supports(mlir::func::FuncOp kernel, const Target &target) const = 0;
  /// Appends the phases' functions to `code`. Requires supports(); fails only by a bug of ours.
  virtual mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp kernel, const Target &target,
                                           mlir::ModuleOp code) const = 0;
};

} // namespace attnc
