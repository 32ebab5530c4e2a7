//===- Signature.h - an entry point as a caller sees it ---------------------------------------------------------===//
//
// What the header and the json say of an entry point, read off its attributes (dialects/Model/Model.h) after memory was
// planned. Dimensions are in the order of the generated C function's parameters; tensors are inputs and then results.
// Sizes are over the dimensions in two forms: as expressions, for the bytes of a buffer, and as the user wrote them,
// for people:
//
//   logits(batch, 1 <= seq <= 256): tokens i32[batch, seq] -> logits f32[batch, seq, 256]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Memory/Plan.h"

namespace attnc {

struct SignatureDimension {
  std::string name;
  int64_t max; ///< -1: no bound
  int64_t min;
};

struct SignatureTensor {
  std::string name;
  attn_dtype element;
  std::vector<SizeExpr> shape;        ///< over the dimensions
  std::vector<std::string> shapeText; ///< as declared: "2*seq - 1"
  bool isResult;
  bool isState = false; ///< an input that the call updates in place
  /// Such as "f32[batch, seq, 256]"; a scalar is "f32".
  std::string text() const;
};

struct Signature {
  std::string name;
  std::string doc; ///< the comment above it in the model; may be empty
  std::vector<SignatureDimension> dimensions;
  std::vector<SignatureTensor> tensors; ///< inputs, then results
  /// Of states that are appended to: the number among `dimensions` of the one that numbers rows; nothing where there is
  /// one row.
  std::optional<unsigned> rows;
  bool isAppendedTo = false;       ///< are there such states?
  std::optional<int64_t> takeBack; ///< positions that can be taken back from the states; nothing where any can
  SizeExpr stateBytes;             ///< of all states together
};

/// Of a planned entry point, which checkInterfaces has accepted: cannot fail.
Signature signatureOf(const EntryPlan &plan);

} // namespace attnc
