//===- LetBuilder.h - builder of Let statements -------------------------------------------------------------------===//
//
// Adds Let statements (Typed.h) to the current block, the block of the typed AST whose statements are being checked. A
// Let binds a local to an expression, so that the value is computed once. An expression that is bound again in the same
// block is not computed again: the result is a reference to the same local.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"

namespace attnc::check {

/// Adds Lets to blocks that the caller owns.
class LetBuilder {
public:
  explicit LetBuilder(Builder &build) : build(build) {}

  /// Returns the current block; null before the first setBlock.
  typed::Block *getBlock() const { return block; }
  /// Makes `newBlock` the current block: a block inside of the current one, or, after the end of a block, the block
  /// around it. Returning to a block restores the expressions that are bound in it. Blocks are identified by address: a
  /// new block at the address of an earlier one starts with the expressions of that one.
  void setBlock(typed::Block *newBlock);

  /// True for an open expression (Builder.h).
  bool isOpen(typed::ExprRef expr) const { return build.isOpen(expr); }
  /// Binds a closed expression to a new local with the name `name` and returns a LocalRef. Returns LocalRefs,
  /// ParameterRefs, and scalar constants and sizes unchanged. Requires that `value` is closed.
  typed::ExprRef bind(std::string name, typed::ExprRef value, SourceRange range);
  /// Adds a Let of `locals` to `value` to the current block; several locals are for the results of an Attend.
  void let(std::vector<const typed::Local *> locals, typed::ExprRef value);
  /// Returns the expression to which a Let binds the local; null for other locals.
  typed::ExprRef definitionOf(const typed::Local *local) const {
    auto found = definitions.find(local);
    return found == definitions.end() ? nullptr : found->second;
  }

  /// Returns a typed::Subscript of `base`: an element, or, if there are fewer indices than dimensions, a row of the
  /// last dimensions. A closed base is bound first. Indices are scalars of element type Index. They are marked as in
  /// range (InRange::Proved); the caller adds the obligations to prove it (RangeProofs.h).
  typed::ExprRef subscript(typed::ExprRef base, std::vector<typed::ExprRef> indices, SourceRange range);
  /// Like subscript, but if the tensor is `iota(n)`, [i < n] => i, the result is the index itself, converted to the
  /// element type of the tensor.
  typed::ExprRef elementOf(typed::ExprRef tensor, std::vector<typed::ExprRef> indices, SourceRange range);

private:
  Builder &build;
  typed::Block *block = nullptr;
  std::unordered_map<const typed::Local *, typed::ExprRef> definitions;
  std::set<const typed::Local *> counting;                  ///< tensors whose element at i is i
  std::unordered_map<typed::ExprRef, typed::ExprRef> bound; ///< locals of the expressions bound in the current block
  /// The same for blocks that were current before, by block.
  std::map<typed::Block *, std::unordered_map<typed::ExprRef, typed::ExprRef>> outerBound;
};

} // namespace attnc::check
