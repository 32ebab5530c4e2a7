//===- CheckModule.h - verification of modules from .mlir files ---------------------------------------------------===//
//
// The phases assume the ops, types and sizes that `import` produces. A module from a file (.mlir) may contain anything
// that MLIR parses, so faultOfModule() checks it first: ops and element types (CheckModule.cpp), then the sizes of
// tensors and the index operands of ops (CheckSizes.cpp). Subscripts inside formulas are not checked; an out-of-range
// element is undefined there, as in MLIR.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace attnc {

/// An invalid op, and the text that follows the op's name in the message, such as " divides by 0; expected ...".
struct ModuleFault {
  mlir::Operation *op;
  std::string what;
};

/// The first op in `root`, `root` included, in pre-order, for which `faultOf` returns a text, and that text. Null if
/// `faultOf` returns an empty text for all ops.
std::optional<ModuleFault> firstFault(mlir::Operation *root,
                                      llvm::function_ref<std::string(mlir::Operation *)> faultOf);

/// The message about the first fault of a module read from `file`: "LOCATION: error: OP ...; expected ...". Empty if
/// the module is valid.
std::string faultOfModule(mlir::ModuleOp module, llvm::StringRef file);

/// The first op of `entry` with a size or an index operand that is not proved to be valid for all sizes that the entry
/// point's dimensions may have, or with tensors whose sizes disagree. Null if there is none, and also if the sizes that
/// `entry` declares cannot be analysed (SizeAnalysis::ofEntry), which a later check reports.
std::optional<ModuleFault> faultOfSizes(mlir::func::FuncOp entry);

} // namespace attnc
