#include "frontends/tokenizer/Regex.h"
#include "frontends/tokenizer/Errors.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace attnc::tokenizer {

static constexpr uint32_t mostSteps = 10'000'000; ///< of one match, before it is given up
static constexpr size_t leastStack = 32 << 10, mostStack = 16 << 20;

static constexpr std::string_view whitespace = R"(\t-\r\x{85}\p{Z})";
static constexpr std::string_view wordCharacters =
    R"(\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{24B6}-\x{24E9})"
    R"(\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";
// The superscripts and fractions of Latin-1, which Oniguruma counts as word characters outside of classes.
static constexpr std::string_view latinNumbers = R"(\xB2\xB3\xB9\xBC-\xBE)";
static constexpr std::string_view hexadecimalDigits = "0-9a-fA-F";

//===- Translation of patterns ------------------------------------------------------------------------------------===//

namespace {
/// Rewrites a pattern, one element after the other. `atom` is the place in the result of the last element that a
/// quantifier can repeat.
class Translator {
public:
  explicit Translator(std::string_view pattern) : pattern(pattern) {}
  std::string run();

private:
  void element();
  void escape(bool isInClass);
  void characterClass();
  void interval();
  char peek(size_t offset) const { return at + offset < pattern.size() ? pattern[at + offset] : '\0'; }
  void copy(size_t count) { result += pattern.substr(at, count), at += std::min(count, pattern.size() - at); }

  std::string_view pattern;
  size_t at = 0, atom = 0;
  std::string result;
  std::vector<size_t> opened; ///< places in the result of the open groups
};
} // namespace

std::string Translator::run() {
  while (at < pattern.size())
    element();
  return std::move(result);
}

void Translator::element() {
  char first = peek(0);
  if (first == '{' && peek(1) >= '0' && peek(1) <= '9')
    return interval();
  if (first == '*' || first == '+' || first == '?')
    return copy(1);
  atom = result.size();
  if (first == '\\')
    return escape(false);
  if (first == '[')
    return characterClass();
  if (first == '(')
    opened.push_back(result.size());
  if (first == ')' && !opened.empty()) {
    atom = opened.back();
    opened.pop_back();
  }
  copy(characterBytes(first));
}

/// An escape. In a class, the complement of a set is left to PCRE2, except for hexadecimal digits.
void Translator::escape(bool isInClass) {
  char name = peek(1);
  std::string_view set;
  if (name == 's' || name == 'S')
    set = whitespace;
  else if (name == 'w' || name == 'W')
    set = wordCharacters;
  else if (name == 'h' || name == 'H')
    set = hexadecimalDigits;
  bool isComplement = name == 'S' || name == 'W' || name == 'H';
  if (set.empty() || (isComplement && isInClass)) {
    if (name == 'H')
      throw std::invalid_argument("\\H in a class is not supported");
    size_t count = at + 1 < pattern.size() ? 1 + characterBytes(name) : 1;
    if ((name == 'p' || name == 'P' || name == 'x' || name == 'k') && peek(2) == '{')
      if (size_t end = pattern.find('}', at); end != pattern.npos)
        count = end + 1 - at;
    return copy(count);
  }
  bool hasNumbers = set == wordCharacters && !isInClass;
  std::string members = std::string(set) + std::string(hasNumbers ? latinNumbers : "");
  result += isInClass ? members : (isComplement ? "[^" : "[") + members + "]";
  at += 2;
}

void Translator::characterClass() {
  copy(peek(1) == '^' ? 2 : 1);
  if (peek(0) == ']')
    copy(1);
  while (at < pattern.size() && peek(0) != ']') {
    if (peek(0) == '\\') {
      escape(true);
    } else if (peek(0) == '[' && peek(1) == ':') {
      size_t end = pattern.find(":]", at);
      copy(end == pattern.npos ? 1 : end + 2 - at);
    } else if (peek(0) == '[' || (peek(0) == '&' && peek(1) == '&')) {
      throw std::invalid_argument("set operations in a class ([a&&[^b]]) are not supported");
    } else {
      copy(characterBytes(peek(0)));
    }
  }
  copy(1);
}

/// A quantifier {n,m}. A + after it repeats the repetition.
void Translator::interval() {
  size_t end = pattern.find('}', at);
  copy(end == pattern.npos ? 1 : end + 1 - at);
  if (end == pattern.npos || peek(0) != '+')
    return;
  result.insert(atom, "(?:");
  result += ")";
  copy(1);
}

std::string translated(std::string_view pattern) { return Translator(pattern).run(); }

//===- Matching ---------------------------------------------------------------------------------------------------===//

MatchMemory::MatchMemory() {
  data = pcre2_match_data_create(1, nullptr);
  context = pcre2_match_context_create(nullptr);
  stack = pcre2_jit_stack_create(leastStack, mostStack, nullptr);
  if (!data || !context || !stack) {
    this->~MatchMemory();
    throw std::bad_alloc();
  }
  pcre2_set_match_limit(context, mostSteps);
  pcre2_jit_stack_assign(context, nullptr, stack);
}

MatchMemory::~MatchMemory() {
  pcre2_match_data_free(data);
  pcre2_match_context_free(context);
  pcre2_jit_stack_free(stack);
}

static std::string messageOf(int code) {
  unsigned char text[256] = "";
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char *>(text);
}

Regex::Regex(const std::string &pattern) : Regex(translated(pattern), PCRE2_MULTILINE) {}

Regex Regex::literal(const std::string &text) { return Regex(text, PCRE2_LITERAL); }

Regex::Regex(const std::string &pattern, unsigned options) {
  int error = 0;
  size_t place = 0;
  if (!(options & PCRE2_LITERAL))
    options |= PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
  std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context *)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  if (!context)
    throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_code *compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                       options | PCRE2_UTF, &error, &place, context.get());
  if (!compiled)
    throw std::invalid_argument(messageOf(error));
  code = std::shared_ptr<pcre2_code>(compiled, pcre2_code_free);
  pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE); // without JIT, pcre2_match interprets the expression
}

std::optional<Range> Regex::find(std::string_view text, size_t from, MatchMemory &memory) const {
  int result = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from, PCRE2_NO_UTF_CHECK,
                           memory.data, memory.context);
  if (result == PCRE2_ERROR_NOMATCH)
    return std::nullopt;
  if (result == PCRE2_ERROR_NOMEMORY)
    throw std::bad_alloc();
  if (result < 0)
    throw TextError("a regular expression of the tokenizer gave up on the text: " + messageOf(result));
  const size_t *bounds = pcre2_get_ovector_pointer(memory.data);
  return Range{bounds[0], bounds[1]};
}

size_t afterCharacter(std::string_view text, size_t at) {
  return at < text.size() ? at + characterBytes(text[at]) : at + 1;
}

} // namespace attnc::tokenizer
