//===- ImportTypes.h - source locations and types of imported ops -------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"
#include "frontends/attn/Check/Typed.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace attnc {

/// Translates source ranges to MLIR locations, and element types and shapes of the typed AST to MLIR types.
class ImportTypes {
public:
  ImportTypes(const SourceManager &sources, mlir::MLIRContext &context) : sources(sources), context(context) {}

  /// Returns a FileLineColRange; an UnknownLoc for a range that is not valid.
  mlir::Location location(SourceRange range) const;
  /// Returns the type of a scalar in a body, or of a number outside of bodies: f32, i32, i1 or index.
  mlir::Type elementType(typed::Element element) const;
  /// Return the type of a tensor, in which elements of type Index are i32 and sizes that are not constant are `?`.
  mlir::RankedTensorType tensorType(const typed::Type &type) const { return tensorType(type.element, type.shape); }
  mlir::RankedTensorType tensorType(typed::Element element, const Shape &shape) const;

private:
  const SourceManager &sources;
  mlir::MLIRContext &context;
};

} // namespace attnc
