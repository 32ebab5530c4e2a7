#include "frontends/attn/Parse/TokenReader.h"

#include <algorithm>

namespace attnc {

const Token &TokenReader::peek(uint32_t ahead) const {
  return stream.tokens[std::min<size_t>(at + ahead, stream.tokens.size() - 1)];
}

std::string TokenReader::doc() const { return current().doc == Token::none ? "" : stream.docs[current().doc]; }

const Token *TokenReader::behindBracket(uint32_t ahead) const {
  uint32_t partner = peek(ahead).partner;
  return partner == Token::none ? nullptr : &stream.tokens[partner + 1];
}

Token TokenReader::take() {
  Token token = current();
  if (token.kind != TokenKind::EndOfFile)
    ++at;
  return token;
}

void TokenReader::skip() {
  uint32_t partner = current().partner;
  if (partner != Token::none && partner > at)
    at = partner;
  take();
}

} // namespace attnc
