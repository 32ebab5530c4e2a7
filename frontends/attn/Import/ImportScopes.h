//===- ImportScopes.h - symbol table of values during import ------------------------------------------------------===//
//
// Each tensor expression and each size is computed once, where it is first needed. Its value is valid in the rest of
// that scope and in all regions nested in it. A size that the body of an op needs is computed before that op, so that
// it is valid in all of the scope.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/ImportTypes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

namespace attnc {

class ImportScopes {
public:
  ImportScopes(mlir::OpBuilder &builder, const ImportTypes &types) : builder(builder), types(types) {}

  void enter() { scopes.emplace_back(); }
  void leave() { scopes.pop_back(); }

  /// The value of an expression; null if it has not been computed yet.
  mlir::Value find(typed::ExprRef expr) const;
  void record(typed::ExprRef expr, mlir::Value value) { scopes.back().values[expr] = value; }

  void bind(const typed::Local *local, mlir::Value value) { locals[local] = value; }
  mlir::Value value(const typed::Local *local) const { return locals.lookup(local); }
  /// Binds a local to a number, which is computed where it is used.
  void bindNumber(const typed::Local *local, typed::ExprRef number) { numbers[local] = number; }
  /// The number that a local is bound to; null for a tensor.
  typed::ExprRef number(const typed::Local *local) const { return numbers.lookup(local); }

  void setCounter(const typed::LoopCounter *loop, mlir::Value index) { scopes.back().counters[loop] = index; }
  mlir::Value counter(const typed::LoopCounter *loop) const;

  void setSize(const Dim &dim, mlir::Value value) { scopes.back().sizes[dim] = value; }
  bool hasSize(const Dim &dim) const { return scopes.back().sizes.count(dim) > 0; }
  mlir::Value size(const Dim &dim, mlir::Location at);
  llvm::SmallVector<mlir::OpFoldResult> mixedSizes(const Shape &shape, mlir::Location at);
  mlir::Value empty(typed::Element element, const Shape &shape, mlir::Location at);
  mlir::Value filled(mlir::Value scalar, typed::Element element, const Shape &shape, mlir::Location at);

  /// Sets the op whose body is being built, and returns the previous one.
  mlir::Operation *exchangeBody(mlir::Operation *owner) { return std::exchange(bodyOwner, owner); }
  /// Sets the insertion point before the op whose body is being built, if there is one.
  void setInsertionPointOutside() {
    if (bodyOwner)
      builder.setInsertionPoint(bodyOwner);
  }

private:
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
