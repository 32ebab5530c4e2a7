#include "frontends/attn/Parse/Lexer.h"
#include "compiler/Diagnostics/Utf8.h"
#include "frontends/attn/Parse/Brackets.h"

#include <fmt/format.h>
#include <utility>

namespace attnc {
namespace {

struct Spelling {
  std::string_view text;
  TokenKind kind;
};

constexpr Spelling keywords[] = {
    {"and", TokenKind::KwAnd},     {"as", TokenKind::KwAs},     {"attend", TokenKind::KwAttend},
    {"const", TokenKind::KwConst}, {"else", TokenKind::KwElse}, {"export", TokenKind::KwExport},
    {"false", TokenKind::KwFalse}, {"fn", TokenKind::KwFn},     {"for", TokenKind::KwFor},
    {"if", TokenKind::KwIf},       {"in", TokenKind::KwIn},     {"let", TokenKind::KwLet},
    {"not", TokenKind::KwNot},     {"or", TokenKind::KwOr},     {"return", TokenKind::KwReturn},
    {"scan", TokenKind::KwScan},   {"then", TokenKind::KwThen}, {"true", TokenKind::KwTrue},
    {"var", TokenKind::KwVar},
};

/// Longer spellings precede their prefixes.
constexpr Spelling punctuation[] = {
    {"=>", TokenKind::FatArrow},     {"->", TokenKind::Arrow},     {"<-", TokenKind::LeftArrow},
    {"==", TokenKind::Equal},        {"!=", TokenKind::NotEqual},  {"<=", TokenKind::LessEqual},
    {">=", TokenKind::GreaterEqual}, {"**", TokenKind::StarStar},  {"..", TokenKind::Rest},
    {"(", TokenKind::LeftParen},     {")", TokenKind::RightParen}, {"[", TokenKind::LeftSquare},
    {"]", TokenKind::RightSquare},   {"{", TokenKind::LeftBrace},  {"}", TokenKind::RightBrace},
    {",", TokenKind::Comma},         {":", TokenKind::Colon},      {";", TokenKind::Semicolon},
    {".", TokenKind::Dot},           {"#", TokenKind::Hash},       {"=", TokenKind::Assign},
    {"+", TokenKind::Plus},          {"-", TokenKind::Minus},      {"*", TokenKind::Star},
    {"/", TokenKind::Slash},         {"%", TokenKind::Percent},    {"@", TokenKind::At},
    {"'", TokenKind::Quote},         {"<", TokenKind::Less},       {">", TokenKind::Greater},
};

/// Operators of other languages, which are reported and read as the equivalent one.
constexpr Spelling meant[] = {
    {"&&", TokenKind::KwAnd},
    {"&", TokenKind::KwAnd},
    {"||", TokenKind::KwOr},
    {"|", TokenKind::KwOr},
    {"!", TokenKind::KwNot},
    {"^", TokenKind::StarStar},
    {"\xE2\x89\xA4", TokenKind::LessEqual},
    {"\xE2\x89\xA5", TokenKind::GreaterEqual},
    {"\xE2\x89\xA0", TokenKind::NotEqual},
    {"\xC3\x97", TokenKind::Star},
    {"\xC2\xB7", TokenKind::Star},
    {"\xE2\x88\x92", TokenKind::Minus},
    {"\xE2\x80\xA6", TokenKind::Rest},
    {"\xE2\x86\x90", TokenKind::LeftArrow},
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWord(char c) { return isWordStart(c) || isDigit(c); }
bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

class Lexer {
public:
  Lexer(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics)
      : text(sources.file(file).text()), file(file), diagnostics(diagnostics) {}

  TokenStream run() {
    if (startsWith("\xEF\xBB\xBF")) // some editors begin a text with a byte order mark
      at = 3;
    if (isText())
      while (skipBlank(), at < text.size())
        token();
    add(TokenKind::EndOfFile, at);
    return std::move(stream);
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool startsWith(std::string_view words) const { return text.substr(at).starts_with(words); }
  SourceRange rangeFrom(size_t begin) const { return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(at)}; }

  /// Reports a binary file with one error instead of an error for each byte.
  bool isText() {
    size_t begin = findNonText(text);
    if (begin == text.npos)
      return true;
    at = begin + 1;
    diagnostics
        .error(DiagnosticKind::NotText, rangeFrom(begin),
               fmt::format("this file is not text: it has the byte 0x{:02X} here",
                           static_cast<unsigned char>(text[begin])))
        .hint("a model is text in UTF-8");
    return false;
  }

  void add(TokenKind kind, size_t begin) {
    Token token;
    token.kind = kind;
    token.startsLine = lineBroken;
    token.range = rangeFrom(begin);
    if (lineBroken && !comment.empty()) {
      token.doc = static_cast<uint32_t>(stream.docs.size());
      stream.docs.push_back(std::move(comment));
    }
    token.damaged = damaged;
    comment.clear();
    lineBroken = damaged = false;
    stream.tokens.push_back(token);
  }

  /// Skips white space and comments. A block of `///` is retained up to the token directly below it.
  void skipBlank() {
    bool emptyLine = true; // no token since the last line break or comment
    for (; at < text.size(); ++at) {
      char c = text[at];
      if (c == '\n') {
        if (emptyLine && lineBroken)
          comment.clear();
        lineBroken = emptyLine = true;
      } else if (c == '/' && peek(1) == '/') {
        readComment();
        emptyLine = false;
        --at;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  void readComment() {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view words = text.substr(at, end - at);
    at = end;
    if (!words.starts_with("///"))
      return;
    words.remove_prefix(3);
    if (words.starts_with(' '))
      words.remove_prefix(1);
    words = words.substr(0, words.find_last_not_of(" \t\r") + 1);
    if (lineBroken) {
      if (!comment.empty())
        comment += '\n';
      comment += words;
    }
  }

  void token() {
    char c = text[at];
    if (isWordStart(c))
      word();
    else if (isDigit(c) || (c == '.' && isDigit(peek(1))))
      number();
    else if (c == '"')
      string();
    else
      symbol();
  }

  void word() {
    size_t begin = at;
    while (isWord(peek()))
      ++at;
    std::string_view found = text.substr(begin, at - begin);
    for (const Spelling &keyword : keywords)
      if (keyword.text == found)
        return add(keyword.kind, begin);
    add(TokenKind::Identifier, begin);
  }

  void digits() {
    while (isDigit(peek()) || (peek() == '_' && isDigit(peek(1))))
      ++at;
  }

  void number() {
    size_t begin = at;
    TokenKind kind = TokenKind::Integer;
    digits();
    if (peek() == '.' && isDigit(peek(1))) {
      kind = TokenKind::Float;
      ++at;
      digits();
    }
    size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && isDigit(peek(1 + sign))) {
      kind = TokenKind::Float;
      at += 1 + sign;
      digits();
    }
    if (text[begin] == '.')
      diagnostics.error(DiagnosticKind::BadNumber, rangeFrom(begin), "a number starts with a digit")
          .hint(fmt::format("write `0{}`", text.substr(begin, at - begin)));
    if (isWord(peek())) {
      size_t tail = at;
      while (isWord(peek()))
        ++at;
      diagnostics
          .error(DiagnosticKind::BadNumber, rangeFrom(begin),
                 fmt::format("`{}` is not a number", text.substr(begin, at - begin)))
          .hint(fmt::format("a product is written `{} * {}`", text.substr(begin, tail - begin),
                            text.substr(tail, at - tail)));
    }
    add(kind, begin);
  }

  void string() {
    size_t begin = at++;
    while (at < text.size() && text[at] != '"' && text[at] != '\n') {
      if (text[at++] != '\\' || at >= text.size() || text[at] == '\n')
        continue;
      ++at;
      if (std::string_view("nt\\\"").find(text[at - 1]) == std::string_view::npos)
        diagnostics.error(DiagnosticKind::BadEscape, rangeFrom(at - 2), "unknown escape in a string")
            .hint("an escape is one of `\\n`, `\\t`, `\\\\`, `\\\"`");
    }
    if (peek() == '"')
      ++at;
    else
      diagnostics.error(DiagnosticKind::UnterminatedString, rangeFrom(begin), "this string is not closed")
          .hint("a string ends with `\"` on the line where it begins");
    add(TokenKind::String, begin);
  }

  void symbol() {
    size_t begin = at;
    for (const Spelling &symbol : punctuation)
      if (startsWith(symbol.text)) {
        at += symbol.text.size();
        return add(symbol.kind, begin);
      }
    unexpected();
  }

  void unexpected() {
    size_t begin = at;
    for (const Spelling &symbol : meant)
      if (startsWith(symbol.text)) {
        at += symbol.text.size();
        diagnostics.error(DiagnosticKind::UnexpectedCharacter, rangeFrom(begin), "unexpected character")
            .hint(fmt::format("write {}", describe(symbol.kind)));
        return add(symbol.kind, begin);
      }
    ++at;
    while (at < text.size() && isContinuation(text[at]) && at - begin < 4)
      ++at;
    if (!damaged)
      diagnostics.error(DiagnosticKind::UnexpectedCharacter, rangeFrom(begin), "unexpected character");
    damaged = true;
  }

  std::string_view text;
  FileId file;
  DiagnosticEngine &diagnostics;
  size_t at = 0;
  bool lineBroken = true;
  bool damaged = false;
  std::string comment; ///< the lines of `///` since the last token or empty line
  TokenStream stream;
};

} // namespace

std::string describe(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "the end of the file";
  case TokenKind::Identifier:
    return "a name";
  case TokenKind::Integer:
  case TokenKind::Float:
    return "a number";
  case TokenKind::String:
    return "a string";
  default:
    break;
  }
  for (const Spelling &spelling : keywords)
    if (spelling.kind == kind)
      return fmt::format("`{}`", spelling.text);
  for (const Spelling &spelling : punctuation)
    if (spelling.kind == kind)
      return fmt::format("`{}`", spelling.text);
  return "a word";
}

TokenStream lex(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics) {
  TokenStream stream = Lexer(sources, file, diagnostics).run();
  pairBrackets(stream, sources, diagnostics);
  return stream;
}

} // namespace attnc
