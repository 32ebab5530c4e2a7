//===- EnumNames.h - names of an enumeration in messages ----------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include <string>

namespace mlir::attn {

/// Returns all names of an enumeration of AttnOps.td, as text for a message: "add, mul, max or min". The values of
/// `Enum` are 0 to `largest`, which is the result of getMaxEnumValFor<Enum>().
template <typename Enum> std::string namesUpTo(unsigned largest) {
  std::string names;
  for (unsigned each = 0; each <= largest; ++each)
    names += (each == 0 ? "" : each == largest ? " or " : ", ") + stringifyEnum(Enum(each)).str();
  return names;
}

} // namespace mlir::attn
