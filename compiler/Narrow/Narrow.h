//===- Narrow.h - the narrow phase: storage of tensors in bf16 or f16 ---------------------------------------------===//
//
// The phase changes the storage type of f32 tensors, and no computation: tensors between kernels, weights and caches
// become tensors of `element`, bf16 or f16. The kernels that read and write them widen elements to f32 as they load
// them, and narrow them as they store them (Codegen/Interface/Kernel.h).
//
//   %w = model.get @up : tensor<768x3072xf32>        %w = model.get @up : tensor<768x3072xbf16>
//   %y = call @gemm_0(%x, %w) : (f32, f32) -> f32  →  %y = call @gemm_0(%x, %w) : (bf16, bf16) -> bf16
//
// Values that share memory have one type: a reshape and its source, the carried values of a loop, a cache and the rows
// appended to it. A group of these values stays f32, for a recorded reason, if it contains
//
//   an input or a result                     callers pass f32; a loss is a result
//   a state that is no cache                 each call computes it from its previous value: rounding errors would
//                                            accumulate
//   a carried value of a scan                each time step computes it from the one before, with the same effect;
//                                            lists and caches to which it writes are exceptions
//   a row statistic, an accumulator          a maximum, a logarithm of a sum, a sum in memory
//   a vector of weights, a scalar            few bytes
//   a weight and another value               only kernels read the narrow copy of a weight; a loop carries this one, or
//                                            the entry point returns it
//   a tensor whose rounding is amplified     positions before a sine or a subscript, scores before an exponential or a
//                                            comparison (Conditioning.h)
//   an operand of a kernel without code for the narrow type
//   a state that is f32 in another entry point
//
// All tensors of an entry point that updates parameters (model.set), or that computes gradients of attention, stay f32.
// Other entry points then read narrow copies of the parameters.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// The storage type of a group of values, and the reason if it is f32.
struct StorageChoice {
  /// The content of the group: a weight, a state, or other values. Entry: a whole entry point that stays f32.
  enum class Kind { Weight, State, Intermediate, Entry };
  std::string entry; ///< name of the entry point; empty for weights, which all entry points share
  std::string what;  ///< "@up" (a parameter), "keys" (a state), "x, @a" (inputs, results of kernels), "all tensors"
  Kind kind = Kind::Intermediate;
  bool isNarrow = false;
  std::string reason; ///< a clause: "it is an input", "`cos` amplifies its rounding ..."; empty if narrow
};

/// Narrows all groups of a module after fuse that may be stored in `element`, bf16 or f16. Changes the types of values,
/// replaces kernels by variants with narrow operands and results, and updates the bytes of the recorded decisions
/// (StoredBytes.h). `supports` returns whether an emitter has code for a variant, which is in no module yet. Returns
/// the choice for each group that StorageGroups::choices() lists, and for each entry point that stays f32 altogether.
/// Without `usesConditioning`, conditioning analysis is skipped, for comparison in tests.
std::vector<StorageChoice> narrowStorage(mlir::ModuleOp module, mlir::FloatType element,
                                         llvm::function_ref<Verdict(mlir::func::FuncOp)> supports,
                                         bool usesConditioning = true);

/// Sets `attn.tf32` on the kernels whose products may round their operands to tf32, by kind (KernelTraits::allowsTf32).
void allowTf32(mlir::ModuleOp module);

/// Prints all choices, for `attnc explain`. `element` is the name of the narrow type.
void printStorage(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element, llvm::raw_ostream &out);
/// Returns a summary of the choices in one line.
std::string storageSummary(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element);

} // namespace attnc
