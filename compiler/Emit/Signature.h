//===- Signature.h - the interface of an entry point --------------------------------------------------------------===//
//
// A signature describes the parameters of an entry point's C function, for the header and the JSON description. It is
// read from the entry point's attributes (dialects/Model/Model.h) after memory planning. Dimensions are in the order of
// the C function's parameters; tensors are the inputs, then the results. Sizes over the dimensions have two forms:
// expressions, for the bytes of a buffer, and their text (SizeExpr::text), for people:
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
  int64_t max; ///< the largest size that a call may have; -1: no bound
  int64_t min; ///< the smallest one
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
  /// If isAppendedTo: the number, in `dimensions`, of the dimension of the caches' rows; null if their number is no
  /// dimension, as with one length for all.
  std::optional<unsigned> rows;
  std::optional<unsigned> blocks;  ///< of paged caches: the number of the dimension of their blocks; else null
  bool isAppendedTo = false;       ///< true if calls append positions to states (model.append), which are caches
  std::optional<int64_t> takeBack; ///< how many last positions can be truncated from the caches; null: any number
  SizeExpr stateBytes;             ///< bytes of all states together
};

/// The signature of a planned entry point. The compile must have accepted its interface (checkInterfaces of
/// compiler/Pipeline/Compile.cpp): the shapes of its tensors are sums of products of its dimensions.
Signature signatureOf(const EntryPlan &plan);

} // namespace attnc
