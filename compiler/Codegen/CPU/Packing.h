//===- Packing.h - matrices in column panels --------------------------------------------------------------------===//
//
// The gemm kernels read the right-hand matrix of a product in panels of `nr` columns, one after the other:
//
//   packed[b][p][k][c] = B[b][k][p*nr + c]      0 <= c < nr, zero where p*nr + c >= N
//
// so that a register tile streams through contiguous memory and never meets a ragged edge. A weight is packed once, by
// `model_prepare`; its kernel argument then carries `attn.packed`, the dictionary below. A matrix that is computed at
// run time is packed by a first phase of its kernel, with the same code.
//
//   {layout = "panels", nr = 48 : i64, transposed = false, batch_dims = 0 : i64, outer_dims = 1 : i64}
//
// The source is a dense row-major tensor whose dimensions are, in order, `batch_dims` that count separate matrices,
// `outer_dims` that together are K (N when `transposed`), and the rest, which together are N (K when `transposed`).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernel.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace attnc {

struct PanelPacking {
  int64_t nr = 0;
  bool transposed = false;
  int64_t batchDims = 0;
  int64_t outerDims = 1;

  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
  /// Nothing where `attribute` is not such a dictionary.
  static std::optional<PanelPacking> fromAttribute(mlir::Attribute attribute);
  bool operator==(const PanelPacking &other) const = default;
};

/// Columns of a panel that suit a matrix of `columns` columns: whole vectors, with the least padding for the speed.
int64_t choosePanelColumns(int64_t columns, const Target &target);

/// The argument of a gemm kernel that is worth packing ahead of time, and how.
struct OperandPacking {
  unsigned argument;
  PanelPacking packing;
};

/// How the right-hand side of `kernel` should arrive if it is a weight. Nothing where reading it as it lies is as fast
/// (an N x K matrix that meets a handful of rows is read once, along its rows) or where its shape is dynamic.
std::optional<OperandPacking> preferredPacking(mlir::func::FuncOp kernel, const Target &target);

/// Bytes of the packed form of a tensor of static shape `source`; a multiple of ATTN_ALIGNMENT.
int64_t packedBytes(mlir::RankedTensorType source, const PanelPacking &packing);

/// Code that packs: one phase with two buffers, the source and the packed form, appended to `code` under `symbol`.
mlir::FailureOr<KernelCode> emitPacking(mlir::RankedTensorType source, const PanelPacking &packing,
                                        llvm::StringRef symbol, const Target &target, mlir::ModuleOp code);

} // namespace attnc
