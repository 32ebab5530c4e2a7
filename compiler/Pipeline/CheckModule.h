//===- CheckModule.h - verification of modules from .mlir files ------------------------------------------------===//
//
// The phases assume the ops, types and sizes that `import` produces. A module from a file (.mlir) may contain anything
// that MLIR parses, so it is checked first: ops and element types (CheckModule.cpp), then the sizes of tensors and the
// index operands of ops (CheckSizes.cpp). Subscripts inside formulas are not checked; an out-of-range element is
// undefined there, as in MLIR.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace attnc {

/// An invalid op, and the text of the message after the op's name.
struct ModuleFault {
  mlir::Operation *op;
  std::string what;
};

/// The first op in `root`, `root` included, in pre-order, for which `faultOf` returns a text that is not empty; null if
/// there is none.
std::optional<ModuleFault> firstFault(mlir::Operation *root,
                                      llvm::function_ref<std::string(mlir::Operation *)> faultOf);

/// The first error of a module read from `file`, with location and expectation; empty if the module is valid.
std::string faultOfModule(mlir::ModuleOp module, llvm::StringRef file);

/// The first size or index that is not proved to be valid for all declared sizes of the entry point; null if there is
/// none.
std::optional<ModuleFault> faultOfSizes(mlir::func::FuncOp entry);

} // namespace attnc
