//===- ImportTypes.h - source locations and types of imported ops -------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"
#include "frontends/attn/Check/Typed.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace attnc {

class ImportTypes {
public:
  ImportTypes(const SourceManager &sources, mlir::MLIRContext &context) : sources(sources), context(context) {}

  mlir::Location location(SourceRange range) const;
  mlir::Type elementType(typed::Element element) const;
  /// The type of a tensor in memory, where indices are i32.
  mlir::RankedTensorType tensorType(const typed::Type &type) const { return tensorType(type.element, type.shape); }
  mlir::RankedTensorType tensorType(typed::Element element, const Shape &shape) const;

private:
  const SourceManager &sources;
  mlir::MLIRContext &context;
};

} // namespace attnc
