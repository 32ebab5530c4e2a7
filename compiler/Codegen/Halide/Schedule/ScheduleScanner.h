//===- ScheduleScanner.h - tokeniser of the text of Halide schedules ----------------------------------------------===//
//
// Used by parseSchedule() (ScheduleText.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

namespace attnc::halide {

/// Splits a text into words. A word is a name or number (letters, digits, `_`, `$` and all that is not ASCII), or one
/// other character; blanks separate words. The first error is recorded in `error`; afterwards, only next() consumes
/// more words. `text` must outlive the scanner.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) { skipBlanks(); }

  bool failed() const { return !error.empty(); }
  bool atEnd() const { return place == text.size(); }

  /// Unless there was an error before, records the error "at column N: found WORD, expected `expected`". WORD is the
  /// word that was read last, even by an accept() that did not consume it; N counts bytes from 1. Returns false.
  bool fail(const std::string &expected) {
    if (error.empty())
      error = "at column " + std::to_string(last + 1) + ": found " + (found.empty() ? "the end" : found) +
              ", expected " + expected;
    return false;
  }

  /// Consumes and returns the next word; empty at the end. The reference is valid until the next call.
  const std::string &next() {
    last = place;
    // A letter outside of ASCII has several bytes, all at least 0x80.
    auto isWord = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '$' || c >= 0x80; };
    size_t end = place;
    while (end < text.size() && isWord(text[end]))
      ++end;
    if (end == place && place < text.size())
      ++end;
    found = text.substr(place, end - place);
    place = end;
    skipBlanks();
    return found;
  }

  /// Consumes the next word if it is `word` and there was no error; returns whether it did.
  bool accept(std::string_view word) {
    size_t before = place;
    if (!failed() && next() == word)
      return true;
    place = before;
    return false;
  }

  /// Consumes the next word. If it is not `word`, records an error and returns false.
  bool expect(const std::string &word) { return !failed() && (next() == word || fail("`" + word + "`")); }

  /// Consumes the next word, a name, and returns it. If it does not begin with an ASCII letter or `_`, records an error
  /// that expects `what`. After an error, the result has no meaning.
  std::string name(const std::string &what) {
    if (failed() || next().empty() || !(std::isalpha(static_cast<unsigned char>(found[0])) || found[0] == '_'))
      fail(what);
    return found;
  }

  /// Consumes the next word, a decimal number of at most 9 digits from `least` to `most`, and returns it. For any other
  /// word, records an error and returns `least`. After an earlier error, also returns `least`.
  int64_t number(int64_t least, int64_t most) {
    if (failed())
      return least;
    const std::string &word = next();
    bool isNumber = !word.empty() && word.size() < 10 &&
                    std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
    int64_t value = isNumber ? std::stoll(word) : least - 1;
    if (value >= least && value <= most)
      return value;
    fail("a number from " + std::to_string(least) + " to " + std::to_string(most));
    return least;
  }

  std::string error; ///< the first error; empty before

private:
  void skipBlanks() {
    while (place < text.size() && std::isspace(static_cast<unsigned char>(text[place])))
      ++place;
  }

  std::string_view text;
  size_t place = 0, last = 0;
  std::string found;
};

} // namespace attnc::halide
