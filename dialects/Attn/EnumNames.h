//===- EnumNames.h - names of an enumeration in messages ----------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include <string>

namespace mlir::attn {

/// Returns "add, mul, max or min": all names of an enumeration of AttnOps.td. `largest` is its getMaxEnumValFor...().
template <typename Enum> std::string namesUpTo(unsigned largest) {
  std::string names;
  for (unsigned each = 0; each <= largest; ++each)
    names += (each == 0 ? "" : each == largest ? " or " : ", ") + stringifyEnum(Enum(each)).str();
  return names;
}

} // namespace mlir::attn
