//===- Legality.h - may a sum with shares become attention? ------------------------------------------------------===//
//
// Attention leaves out pairs that are masked, or whose share is nothing, and it computes a score anew for each pair:
// what needs those pairs, or costs more that way than as tensors, is to stay what it is.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Raise/ElementExpr.h"

namespace attnc {

/// Whether `weight` is zero wherever `share` is.
bool vanishesWith(ElementExprs &exprs, ElementExprs::Expr weight, ElementExprs::Expr share);

/// Why the part of `formula` that differs from pair to pair can't be computed pair by pair; nothing where it can.
/// `share` is given.
std::optional<Reason> whyNotOfPairs(ElementExprs &exprs, ElementExprs::Expr formula, ElementExprs::Expr share,
                                    llvm::ArrayRef<unsigned> queries, llvm::ArrayRef<unsigned> keys);

} // namespace attnc
