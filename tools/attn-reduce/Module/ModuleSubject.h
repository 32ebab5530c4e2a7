//===- ModuleSubject.h - reduction of modules in MLIR -----------------------------------------------------------===//
//
// MLIR's own reducer (mlir-reduce, in libMLIR) removes ranges of ops of a function and applies patterns of a dialect.
// This one also replaces results of ops by operands and zeros, so that an op in the middle of a computation can be
// removed; it removes arguments, results and attributes, and shrinks dimensions. Its candidates run in parallel and
// with limits, like those of models.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/attn-reduce/Subject.h"

namespace attnc::reduce {

/// Changes a module in place; returns false if the change is not applicable. `ops` is the result of opsOf() before the
/// first change of a group, with null for erased ops.
using ModuleChange = std::function<bool(mlir::ModuleOp module, llvm::MutableArrayRef<mlir::Operation *> ops)>;

/// All ops in a module in preorder.
std::vector<mlir::Operation *> opsOf(mlir::ModuleOp module);

//===- The transformations, from coarse to fine -----------------------------------------------------------------===//
//
// Each function returns all changes of its kind that are possible in the module, outer ops before inner ones.

std::vector<ModuleChange> dropSymbols(mlir::ModuleOp module);      ///< functions, parameters and other symbols
std::vector<ModuleChange> replaceResults(mlir::ModuleOp module);   ///< by operands or zeros
std::vector<ModuleChange> dropUnused(mlir::ModuleOp module);       ///< ops without uses
std::vector<ModuleChange> unwrapRegions(mlir::ModuleOp module);    ///< replaces an op by the ops of its block
std::vector<ModuleChange> dropSignatures(mlir::ModuleOp module);   ///< unused results and arguments of functions
std::vector<ModuleChange> dropAttributes(mlir::ModuleOp module);   ///< discardable attributes of ops and arguments
std::vector<ModuleChange> shrinkDimensions(mlir::ModuleOp module); ///< one static size in all types at once

class ModuleSubject : public Subject {
public:
  ModuleSubject();
  Size sizeOf(const std::string &text) const override;
  const char *partsName() const override { return "parts"; }
  std::span<const Transformation> transformations() const override { return list; }

  /// Null if the text is not a valid module. Nothing is printed; `problem` receives MLIR's diagnostic with its location
  /// in a file called `name`, such as "broken.mlir:3:5: custom op 'x' is unknown".
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text, const std::string &name = "",
                                          std::string *problem = nullptr) const;

private:
  void add(std::string name, bool inGroups, std::vector<ModuleChange> (*find)(mlir::ModuleOp));

  std::unique_ptr<mlir::MLIRContext> context;
  std::vector<Transformation> list;
};

} // namespace attnc::reduce
