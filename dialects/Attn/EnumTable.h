//===- EnumTable.h - tables with a row for each enumerator -------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace attnc {

/// Whether row n of a table is the row of enumerator n, so that an enumerator is an index of the table. `key` is the
/// member of a row that has its enumerator.
template <typename Row, size_t count, typename Enum>
constexpr bool isIndexedByEnum(const Row (&rows)[count], Enum Row::*key) {
  for (size_t number = 0; number < count; ++number)
    if (static_cast<size_t>(rows[number].*key) != number)
      return false;
  return true;
}

} // namespace attnc
