//===- Kernel.h - kernels, their attributes and their code --------------------------------------------------------===//
//
// A kernel is a private `func.func` on tensors that holds one fused region of `attn`/`linalg` ops, made by the fuse
// phase. Its attributes, whose names are constants below:
//
//   attn.kernel     string: its kind (docs/architecture.md says what each holds)
//   attn.schedule   dictionary: tile sizes and choices; what is absent the emitter chooses
//   attn.packed     on an argument: the weight arrives packed (PanelPacking.h), by `model_prepare` or a `pack` kernel
//   attn.in_place   on an argument: the number of the result that may be the same buffer
//   attn.tf32       unit: the products of a contraction may round their operands to tf32
//   attn.exact      unit, on an op of a formula: its last bit decides, so that nothing is contracted with it
//
// **Storage.** A kernel computes on f32. An operand that is stored in bf16 or f16 is widened as a whole, by arith.extf
// of the argument, before anything reads it; a result is narrowed by arith.truncf where it is returned. Emitters see
// through both (argumentOf, computedResults): elements are widened where they are loaded, and rounded to nearest even
// where they are stored.
//
//   func.func private @k(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> attributes {attn.kernel = "loops"} {
//     %wide = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
//     %y = linalg.generic ... ins(%wide : tensor<?x64xf32>) ...
//     %stored = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
//     return %stored : tensor<?x64xbf16>
//   }
//
// An emitter (Emitter.h) turns it into one or more phases with the kernel ABI of runtime/include/attn/abi.h. The host
// code runs the phases in order, each as a parallel loop over its chunks. The number of chunks is a function of sizes
// and schedule alone, never of the number of workers: that is what makes results the same bits at any thread count.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Abi.h"
#include "compiler/Codegen/Target/Target.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

//===------------------------------------------ the function ----------------------------------------------------===//

enum class KernelKind { Attend, AttendGradient, Gemm, Rows, Loops, Pack };

/// "attend", "attend_gradient", "gemm", "rows", "loops", "pack".
llvm::StringRef kernelKindName(KernelKind kind);
/// The forward pass of attention, or its gradient.
inline bool isAttention(KernelKind kind) { return kind == KernelKind::Attend || kind == KernelKind::AttendGradient; }
std::optional<KernelKind> parseKernelKind(llvm::StringRef name);

inline constexpr llvm::StringLiteral kernelAttrName = "attn.kernel";
inline constexpr llvm::StringLiteral scheduleAttrName = "attn.schedule";
inline constexpr llvm::StringLiteral packedAttrName = "attn.packed";
inline constexpr llvm::StringLiteral inPlaceAttrName = "attn.in_place";
inline constexpr llvm::StringLiteral tf32AttrName = "attn.tf32";
inline constexpr llvm::StringLiteral exactAttrName = "attn.exact";

bool isKernel(mlir::func::FuncOp function);
/// The kind of a kernel; nothing where the function is none, or of a kind that no one knows.
std::optional<KernelKind> kernelKindOf(mlir::func::FuncOp function);

/// The argument of a kernel that `tensor` is, as it is stored or widened; null where it is none.
mlir::BlockArgument argumentOf(mlir::Value tensor);
/// The value by which a kernel computes with its argument: what that is widened to, or the argument.
mlir::Value widened(mlir::BlockArgument argument);
/// What a kernel returns, before it is narrowed.
llvm::SmallVector<mlir::Value> computedResults(mlir::func::FuncOp kernel);

/// What the kernel's schedule says of `key`: a number, or a word such as "decode". Nothing where that is left to the
/// emitter.
std::optional<int64_t> scheduled(mlir::func::FuncOp kernel, llvm::StringRef key);
std::optional<llvm::StringRef> scheduledWord(mlir::func::FuncOp kernel, llvm::StringRef key);

//===------------------------------------------ its code --------------------------------------------------------===//

/// Alignment of scratch in bytes.
inline constexpr int64_t scratchAlignment = abi::alignment;

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
  /// `func.func @symbol(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr)`, in the code module; a device's is
  /// described in GPU/Nest/DeviceFrame.h.
  std::string symbol;
  SizeExpr chunks;
  int64_t threads = 0;               ///< of a block, which is a device's chunk; 0 where a processor runs it
  int64_t blockBytes = 0;            ///< memory that a launch gives each block (GPU/Tile/BlockMemory.h)
  DeviceVariant form = DeviceVariant::Any; ///< where a device runs it; others skip it
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

} // namespace attnc
