//===- Narrow.h - tensors stored in bf16 or f16 -------------------------------------------------------------------===//
//
// The narrow phase changes the type in which tensors lie in memory, and nothing that is computed: of a module of
// kernels, tensors that go from kernel to kernel, weights and caches become tensors of `element`; the kernels that read
// and write them widen and narrow at their edges (Codegen/Interface/Kernel.h).
//
//   %w = model.get @up : tensor<768x3072xf32>        %w = model.get @up : tensor<768x3072xbf16>
//   %y = call @gemm_0(%x, %w) : (f32, f32) -> f32  →  %y = call @gemm_0(%x, %w) : (bf16, bf16) -> bf16
//
// Values that share memory have one type: a reshape and what it shows, what a loop carries, a cache and the rows that
// are appended to it. Such a group stays f32, for a reason that is told, where it is or holds
//
//   an input or a result                     the program that calls has f32; a loss is one of these
//   a state that is no cache                 each call computes it from itself: its rounding would add up
//   what a scan carries from step to step    the same
//   a statistic of rows, a sum in memory     a maximum, a logarithm of a sum, what terms are added to
//   a vector of weights, a single number     few bytes
//   a tensor whose rounding is amplified     positions before a sine or a subscript, scores before an exponential or a
//                                            comparison (Conditioning.h)
//   an operand of a kernel that has no code for it
//
// Entry points that train, or give gradients of attention, stay f32 altogether; what they update is f32, and others
// read narrow copies of it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// How a group of values is stored, and why where that is f32.
struct StorageChoice {
  enum class Kind { Weight, State, Intermediate, Entry };
  std::string entry; ///< empty for weights, which all entry points share
  std::string what;  ///< "@blocks.up", "keys", "@next_gemm_0"
  Kind kind = Kind::Intermediate;
  bool isNarrow = false;
  std::string reason; ///< a clause: "it is an input", "`cos` amplifies its rounding ..."; empty where it is narrow
};

/// Stores what may be in `element`, where `supports` says that there is code for the kernels it makes. Without
/// `keepsConditioned`, conditioning is left out of account: tests compare with what that gives.
std::vector<StorageChoice> narrowStorage(mlir::ModuleOp module, mlir::FloatType element,
                                         llvm::function_ref<Verdict(mlir::func::FuncOp)> supports,
                                         bool keepsConditioned = true);

/// Marks the kernels whose products may round their operands to tf32.
void allowTf32(mlir::ModuleOp module);

/// All choices, as `attnc explain` shows them, and one line that counts them.
void printStorage(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element, llvm::raw_ostream &out);
std::string storageSummary(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element);

} // namespace attnc
