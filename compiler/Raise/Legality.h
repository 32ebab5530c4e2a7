//===- Legality.h - legality of raising a weighted sum to attention ----------------------------------------------===//
//
// Attention skips masked pairs and pairs with an attention weight of 0, and recomputes the score of each pair. A sum
// that needs those pairs, or whose scores are cheaper as tensors, is not raised.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Raise/ElementExpr.h"

namespace attnc {

/// Whether `weight` is proved to be zero wherever its subformula `normalised` is.
bool vanishesWith(ElementExprs &exprs, ElementExprs::Expr weight, ElementExprs::Expr normalised);

/// The reason against computing `formula` for each pair of the variables `queries` and `keys`, apart from its
/// subformula `normalised`; null if it is legal.
std::optional<Reason> reasonAgainstPairs(ElementExprs &exprs, ElementExprs::Expr formula, ElementExprs::Expr normalised,
                                    llvm::ArrayRef<unsigned> queries, llvm::ArrayRef<unsigned> keys);

} // namespace attnc
