//===- Signature.h - an entry point as a caller sees it ---------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Plan.h"

namespace attnc {

struct SignatureDimension {
  std::string name;
  int64_t max; ///< -1: no bound
  int64_t min;
};

struct SignatureTensor {
  std::string name, element;   ///< element is f32, i32 or bool
  std::vector<SizeExpr> shape; ///< over the dimensions
  std::vector<std::string> shapeText;
  bool isResult;
  /// Such as "f32[batch, seq, 256]"; a scalar is "f32".
  std::string text() const;
};

struct Signature {
  std::string name;
  std::vector<SignatureDimension> dimensions;
  std::vector<SignatureTensor> tensors; ///< inputs, then results
};

Signature signatureOf(const EntryPlan &plan);

} // namespace attnc
