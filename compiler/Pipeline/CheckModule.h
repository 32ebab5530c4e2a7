//===- CheckModule.h - what a module in MLIR may hold ----------------------------------------------------------===//
//
// Phases take on trust that a module holds what `import` makes. A module from a file (.mlir) may hold whatever MLIR can
// parse, so it is compared with what phases know: ops and element types (CheckModule.cpp), the sizes of tensors and the
// places that ops name by an index (CheckSizes.cpp). Subscripts inside of formulas are not proved again: there an
// element out of range is undefined, as it is in MLIR.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace attnc {

/// What is wrong with an op, as its message goes on behind its name.
struct ModuleFault {
  mlir::Operation *op;
  std::string what;
};

/// The first op of `root`, itself included, of which `faultOf` says something.
std::optional<ModuleFault> firstFault(mlir::Operation *root,
                                      llvm::function_ref<std::string(mlir::Operation *)> faultOf);

/// The first fault of a module that was read from `file`, with its place and what is expected; empty without one.
std::string faultOfModule(mlir::ModuleOp module, llvm::StringRef file);

/// The first size or place that does not fit the entry point's declared sizes, or is not known to.
std::optional<ModuleFault> faultOfSizes(mlir::func::FuncOp entry);

} // namespace attnc
