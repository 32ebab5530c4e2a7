//===- ImportScopes.h - symbol table of values during import ------------------------------------------------------===//
//
// Maps tensor expressions, sizes and locals of the typed AST to MLIR values. Each tensor expression and each size is
// computed where it is first needed, and again only after the scope of that computation has ended. Its value is valid
// in the rest of that scope, a function or the body of an scf.for, and in all regions nested in it. A tensor or size
// that the body of a linalg.generic or attn.attend needs is computed before that op, so that the value is valid in the
// whole scope.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/ImportTypes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

namespace attnc {

/// Values of the function that is being imported. The importer of a function, and of the body of a loop, calls enter
/// and leave around it. Locals are bound once in a program, so their values are not in a scope.
class ImportScopes {
public:
  ImportScopes(mlir::OpBuilder &builder, const ImportTypes &types) : builder(builder), types(types) {}

  /// Begin and end a scope inside of the current one.
  void enter() { scopes.emplace_back(); }
  void leave() { scopes.pop_back(); }

  /// Returns the value of an expression; null if it has not been computed in an open scope.
  mlir::Value find(typed::ExprRef expr) const;
  /// Records the value of an expression in the innermost scope.
  void record(typed::ExprRef expr, mlir::Value value) { scopes.back().values[expr] = value; }

  /// Binds a local to its value.
  void bind(const typed::Local *local, mlir::Value value) { locals[local] = value; }
  /// Returns the value of a local; null if it is not bound to a value.
  mlir::Value value(const typed::Local *local) const { return locals.lookup(local); }
  /// Binds a local to a number (TensorImporter::isNumber) instead of a value; it is computed where it is used.
  void bindNumber(const typed::Local *local, typed::ExprRef number) { numbers[local] = number; }
  /// Returns the number that a local is bound to; null if it is not bound to a number.
  typed::ExprRef number(const typed::Local *local) const { return numbers.lookup(local); }

  /// Set and return the value of a loop's counter, an `index`; null outside of the loop.
  void setCounter(const typed::LoopCounter *loop, mlir::Value index) { scopes.back().counters[loop] = index; }
  mlir::Value counter(const typed::LoopCounter *loop) const;

  /// Sets the value of a size, an `index`, in the innermost scope.
  void setSize(const Dim &dim, mlir::Value value) { scopes.back().sizes[dim] = value; }
  /// True if the innermost scope has a value for the size.
  bool hasSize(const Dim &dim) const { return scopes.back().sizes.count(dim) > 0; }
  /// Returns a size as an `index`. If no open scope has it, computes it before the op whose body is being built, or at
  /// the insertion point outside of bodies, and records it in the innermost scope. Requires setSize for the dynamic
  /// dimensions in it.
  mlir::Value size(const Dim &dim, mlir::Location at);
  /// Returns the sizes of a shape: attributes for constants, values as by `size` for others.
  llvm::SmallVector<mlir::OpFoldResult> mixedSizes(const Shape &shape, mlir::Location at);
  /// Create, at the insertion point, a tensor.empty, and a linalg.fill whose elements are all `scalar`.
  mlir::Value empty(typed::Element element, const Shape &shape, mlir::Location at);
  mlir::Value filled(mlir::Value scalar, typed::Element element, const Shape &shape, mlir::Location at);

  /// Sets the op whose body is being built; null outside of bodies. Returns the previous op, which the caller restores.
  mlir::Operation *exchangeBody(mlir::Operation *owner) { return std::exchange(bodyOwner, owner); }
  /// Sets the insertion point before the op whose body is being built, if there is one.
  void setInsertionPointOutside() {
    if (bodyOwner)
      builder.setInsertionPoint(bodyOwner);
  }

private:
  mlir::Value factor(const Dim::Factor &factor, mlir::Location at);

  struct Scope {
    llvm::DenseMap<typed::ExprRef, mlir::Value> values;
    std::map<Dim, mlir::Value> sizes;
    llvm::DenseMap<const typed::LoopCounter *, mlir::Value> counters;
  };

  mlir::OpBuilder &builder;
  const ImportTypes &types;
  std::vector<Scope> scopes;
  llvm::DenseMap<const typed::Local *, mlir::Value> locals;
  llvm::DenseMap<const typed::Local *, typed::ExprRef> numbers;
  mlir::Operation *bodyOwner = nullptr;
};

} // namespace attnc
