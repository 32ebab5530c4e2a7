#include "frontends/attn/Parse/StatementParser.h"

#include <fmt/format.h>

namespace attnc {

using namespace ast;

// block = "{" statement* "}"
Block StatementParser::block(const char *where) {
  Block block;
  SourceRange start = tokens.current().range;
  NestingScope nested(tokens);
  if (!tokens.enter() || !tokens.expect(TokenKind::LeftBrace, where))
    return block;
  ContextScope scope(tokens, {.newlines = true, .lambdas = true});
  tokens.elements([&] { return tokens.is(TokenKind::RightBrace); },
                  [&] {
                    block.statements.push_back(statement());
                    tokens.endOfStatement();
                  },
                  [&] { return tokens.current().startsLine; });
  tokens.expect(TokenKind::RightBrace, "after the statements");
  block.range = tokens.since(start);
  return block;
}

// statement = let | var | const | for | if | return | assignment | update | expression
StmtPtr StatementParser::statement() {
  switch (tokens.current().kind) {
  case TokenKind::KwLet:
  case TokenKind::KwVar:
    return letStatement();
  case TokenKind::KwConst: {
    auto stmt = std::make_unique<ConstStmt>(tokens.current().range);
    stmt->decl = constDecl();
    stmt->range = stmt->decl.range;
    return stmt;
  }
  case TokenKind::KwFor:
    return forStatement();
  case TokenKind::KwIf:
    return ifStatement();
  case TokenKind::KwReturn:
    return returnStatement();
  default:
    return simpleStatement();
  }
}

// let = ("let" pattern | "var" name) [":" type] "=" expression
StmtPtr StatementParser::letStatement() {
  auto stmt = std::make_unique<LetStmt>(tokens.current().range);
  stmt->isVar = tokens.take().kind == TokenKind::KwVar;
  stmt->pattern = pattern();
  if (tokens.accept(TokenKind::Colon))
    stmt->type = types.type();
  tokens.expect(TokenKind::Assign, "and a value");
  stmt->value = expressions.expression();
  stmt->range = tokens.since(stmt->range);
  return stmt;
}

// pattern = name | "(" name,+ ")"
Pattern StatementParser::pattern() {
  Pattern pattern;
  SourceRange start = tokens.current().range;
  if (tokens.is(TokenKind::LeftParen)) {
    pattern.isTuple = true;
    tokens.commaList(TokenKind::RightParen, "after the names", [&] { pattern.names.push_back(tokens.name("a name")); });
  } else {
    pattern.names.push_back(tokens.nameOnLine("a name"));
  }
  pattern.range = tokens.since(start);
  return pattern;
}

// for = "for" iteration block
StmtPtr StatementParser::forStatement() {
  auto stmt = std::make_unique<ForStmt>(tokens.take().range);
  stmt->iteration = expressions.iteration();
  stmt->body = block("and the statements of the loop");
  stmt->range = tokens.since(stmt->range);
  return stmt;
}

// if = "if" expression block ["else" (block | if)]
// An expression `if c then a else b` may stand here too; the token after the condition decides.
StmtPtr StatementParser::ifStatement() {
  SourceRange start = tokens.take().range;
  ExprPtr condition = expressions.expression();
  if (!tokens.isLost() && tokens.is(TokenKind::KwThen)) {
    auto stmt = std::make_unique<ExpressionStmt>(start);
    stmt->value = expressions.conditional(start, std::move(condition));
    stmt->range = stmt->value->range;
    return stmt;
  }
  auto stmt = std::make_unique<IfStmt>(start);
  stmt->condition = std::move(condition);
  stmt->thenBlock = block("and statements, or `then` and a value,");
  if (tokens.accept(TokenKind::KwElse)) {
    NestingScope nested(tokens);
    if (!tokens.isLost() && tokens.is(TokenKind::KwIf) && tokens.enter()) {
      Block alternative;
      alternative.range = tokens.current().range;
      alternative.statements.push_back(ifStatement());
      alternative.range = tokens.since(alternative.range);
      stmt->elseBlock = std::move(alternative);
    } else {
      stmt->elseBlock = block("and the statements of `else`");
    }
  }
  stmt->range = tokens.since(start);
  return stmt;
}

// return = "return" expression
StmtPtr StatementParser::returnStatement() {
  auto stmt = std::make_unique<ReturnStmt>(tokens.take().range);
  stmt->value = expressions.expression();
  stmt->range = tokens.since(stmt->range);
  return stmt;
}

// assignment = name "=" expression        update = name ("." name)* "<-" expression
StmtPtr StatementParser::simpleStatement() {
  SourceRange start = tokens.current().range;
  bool isAssignment = tokens.is(TokenKind::Identifier) && tokens.peek(1).kind == TokenKind::Assign;
  if (isAssignment) {
    auto stmt = std::make_unique<AssignStmt>(start);
    stmt->target = tokens.name("a name");
    tokens.take();
    stmt->value = expressions.expression();
    stmt->range = tokens.since(start);
    return stmt;
  }
  bool isOperator = tokens.peek(2).kind == TokenKind::Assign && tokens.peek(1).range.end == tokens.peek(2).range.begin;
  if (tokens.is(TokenKind::Identifier) && isOperator && !tokens.peek(1).startsLine) {
    std::string variable(tokens.text(tokens.current())), op(tokens.text(tokens.peek(1)));
    if (Diagnostic *diagnostic = tokens.error(DiagnosticKind::Syntax, merge(tokens.peek(1).range, tokens.peek(2).range),
                                              fmt::format("there is no `{}=`", op)))
      diagnostic->hint(fmt::format("write `{0} = {0} {1} ...`", variable, op));
  }
  ExprPtr value = expressions.expression();
  bool isState = value->kind == ExprKind::NameRef || value->kind == ExprKind::Member;
  if (!tokens.isLost() && tokens.is(TokenKind::LeftArrow) && !isState)
    tokens.error(DiagnosticKind::BadTarget, value->range, "this is not a state that `<-` can update");
  if (tokens.accept(TokenKind::LeftArrow)) {
    auto stmt = std::make_unique<UpdateStmt>(start);
    stmt->target = std::move(value);
    stmt->value = expressions.expression();
    stmt->range = tokens.since(start);
    return stmt;
  }
  if (!tokens.isLost() && tokens.is(TokenKind::Assign) && !tokens.atLineEnd() && value->kind != ExprKind::NameRef)
    if (Diagnostic *diagnostic = tokens.error(DiagnosticKind::BadTarget, value->range, "this cannot be assigned"))
      diagnostic->hint("assign a whole `var`; a tensor is built by its elements with `[i] => ...`");
  auto stmt = std::make_unique<ExpressionStmt>(start);
  stmt->range = value->range;
  stmt->value = std::move(value);
  return stmt;
}

// const = "const" name "=" expression
ConstDecl StatementParser::constDecl() {
  ConstDecl decl;
  decl.doc = tokens.doc();
  SourceRange start = tokens.take().range;
  decl.name = tokens.nameOnLine("the name of the constant");
  tokens.expect(TokenKind::Assign, "and the constant's value");
  decl.value = expressions.expression();
  decl.range = tokens.since(start);
  return decl;
}

} // namespace attnc
