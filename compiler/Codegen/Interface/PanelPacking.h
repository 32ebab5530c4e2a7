//===- PanelPacking.h - packed layout of a weight -----------------------------------------------------------------===//
//
// A matrix B of K x N, for each batch b, in panels of `nr` columns, one after the other:
//
//   packed[b][p][k][c] = B[b][k][p*nr + c]      0 <= c < nr, zero where p*nr + c >= N
//
// in the argument's type, f32 or narrower. `<prefix>_prepare` packs a weight (HostCode.h), a `pack` kernel any other
// matrix; the argument of the kernel that reads it carries `attn.packed`, the dictionary below:
//
//   {layout = "panels", nr = 48 : i64, transposed = false, batch_dims = 0 : i64, outer_dims = 1 : i64}
//
// The source is a dense row-major tensor whose dimensions are, in order, `batch_dims` that count separate matrices,
// `outer_dims` that together are K (N when `transposed`), and trailing dimensions that together are N (K when
// `transposed`).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace attnc {

/// The layout. Members correspond to the keys of the dictionary.
struct PanelPacking {
  int64_t nr = 0;
  bool transposed = false;
  int64_t batchDims = 0;
  int64_t outerDims = 1;

  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
  /// Null if `attribute` is null or no such dictionary. Absent keys but `layout` and `nr` have the defaults above.
  static std::optional<PanelPacking> fromAttribute(mlir::Attribute attribute);
  bool operator==(const PanelPacking &other) const = default;
};

/// The source of a packing as `batch` separate matrices of `depth` x `columns`, K x N.
struct PanelSource {
  int64_t batch = 1, depth = 1, columns = 1;
  /// `source` has a static shape.
  PanelSource(mlir::RankedTensorType source, const PanelPacking &packing);
};

/// Bytes of a tensor of static shape, and of its packed form; multiples of ATTN_ALIGNMENT.
int64_t storedBytes(mlir::RankedTensorType type);
int64_t packedBytes(mlir::RankedTensorType source, const PanelPacking &packing);

/// The argument of a kernel to pack before calls, and its layout.
struct OperandPacking {
  unsigned argument;
  PanelPacking packing;
};

} // namespace attnc
