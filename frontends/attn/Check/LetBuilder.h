//===- LetBuilder.h - builder of Let statements -------------------------------------------------------------------===//
//
// Adds Lets to the current block. An expression that is bound again in the same block is a reference to the same local.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"

namespace attnc::check {

class LetBuilder {
public:
  explicit LetBuilder(Builder &build) : build(build) {}

  /// The block that Lets are added to.
  typed::Block *getBlock() const { return block; }
  void setBlock(typed::Block *newBlock);

  bool isOpen(typed::ExprRef expr) const { return build.isOpen(expr); }
  /// Binds a closed expression to a local. Returns the reference; references and scalar constants unchanged.
  typed::ExprRef bind(std::string name, typed::ExprRef value, SourceRange range);
  void let(std::vector<const typed::Local *> locals, typed::ExprRef value);
  /// Returns the expression to which a Let binds the local; null for other locals.
  typed::ExprRef definitionOf(const typed::Local *local) const {
    auto found = definitions.find(local);
    return found == definitions.end() ? nullptr : found->second;
  }

  /// Returns an element, or a row if there are fewer indices than dimensions. A closed base is bound first.
  typed::ExprRef subscript(typed::ExprRef base, std::vector<typed::ExprRef> indices, SourceRange range);
  /// Returns an element of a tensor. An element of `iota(n)` at i becomes i itself.
  typed::ExprRef elementOf(typed::ExprRef tensor, std::vector<typed::ExprRef> indices, SourceRange range);

private:
  Builder &build;
  typed::Block *block = nullptr;
  std::unordered_map<const typed::Local *, typed::ExprRef> definitions;
  std::set<const typed::Local *> counting;                  ///< tensors whose element at i is i
  std::unordered_map<typed::ExprRef, typed::ExprRef> bound; ///< locals of the expressions bound in the current block
  std::map<typed::Block *, std::unordered_map<typed::ExprRef, typed::ExprRef>> outerBound;
};

} // namespace attnc::check
