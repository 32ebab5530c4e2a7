//===- Narrow.h - the narrow phase: storage of tensors in bf16 or f16 ---------------------------------------------===//
//
// Changes the storage type of tensors, and no computation: tensors between kernels, weights and caches become tensors
// of `element`. The kernels that read and write them widen and narrow at their edges (Codegen/Interface/Kernel.h).
//
//   %w = model.get @up : tensor<768x3072xf32>        %w = model.get @up : tensor<768x3072xbf16>
//   %y = call @gemm_0(%x, %w) : (f32, f32) -> f32  →  %y = call @gemm_0(%x, %w) : (bf16, bf16) -> bf16
//
// Values that share memory have one type: a reshape and its source, the carried values of a loop, a cache and the rows
// appended to it. A group of these values stays f32, for a recorded reason, if it contains
//
//   an input or a result                     callers pass f32; a loss is a result
//   a state that is no cache                 each call computes it from itself: rounding errors would accumulate
//   a carried value of a scan                the same
//   a row statistic, an accumulator          a maximum, a logarithm of a sum, a sum in memory
//   a vector of weights, a scalar            few bytes
//   a tensor whose rounding is amplified     positions before a sine or a subscript, scores before an exponential or a
//                                            comparison (Conditioning.h)
//   an operand of a kernel without code for the narrow type
//
// Entry points that train, or compute gradients of attention, stay f32 altogether. Parameters that they update are f32;
// other entry points read narrow copies of them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// The storage type of a group of values, and the reason if it is f32.
struct StorageChoice {
  enum class Kind { Weight, State, Intermediate, Entry };
  std::string entry; ///< empty for weights, which all entry points share
  std::string what;  ///< "@blocks.up", "keys", "@next_gemm_0"
  Kind kind = Kind::Intermediate;
  bool isNarrow = false;
  std::string reason; ///< a clause: "it is an input", "`cos` amplifies its rounding ..."; empty if narrow
};

/// Narrows all groups that may be stored in `element`: changes the types of values, and replaces kernels by narrow
/// variants, for which `supports` returns whether an emitter has code. Returns the choice for each group, and for each
/// entry point that stays f32 altogether. Without `usesConditioning`, conditioning analysis is skipped, for comparison
/// in tests.
std::vector<StorageChoice> narrowStorage(mlir::ModuleOp module, mlir::FloatType element,
                                         llvm::function_ref<Verdict(mlir::func::FuncOp)> supports,
                                         bool usesConditioning = true);

/// Marks the kernels whose products may round their operands to tf32, by kind (KernelTraits::allowsTf32).
void allowTf32(mlir::ModuleOp module);

/// Prints all choices, for `attnc explain`; returns a summary in one line. `element` is the name of the narrow type.
void printStorage(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element, llvm::raw_ostream &out);
std::string storageSummary(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element);

} // namespace attnc
