//===- Import.h - from the typed AST to MLIR ----------------------------------------------------------------------===//
//
// A plain walk over a checked program, which leaves the module that docs/architecture.md describes under "After
// import": one `model.parameter` a parameter, one `func.func` an entry point, tensors with value semantics.
//
//   typed AST            becomes
//   Comprehension        linalg.generic; a Subscript by plain indices is an operand, any other a tensor.extract
//   IndexReduction       the reduction loops of that generic; in attend, attn.reduce
//   Attend               attn.attend
//   Elementwise, Cast    linalg.generic; constants and sizes are scalars in its body
//   AxisReduction        linalg.generic from a linalg.fill of the combiner's identity
//   MatMul               linalg.generic (parallel..., reduction) of mulf and addf
//   Permute, Slice, ...  linalg.transpose, tensor.extract_slice, tensor.concat, tensor.collapse_shape/expand_shape
//   Loop                 scf.for, in which a parameter of a list is model.get @p[%l]
//
// Every op has the range of the source that it was made for.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"
#include "frontends/attn/Check/Typed.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace attnc {

/// An internal error: the verifier rejects the imported module.
struct ImportFailure {
  std::string message; ///< the verifier's words
  std::string ir;      ///< the module that it refused, in generic form
};

/// The dialects of an imported module.
void registerImportDialects(mlir::DialectRegistry &registry);

/// The module of `program`, called `name`, verified; null and `failure` where it is not valid. `context` has
/// the dialects of import loaded.
mlir::OwningOpRef<mlir::ModuleOp> importProgram(const typed::Program &program, llvm::StringRef name,
                                                const SourceManager &sources, mlir::MLIRContext &context,
                                                ImportFailure &failure);

} // namespace attnc
