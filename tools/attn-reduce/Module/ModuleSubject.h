//===- ModuleSubject.h - reduction of MLIR modules ----------------------------------------------------------------===//
//
// MLIR's own reducer (mlir-reduce, in libMLIR) removes ranges of ops of a function and applies patterns of a dialect.
// ModuleSubject also replaces results of ops by operands and zeros, so that an op in the middle of a computation can be
// removed. It removes arguments, results and attributes, and shrinks dimensions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/attn-reduce/Subject.h"

namespace attnc::reduce {

/// Changes `module` in place; returns false if the change is not applicable. `module` is a clone of the module in which
/// the change was found. `ops` is the result of opsOf(module) before the first change of a group. A change that erases
/// ops sets their elements to null, except changes of unwrapRegions, which are applied alone, and of dropSignatures,
/// which do not read `ops`. The result may be invalid, also after `false`: the caller verifies it.
using ModuleChange = std::function<bool(mlir::ModuleOp module, llvm::MutableArrayRef<mlir::Operation *> ops)>;

/// The module op itself and all ops in it, in preorder.
std::vector<mlir::Operation *> opsOf(mlir::ModuleOp module);

//===- The transformations, from coarse to fine -----------------------------------------------------------------===//
//
// Each function returns the changes of its kind, of which some may turn out not applicable, and does not change the
// module. replaceResults and dropUnused list later ops first, so that users come before their operands. dropSymbols,
// unwrapRegions and dropAttributes list ops in preorder. dropSignatures lists the last results and arguments of a
// function first. replaceResults and dropUnused exclude terminators, replaceResults also constants, dropUnused also
// symbols.

std::vector<ModuleChange> dropSymbols(mlir::ModuleOp module);    ///< erases functions, parameters and other symbols
std::vector<ModuleChange> replaceResults(mlir::ModuleOp module); ///< replaces an op by its operands or by zeros
std::vector<ModuleChange> dropUnused(mlir::ModuleOp module);     ///< erases ops without used results
std::vector<ModuleChange> unwrapRegions(mlir::ModuleOp module);  ///< replaces an op by the ops of its region's block
std::vector<ModuleChange> dropSignatures(mlir::ModuleOp module); ///< removes unused results, arguments of functions
std::vector<ModuleChange> dropAttributes(mlir::ModuleOp module); ///< discardable ones, of ops, arguments and results
/// Replaces one static size by a smaller one in the whole module: in all types, and in attributes that repeat the size.
std::vector<ModuleChange> shrinkDimensions(mlir::ModuleOp module);

/// The language of MLIR modules in the dialects of MLIR and of attnc.
class ModuleSubject : public Subject {
public:
  ModuleSubject();
  Size sizeOf(const std::string &text) const override;
  const char *partsName() const override { return "parts"; }
  std::span<const Transformation> transformations() const override { return list; }

  /// Parses and verifies `text`. Returns null if `text` is not a valid module. Prints nothing: if `problem` is not null
  /// and empty, it receives MLIR's first error with a line and a column, after `name`, also if the location is in
  /// another file: "broken.mlir:3:5: custom op 'x' is unknown". The result must not outlive this object, which owns the
  /// MLIRContext.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text, const std::string &name = "",
                                          std::string *problem = nullptr) const;

private:
  /// Adds the transformation whose changes are those that `find` returns.
  void add(std::string name, bool inGroups, std::vector<ModuleChange> (*find)(mlir::ModuleOp));

  std::unique_ptr<mlir::MLIRContext> context;
  std::vector<Transformation> list;
};

} // namespace attnc::reduce
