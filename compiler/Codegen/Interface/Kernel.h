//===- Kernel.h - kernels, their attributes and their code --------------------------------------------------------===//
//
// A kernel is a private `func.func` on tensors with the ops of one fused region. The fuse phase creates kernels. Their
// attributes, whose names are constants below:
//
//   attn.kernel     string: its kind (KernelKinds.def; docs/architecture.md describes the content of each)
//   attn.schedule   dictionary: requested tile sizes and choices; the emitter chooses those that are absent. An
//                   emitter for processors records the values that its code uses (Schedule/ChosenSchedule.h)
//   attn.packed     on an argument: the matrix is stored in panels (PanelPacking.h), which the function
//                   `<prefix>_prepare` or a `pack` kernel has written; on a `pack` kernel, the layout that it writes
//   attn.in_place   on an argument: the number of the result that may have the same buffer
//   attn.tf32       unit: the products of a contraction may round their operands to tf32
//   attn.exact      unit, on an op of a formula: evaluated as IEEE 754 specifies, without an fma or a reciprocal,
//                   because the last bit of the result matters
//
// **Storage.** A kernel computes on f32. `arith.extf` of the argument widens a whole operand that is stored in bf16 or
// f16, and `arith.truncf` narrows a result at the return. Emitters look through both (argumentOf, computedResults):
// they widen elements as they load them, and round to nearest even as they store them.
//
//   func.func private @k(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> attributes {attn.kernel = "loops"} {
//     %wide = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
//     %y = linalg.generic ... ins(%wide : tensor<?x64xf32>) ...
//     %stored = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
//     return %stored : tensor<?x64xbf16>
//   }
//
// An emitter (Emitter.h) generates one or more kernel phases: functions with the kernel ABI of
// runtime/include/attn/abi.h. The host code runs the phases in order, each as a parallel loop over its chunks. The
// number of chunks depends on sizes and schedule alone, not on the number of workers, so that results are bitwise equal
// at any thread count.
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

enum class KernelKind {
#define KERNEL_KIND(KIND, NAME, ...) KIND,
#include "compiler/Codegen/Interface/KernelKinds.def"
};

/// The structure of a kernel's ops. `attnc explain` derives from it which fusions an edge between two kernels could
/// have had (ExplainEdges.cpp).
enum class KernelBody {
  Attention,   ///< one op of attention, or its gradient
  Contraction, ///< a contraction and its epilogue
  Rows,        ///< maps and reductions of rows
  Loops,       ///< any other loops, views or data movement
  Copy,        ///< no computation: a copy in another layout
};

/// Properties of all kernels of a kind, which passes query. KernelKinds.def has the values.
struct KernelTraits {
  KernelBody body = KernelBody::Loops;
  llvm::StringLiteral rootOp = ""; ///< name of the op that becomes such a kernel by itself; empty if there is none
  bool isGradient = false;         ///< only gradients have such kernels
  bool isDivisible = false;        ///< fuse may split such a kernel into one `loops` kernel for each op
  bool allowsTf32 = false;         ///< tensor cores may round operands of its products to tf32
  bool allowsNarrow = false;       ///< operands and results may be stored in bf16 and f16
  bool hasHalideCode = false;      ///< the Halide emitter supports such kernels, if it supports their ops
};

/// The value of `attn.kernel`: "attend", "attend_gradient", ...
llvm::StringRef kernelKindName(KernelKind kind);
/// The kind with this name; null if there is none.
std::optional<KernelKind> parseKernelKind(llvm::StringRef name);
const KernelTraits &kernelTraits(KernelKind kind);
/// The kind with this root op, by the name of the op; null if there is none.
std::optional<KernelKind> findKernelKindByRoot(llvm::StringRef opName);

inline constexpr llvm::StringLiteral kernelAttrName = "attn.kernel";
inline constexpr llvm::StringLiteral scheduleAttrName = "attn.schedule";
inline constexpr llvm::StringLiteral packedAttrName = "attn.packed";
inline constexpr llvm::StringLiteral inPlaceAttrName = "attn.in_place";
inline constexpr llvm::StringLiteral tf32AttrName = "attn.tf32";
inline constexpr llvm::StringLiteral exactAttrName = "attn.exact";

/// Whether the function has the attribute `attn.kernel`.
bool isKernel(mlir::func::FuncOp function);
/// The kind of a kernel; null if the function is no kernel, or its kind is unknown.
std::optional<KernelKind> kernelKindOf(mlir::func::FuncOp function);

/// The argument of the kernel that `tensor` is, or that it widens (see Storage above); null for other tensors.
mlir::BlockArgument argumentOf(mlir::Value tensor);
/// The inverse: the widened argument if the kernel widens it (arith.extf), otherwise the argument itself.
mlir::Value widened(mlir::BlockArgument argument);
/// The returned values of a kernel in order; a result that is narrowed (arith.truncf) is returned as before this op.
llvm::SmallVector<mlir::Value> computedResults(mlir::func::FuncOp kernel);

/// The requested number of `key` in `attn.schedule`, e.g. tile_q. Null if no number is requested; the emitter then
/// chooses.
std::optional<int64_t> scheduled(mlir::func::FuncOp kernel, llvm::StringRef key);
/// The requested text of `key`, such as "decode" for `form`. Null if no text is requested.
std::optional<llvm::StringRef> scheduledWord(mlir::func::FuncOp kernel, llvm::StringRef key);

//===------------------------------------------ its code --------------------------------------------------------===//

/// Alignment of scratch in bytes.
inline constexpr int64_t scratchAlignment = abi::alignment;

/// The answer to a question such as Emitter::supports(): yes, or no with the reason. The reason is a phrase that
/// completes "the cpu emitter does not support kernel `k`: ...".
struct Verdict {
  bool taken = true;  ///< whether the answer is yes
  std::string reason; ///< of a no; empty for a yes
  static Verdict yes() { return {}; }
  static Verdict no(std::string reason) { return {false, std::move(reason)}; }
  explicit operator bool() const { return taken; }
};

/// A kernel phase: one function, run once for each chunk. The sizes (SizeExpr) here and below are functions of the
/// kernel's own dynamic sizes: symbol n is element n of attn_kernel_args::sizes.
struct KernelPhase {
  /// The name of the function in the module of generated code. On a processor it is
  /// `func.func @symbol(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr)`; GPU/Nest/DeviceFrame.h describes the
  /// function on a device.
  std::string symbol;
  SizeExpr chunks;        ///< number of chunks
  int64_t threads = 0;    ///< on a device, threads of a block, which computes a chunk; 0 on a processor
  int64_t blockBytes = 0; ///< on a device, dynamic shared memory of a block (GPU/Tile/BlockMemory.h)
  DeviceVariant form = DeviceVariant::Any; ///< device images that have the function; with others, launches are skipped
};

/// The cost of one launch of a kernel, all phases together, for the certificate.
struct KernelCost {
  SizeExpr flops;        ///< useful floating-point operations; an exp, log or tanh counts as one
  SizeExpr bytesRead;    ///< distinct bytes of operands
  SizeExpr bytesWritten; ///< bytes of results
};

/// The code of a kernel: its phases in the order of execution, and the temporary memory of a launch, in bytes.
struct KernelCode {
  std::vector<KernelPhase> phases;
  SizeExpr sharedBytes; ///< memory that all chunks share (attn_kernel_args::shared), preserved from phase to phase
  SizeExpr workerBytes; ///< scratch of one worker, with undefined contents at the start of a chunk
  KernelCost cost;
};

} // namespace attnc
