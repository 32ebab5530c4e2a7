//===- LetBuilder.h - builder of Let statements -------------------------------------------------------------------===//
//
// Adds Lets to the current block, the block of statements whose expressions are being checked. An expression that is
// bound again in the same block is a reference to the same local.
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
  /// Makes `newBlock` the current block: a block inside of the current one, or the block around it after its end.
  void setBlock(typed::Block *newBlock);

  bool isOpen(typed::ExprRef expr) const { return build.isOpen(expr); }
  /// Binds a closed expression to a new local and returns a reference to it. Returns LocalRefs, ParameterRefs,
  /// constants and sizes unchanged. Requires that `value` is not open.
  typed::ExprRef bind(std::string name, typed::ExprRef value, SourceRange range);
  /// Adds a Let of `locals`.
  void let(std::vector<const typed::Local *> locals, typed::ExprRef value);
  /// Returns the expression to which a Let binds the local; null for other locals.
  typed::ExprRef definitionOf(const typed::Local *local) const {
    auto found = definitions.find(local);
    return found == definitions.end() ? nullptr : found->second;
  }

  /// Returns the Subscript of `base`: an element, or a row if there are fewer indices than dimensions. A closed base is
  /// bound first. Indices are scalars of element type Index, marked as proved: the caller adds the obligations
  /// (RangeProofs.h).
  typed::ExprRef subscript(typed::ExprRef base, std::vector<typed::ExprRef> indices, SourceRange range);
  /// Like subscript, but the element of `iota(n)` at i is i itself, converted to the element type.
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
