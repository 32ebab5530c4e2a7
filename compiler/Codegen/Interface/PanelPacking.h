//===- PanelPacking.h - packed layout of a weight -----------------------------------------------------------------===//
//
// A matrix product reads its right operand B faster if B is packed. B has K rows (the depth of the product) and N
// columns. The packed form is a sequence of panels of `nr` columns; each panel is stored row by row. With b for the
// matrix of a batch and p for the panel:
//
//   packed[b][p][k][c] = B[b][k][p*nr + c]      for 0 <= k < K and 0 <= c < nr; zero where p*nr + c >= N
//
// The elements have the type of the packed argument: f32, bf16 or f16. The generated function `<prefix>_prepare`
// (HostCode.h) packs weights; a `pack` kernel packs any other matrix. The argument of the kernel that reads the packed
// form has the attribute `attn.packed`, a dictionary:
//
//   {layout = "panels", nr = 48 : i64, transposed = false, batch_dims = 0 : i64, outer_dims = 1 : i64}
//
// The source, before packing, is a dense row-major tensor. Its dimensions are, in order: `batch_dims` dimensions that
// count separate matrices; `outer_dims` dimensions whose product is K (N if `transposed`); and the remaining
// dimensions, whose product is N (K if `transposed`).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace attnc {

/// A layout in panels. The members are the keys of the dictionary; it is valid if nr > 0.
struct PanelPacking {
  int64_t nr = 0;
  bool transposed = false;
  int64_t batchDims = 0;
  int64_t outerDims = 1;

  /// The dictionary of this layout.
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
  /// A text that determines the layout, such as "panels of 48 columns, transposed". Files of packed weights
  /// (runtime/packed) contain it: if the layout changes, the text has to change, too.
  std::string text() const;
  /// The layout of a dictionary. Null if `attribute` is null or not a dictionary, or without layout = "panels" and a
  /// positive `nr`. Other absent keys have the defaults above.
  static std::optional<PanelPacking> fromAttribute(mlir::Attribute attribute);
  bool operator==(const PanelPacking &other) const = default;
};

/// The source of a packing as `batch` separate matrices of `depth` (K) x `columns` (N).
struct PanelSource {
  int64_t batch = 1, depth = 1, columns = 1;
  /// `source` is the type of the tensor before packing; it must have a static shape.
  PanelSource(mlir::RankedTensorType source, const PanelPacking &packing);
};

/// Bytes of a tensor of static shape in row-major order, rounded up to a multiple of ATTN_ALIGNMENT.
int64_t storedBytes(mlir::RankedTensorType type);
/// Bytes of the packed form of a tensor of static shape, rounded up to a multiple of ATTN_ALIGNMENT.
int64_t packedBytes(mlir::RankedTensorType source, const PanelPacking &packing);

/// The number of the argument of a kernel that is to be packed, and its layout (Emitter::preferredPacking).
struct OperandPacking {
  unsigned argument;
  PanelPacking packing;
};

} // namespace attnc
