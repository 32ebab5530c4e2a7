//===- Regex.h - regular expressions of tokenizer.json, matched by PCRE2 ------------------------------------------===//
//
// The Rust library matches by Oniguruma with Ruby's syntax. translated() rewrites a pattern for PCRE2, so that both
// have the same matches:
//
//   \s and \S    the property White_Space, without U+180E, which PCRE2's \s contains
//   \w and \W    alphabetic characters, marks, decimal digits and connecting punctuation
//   \h and \H    hexadecimal digits
//   ^ and $      the start and the end of each line
//   x{1,3}+      a repetition of a repetition; in PCRE2 the + makes the repetition possessive
//
// Set operations in classes, [a&&[^b]], are not supported.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;
struct pcre2_real_jit_stack_8;

namespace attnc::tokenizer {

/// Bytes [begin, end) of a text.
struct Range {
  size_t begin, end;
  bool empty() const { return begin == end; }
  bool operator==(const Range &) const = default;
};

/// The memory of matches. One thread at a time may use it, for any number of expressions.
class MatchMemory {
public:
  MatchMemory();
  ~MatchMemory();
  MatchMemory(const MatchMemory &) = delete;

private:
  friend class Regex;
  pcre2_real_match_data_8 *data = nullptr;
  pcre2_real_match_context_8 *context = nullptr;
  pcre2_real_jit_stack_8 *stack = nullptr;
};

class Regex {
public:
  /// Compiles a pattern of tokenizer.json. Throws std::invalid_argument with a message if it is wrong or not supported.
  explicit Regex(const std::string &pattern);
  /// An expression that matches exactly `text`.
  static Regex literal(const std::string &text);

  /// The first match in `text`, which is valid UTF-8, at byte `from` or later. Throws a TextError if the search exceeds
  /// its limit of steps.
  std::optional<Range> find(std::string_view text, size_t from, MatchMemory &memory) const;

  /// Calls `visit(Range, isMatch)` for each match and each text between matches, in order. An empty match directly
  /// after a match does not count.
  template <typename Visit> void eachPart(std::string_view text, MatchMemory &memory, Visit visit) const;

private:
  Regex(const std::string &pattern, unsigned options);
  std::shared_ptr<pcre2_real_code_8> code;
};

/// The pattern in PCRE2's syntax; throws std::invalid_argument for set operations.
std::string translated(std::string_view pattern);

/// The first byte after the character at `at`, also at the end of the text.
size_t afterCharacter(std::string_view text, size_t at);

template <typename Visit> void Regex::eachPart(std::string_view text, MatchMemory &memory, Visit visit) const {
  size_t end = 0; // of the last match
  bool isFirst = true;
  for (size_t from = 0; from <= text.size();) {
    auto match = find(text, from, memory);
    if (!match)
      break;
    if (match->empty() && match->begin == end && !isFirst) {
      from = afterCharacter(text, match->end);
      continue;
    }
    if (end != match->begin)
      visit(Range{end, match->begin}, false);
    visit(*match, true);
    end = match->end;
    from = match->empty() ? afterCharacter(text, end) : end;
    isFirst = false;
  }
  if (end != text.size())
    visit(Range{end, text.size()}, false);
}

} // namespace attnc::tokenizer
