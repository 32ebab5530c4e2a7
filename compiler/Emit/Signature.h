//===- Signature.h - the interface of an entry point --------------------------------------------------------------===//
//
// A signature is the interface of an entry point in the header and the JSON description. It is read from the entry
// point's attributes (dialects/Model/Model.h) after memory planning. Dimensions are in the order of the generated C
// function's parameters; tensors are inputs, then results. Sizes over the dimensions have two forms: expressions, for
// the bytes of a buffer, and their text (SizeExpr::text), for people:
//
//   logits(batch, 1 <= seq <= 256): tokens i32[batch, seq] -> logits f32[batch, seq, 256]
//
//===--------------------------------------------------------------------------------------------------------------===//
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
  std::vector<std::string> shapeText; ///< the same as text: "2*seq - 1"
  bool isResult;
  bool isState = false; ///< an input that the call updates in place
  /// The type and shape, such as "f32[batch, seq, 256]"; a scalar is "f32".
  std::string text() const;
};

struct Signature {
  std::string name;
  std::string doc; ///< the comment above it in the model; may be empty
  std::vector<SignatureDimension> dimensions;
  std::vector<SignatureTensor> tensors; ///< inputs with states, then results without the new values of states
  /// With states that are appended to: the number in `dimensions` of the dimension of rows; null if there is one row.
  std::optional<unsigned> rows;
  bool isAppendedTo = false;       ///< whether there are such states
  std::optional<int64_t> takeBack; ///< positions that can be truncated from the states; null if any number
  SizeExpr stateBytes;             ///< of all states together
};

/// The signature of a planned entry point that checkInterfaces has accepted; cannot fail.
Signature signatureOf(const EntryPlan &plan);

} // namespace attnc
