//===- ModuleSubject.h - the reduction of modules in MLIR -------------------------------------------------------===//
//
// MLIR has a reducer (mlir-reduce, in libMLIR): it drops ranges of the ops of a function, and patterns that a dialect
// gives it. Ours replaces the results of an op by operands and zeros, so that an op in the middle of a computation can
// go; it drops arguments, results and attributes, and shrinks dimensions; and its candidates run with limits and beside
// each other, as those of models do.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/attn-reduce/Subject.h"

namespace attnc::reduce {

/// Changes a module in place; says no where it turns out not to apply. Ops are those of `opsOf` as it was before the
/// first change of a group; those that are gone are null.
using ModuleChange = std::function<bool(mlir::ModuleOp module, llvm::MutableArrayRef<mlir::Operation *> ops)>;

/// All ops in a module, an op before those in it.
std::vector<mlir::Operation *> opsOf(mlir::ModuleOp module);

//===- The transformations, from coarse to fine -----------------------------------------------------------------===//

std::vector<ModuleChange> dropSymbols(mlir::ModuleOp module);      ///< functions, parameters and their kind
std::vector<ModuleChange> replaceResults(mlir::ModuleOp module);   ///< by operands or zeros
std::vector<ModuleChange> dropUnused(mlir::ModuleOp module);       ///< ops whose results nobody reads
std::vector<ModuleChange> unwrapRegions(mlir::ModuleOp module);    ///< an op gives way to the one block in it
std::vector<ModuleChange> dropSignatures(mlir::ModuleOp module);   ///< results of functions, and arguments nobody reads
std::vector<ModuleChange> dropAttributes(mlir::ModuleOp module);   ///< discardable ones, of ops and of arguments
std::vector<ModuleChange> shrinkDimensions(mlir::ModuleOp module); ///< static ones, everywhere at once

class ModuleSubject : public Subject {
public:
  ModuleSubject();
  Size sizeOf(const std::string &text) const override;
  const char *partsName() const override { return "parts"; }
  std::span<const Transformation> transformations() const override { return list; }

  /// Null where the text is no valid module; nothing is printed, and `problem` says what is wrong in the words of MLIR
  /// and where, such as "broken.mlir:3:5: custom op 'x' is unknown", of a file that is called `name`.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text, const std::string &name = "",
                                          std::string *problem = nullptr) const;

private:
  void add(std::string name, bool inGroups, std::vector<ModuleChange> (*find)(mlir::ModuleOp));

  std::unique_ptr<mlir::MLIRContext> context;
  std::vector<Transformation> list;
};

} // namespace attnc::reduce
