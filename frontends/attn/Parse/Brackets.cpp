#include "frontends/attn/Parse/Brackets.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {
namespace {

bool isOpening(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftSquare || kind == TokenKind::LeftBrace;
}
bool isClosing(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightSquare || kind == TokenKind::RightBrace;
}
TokenKind closingOf(TokenKind kind) {
  return kind == TokenKind::LeftParen    ? TokenKind::RightParen
         : kind == TokenKind::LeftSquare ? TokenKind::RightSquare
                                         : TokenKind::RightBrace;
}

class Pairing {
public:
  Pairing(TokenStream &stream, const SourceManager &sources, DiagnosticEngine &diagnostics)
      : stream(stream), tokens(stream.tokens), sources(sources), diagnostics(diagnostics) {}

  void run() {
    for (uint32_t i = 0; i < tokens.size(); ++i)
      if (isOpening(tokens[i].kind))
        push(i);
      else if (isClosing(tokens[i].kind))
        close(i);
    while (!open.empty())
      unclosed();
  }

private:
  void push(uint32_t opening) {
    open.push_back(opening);
    openBraces += tokens[opening].kind == TokenKind::LeftBrace;
  }
  uint32_t pop() {
    uint32_t opening = open.back();
    open.pop_back();
    openBraces -= tokens[opening].kind == TokenKind::LeftBrace;
    return opening;
  }

  void pair(uint32_t opening, uint32_t closing) {
    tokens[opening].partner = closing;
    tokens[closing].partner = opening;
  }

  void unbalanced(uint32_t token) { stream.firstUnbalanced = std::min(stream.firstUnbalanced, token); }

  void close(uint32_t closing) {
    auto fits = [&](uint32_t opening) { return closingOf(tokens[opening].kind) == tokens[closing].kind; };
    if (!open.empty() && fits(open.back())) {
      pair(pop(), closing);
      return;
    }
    // A brace also ends the unclosed brackets in its block.
    bool endsBlock = tokens[closing].kind == TokenKind::RightBrace && openBraces > 0;
    if (endsBlock) {
      while (!fits(open.back()))
        unclosed();
      pair(pop(), closing);
      return;
    }
    mismatched(closing);
  }

  /// Reports `f(a]`, with the wrong bracket, or `f([a)`, with a missing one.
  void mismatched(uint32_t closing) {
    unbalanced(open.empty() ? closing : open.back());
    std::string found = describe(tokens[closing].kind);
    if (open.empty()) {
      diagnostics.error(DiagnosticKind::UnclosedBracket, tokens[closing].range, found + " closes nothing");
      return;
    }
    diagnostics
        .error(DiagnosticKind::UnclosedBracket, tokens[closing].range,
               fmt::format("{} does not close {}", found, describe(tokens[open.back()].kind)))
        .label(fmt::format("expected {}", describe(closingOf(tokens[open.back()].kind))))
        .label(tokens[open.back()].range, "opened here");
    pop();
    if (!open.empty() && closingOf(tokens[open.back()].kind) == tokens[closing].kind)
      pair(pop(), closing);
  }

  void unclosed() {
    uint32_t opening = pop();
    unbalanced(opening);
    Diagnostic &diagnostic = diagnostics.error(DiagnosticKind::UnclosedBracket, tokens[opening].range,
                                               fmt::format("this {} is never closed", describe(tokens[opening].kind)));
    if (tokens[opening].kind != TokenKind::LeftBrace || !open.empty())
      return;
    if (uint32_t suspect = outdentedBlock(opening); suspect != Token::none)
      diagnostic
          .label(tokens[suspect].range, fmt::format("this {} may lack its {}", describe(TokenKind::LeftBrace),
                                                    describe(TokenKind::RightBrace)))
          .label(tokens[tokens[suspect].partner].range, "this one is further left");
  }

  uint32_t columnOf(uint32_t token) const {
    return sources.file(tokens[token].range.file).lineColumn(tokens[token].range.begin).column;
  }

  /// Returns, of the blocks after `opening` that end with less indentation than their lines, which suggests a missing
  /// `}`, the one that ends first.
  uint32_t outdentedBlock(uint32_t opening) const {
    uint32_t indentation = 0, suspect = Token::none;
    for (uint32_t i = opening + 1; i < tokens.size(); ++i) {
      if (tokens[i].startsLine)
        indentation = columnOf(i);
      uint32_t closing = tokens[i].partner;
      if (tokens[i].kind == TokenKind::LeftBrace && closing != Token::none && tokens[closing].startsLine &&
          columnOf(closing) < indentation && (suspect == Token::none || closing < tokens[suspect].partner))
        suspect = i;
    }
    return suspect;
  }

  TokenStream &stream;
  std::vector<Token> &tokens;
  const SourceManager &sources;
  DiagnosticEngine &diagnostics;
  std::vector<uint32_t> open;
  size_t openBraces = 0;
};

} // namespace

void pairBrackets(TokenStream &stream, const SourceManager &sources, DiagnosticEngine &diagnostics) {
  Pairing(stream, sources, diagnostics).run();
}

} // namespace attnc
