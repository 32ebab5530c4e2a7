//===- StatementImporter.h - import of statements: variables, loops over modules, scans, calls of decoders --------===//
//
// A Let binds its locals to values, or its local to a number (ImportScopes.h). A Loop becomes an scf.for over the
// modules of the list; for an empty list, its results are the initial values. A DecoderCall becomes a model.call. A
// Scan becomes an scf.for over the time steps. A tensor that is subscripted by the time step is first transposed, so
// that the time steps are its leading dimension, and then read by model.element. A stacked result of a Scan or Loop is
// a per-iteration list: a loop-carried tensor with the iterations as leading dimension, which model.with_element
// updates, and which is transposed after the loop:
//
//   scan t over seq carry (h = h0) { h = f(x[:, t], h) } -> h[:, t]
//
//   %xs = linalg.transpose x [1, 0, 2]
//   %h, %hs = scf.for %t = 0 to %seq iter_args(%h = %h0, %hs = tensor.empty) {
//     %x_t = model.element %xs[%t] ...  model.with_element %next into %hs[%t] ... }
//   %ys = linalg.transpose %hs [1, 0, 2]
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/TensorImporter.h"

namespace attnc {

/// Importer of the statements of entry points and optimizer steps.
class StatementImporter {
public:
  StatementImporter(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes, TensorImporter &tensors)
      : builder(builder), types(types), scopes(scopes), tensors(tensors) {}

  /// Creates the ops of the statements of a block at the insertion point, and binds their locals. The caller has
  /// entered the scope of the block (ImportScopes::enter).
  void statements(const typed::Block &block);

private:
  void let(const typed::Let &let);
  /// Creates the scf.for and binds its results. `order` is the value of the attribute model.scan; empty for a loop over
  /// modules.
  void loop(const typed::Loop &loop, llvm::StringRef order);
  mlir::ValueRange iterations(const typed::Loop &loop, llvm::StringRef order, mlir::ValueRange initial,
                              mlir::Location at);
  void call(const typed::DecoderCall &call);

  mlir::OpBuilder &builder;
  const ImportTypes &types;
  ImportScopes &scopes;
  TensorImporter &tensors;
};

} // namespace attnc
