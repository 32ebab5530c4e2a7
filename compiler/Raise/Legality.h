//===- Legality.h - legality of raising a weighted sum to attention -----------------------------------------------===//
//
// Attention skips masked query–key pairs and pairs with an attention weight of 0, and computes the score of each pair
// where it is used. A sum in which the skipped pairs would contribute, or whose scores attention cannot compute pair by
// pair, is not raised.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Raise/ElementExpr.h"

namespace attnc {

/// True if `weight`, the factor of the sum that contains the normalised score `normalised`, is proved to be zero
/// wherever `normalised` is zero, if all other factors are finite and no divisor is zero.
bool vanishesWith(ElementExprs &exprs, ElementExprs::Expr weight, ElementExprs::Expr normalised);

/// The reason why attention cannot compute `formula` for each query–key pair; null if it can. `queries` and `keys` are
/// the variables of the query and key indices. Only subformulas that depend on both are examined, without `normalised`.
/// The reason is that one of them is a sum within a sum (ScoreChained) or a reduction other than a sum (ScoreFolded),
/// or has an operand that is unknown (ElementExpr::Kind::Opaque), such as a read at a subscript from data (ReadByData).
std::optional<Reason> reasonAgainstPairs(ElementExprs &exprs, ElementExprs::Expr formula, ElementExprs::Expr normalised,
                                    llvm::ArrayRef<unsigned> queries, llvm::ArrayRef<unsigned> keys);

} // namespace attnc
