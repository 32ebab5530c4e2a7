//===- Validators.h - checks of numeric options -------------------------------------------------------------------===//
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>

namespace attnc {

/// A validator that accepts finite numbers, also fractions, of at least `least`. It replaces CLI11's PositiveNumber,
/// whose message prints the largest double with all of its digits.
inline CLI::Validator atLeast(int least) {
  return CLI::Validator(
      [least](const std::string &text) {
        double number = 0;
        bool isOne = CLI::detail::lexical_cast(text, number) && number >= least && std::isfinite(number);
        return isOne ? std::string() : fmt::format("expected a number from {}, found {}", least, text);
      },
      fmt::format("FROM {}", least));
}

} // namespace attnc
