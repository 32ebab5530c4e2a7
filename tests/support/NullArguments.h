// Calls functions of the C interface with each of their pointer arguments null, one at a time.
#pragma once

#include "attn/status.h"
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace attnc {

/// Returns the names of the functions with pointer parameters that a C header declares, such as "attn_run".
inline std::set<std::string> functionsOf(const std::filesystem::path &header) {
  std::stringstream text;
  text << std::ifstream(header).rdbuf();
  std::string code = std::regex_replace(text.str(), std::regex(R"(/\*[^*]*\*+([^/*][^*]*\*+)*/)"), "");
  static const std::regex declaration(R"(\b(attn_\w+)\s*\([^(){};]*[*\[][^(){};]*\)\s*;)");
  std::set<std::string> names;
  for (std::sregex_iterator each(code.begin(), code.end(), declaration), end; each != end; ++each)
    names.insert((*each)[1]);
  return names;
}

/// Checks functions, and collects their names.
class NullArguments {
public:
  /// `status` is the object that the arguments refer to, to which the functions write. `tidy` is called after each call
  /// and frees its results.
  NullArguments(attn_status &status, std::function<void()> tidy) : status(status), tidy(std::move(tidy)) {}

  /// Calls `function` with the arguments `good`, and expects the result `expected`. Then replaces one pointer of `good`
  /// at a time by null, from left to right, and expects the results `nulls`. Results are compared as text: an attn_code
  /// as "ok", as the message in `status`, or as its name if it has set no message; a pointer as "null" or "a pointer";
  /// a string as itself, or "null"; a number in decimal; void as "nothing".
  template <typename Result, typename... Parameters>
  void check(const char *name, Result (*function)(Parameters...), std::tuple<std::type_identity_t<Parameters>...> good,
             const std::string &expected, const std::vector<std::string> &nulls) {
    functions.insert(name);
    EXPECT_EQ(call(function, good), expected) << name;
    std::vector<std::string> found;
    nullEach(function, good, found, std::index_sequence_for<Parameters...>());
    EXPECT_EQ(found, nulls) << name;
  }

  std::set<std::string> functions; ///< names of the checked functions

private:
  attn_status &status;
  std::function<void()> tidy;

  template <typename Result, typename Arguments> std::string call(Result function, Arguments arguments) {
    status = {ATTN_OK, "no message"};
    std::string text;
    if constexpr (std::is_void_v<decltype(std::apply(function, arguments))>) {
      std::apply(function, arguments);
      text = "nothing";
    } else {
      text = textOf(std::apply(function, arguments));
    }
    tidy();
    return text;
  }

  template <typename Function, typename Arguments, size_t... Positions>
  void nullEach(Function function, Arguments good, std::vector<std::string> &found, std::index_sequence<Positions...>) {
    auto nullOne = [&]<size_t position>(std::integral_constant<size_t, position>) {
      if constexpr (std::is_pointer_v<std::tuple_element_t<position, Arguments>>) {
        Arguments arguments = good;
        std::get<position>(arguments) = nullptr;
        found.push_back(call(function, arguments));
      }
    };
    (nullOne(std::integral_constant<size_t, Positions>()), ...);
  }

  std::string textOf(attn_code code) const {
    if (code == ATTN_OK)
      return "ok";
    return status.code == code ? status.message : attn_code_name(code);
  }
  static std::string textOf(const char *text) { return text ? text : "null"; }
  static std::string textOf(const void *pointer) { return pointer ? "a pointer" : "null"; }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  static std::string textOf(Number number) {
    std::stringstream text;
    text << number;
    return text.str();
  }
};

} // namespace attnc
