// Statements and blocks.

#include "frontends/attn/Parse/Parser.h"

#include <fmt/format.h>

namespace attnc {

using namespace ast;

// block = "{" statement* "}"
Block Parser::block(const char *where) {
  Block block;
  SourceRange start = current().range;
  NestingScope nested(*this);
  if (!enter() || !expect(TokenKind::LeftBrace, where))
    return block;
  ContextScope scope(*this, {.newlines = true, .lambdas = true});
  elements([&] { return is(TokenKind::RightBrace); },
           [&] {
             block.statements.push_back(statement());
             endOfStatement();
           },
           [&] { return current().startsLine; });
  expect(TokenKind::RightBrace, "behind the statements");
  block.range = since(start);
  return block;
}

// statement = let | var | const | for | if | return | assignment | update | expression
StmtPtr Parser::statement() {
  switch (current().kind) {
  case TokenKind::KwLet:
  case TokenKind::KwVar:
    return letStatement();
  case TokenKind::KwConst: {
    auto stmt = std::make_unique<ConstStmt>(current().range);
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
StmtPtr Parser::letStatement() {
  auto stmt = std::make_unique<LetStmt>(current().range);
  stmt->isVar = take().kind == TokenKind::KwVar;
  stmt->pattern = pattern();
  if (accept(TokenKind::Colon))
    stmt->type = type();
  expect(TokenKind::Assign, "and a value");
  stmt->value = expression();
  stmt->range = since(stmt->range);
  return stmt;
}

// pattern = name | "(" name,+ ")"
Pattern Parser::pattern() {
  Pattern pattern;
  SourceRange start = current().range;
  if (is(TokenKind::LeftParen)) {
    pattern.isTuple = true;
    commaList(TokenKind::RightParen, "behind the names", [&] { pattern.names.push_back(name("a name")); });
  } else {
    pattern.names.push_back(nameOnLine("a name"));
  }
  pattern.range = since(start);
  return pattern;
}

// iteration = name "<" expression | name "in" expression
Iteration Parser::iteration() {
  Iteration iteration;
  SourceRange start = current().range;
  iteration.name = nameOnLine("the name of what `for` runs over");
  iteration.isBelow = accept(TokenKind::Less);
  if (!iteration.isBelow && !accept(TokenKind::KwIn))
    if (Diagnostic *diagnostic = expected("`in` or `<`"))
      diagnostic->hint("`for block in blocks` runs over a list, `for l < n` over the numbers below n");
  iteration.source = expression();
  iteration.range = since(start);
  return iteration;
}

// for = "for" iteration block
StmtPtr Parser::forStatement() {
  auto stmt = std::make_unique<ForStmt>(take().range);
  stmt->iteration = iteration();
  stmt->body = block("and the statements of the loop");
  stmt->range = since(stmt->range);
  return stmt;
}

// if = "if" expression block ["else" (block | if)]
// An expression `if c then a else b` may stand here too: what follows the condition tells.
StmtPtr Parser::ifStatement() {
  SourceRange start = take().range;
  ExprPtr condition = expression();
  if (!lost && is(TokenKind::KwThen)) {
    auto stmt = std::make_unique<ExpressionStmt>(start);
    stmt->value = conditional(start, std::move(condition));
    stmt->range = stmt->value->range;
    return stmt;
  }
  auto stmt = std::make_unique<IfStmt>(start);
  stmt->condition = std::move(condition);
  stmt->thenBlock = block("and statements, or `then` and a value,");
  if (accept(TokenKind::KwElse)) {
    NestingScope nested(*this);
    if (!lost && is(TokenKind::KwIf) && enter()) {
      Block alternative;
      alternative.range = current().range;
      alternative.statements.push_back(ifStatement());
      alternative.range = since(alternative.range);
      stmt->elseBlock = std::move(alternative);
    } else {
      stmt->elseBlock = block("and the statements of `else`");
    }
  }
  stmt->range = since(start);
  return stmt;
}

// return = "return" expression
StmtPtr Parser::returnStatement() {
  auto stmt = std::make_unique<ReturnStmt>(take().range);
  stmt->value = expression();
  stmt->range = since(stmt->range);
  return stmt;
}

// assignment = name "=" expression        update = name ("." name)* "<-" expression
StmtPtr Parser::simpleStatement() {
  SourceRange start = current().range;
  bool isAssignment = is(TokenKind::Identifier) && peek(1).kind == TokenKind::Assign;
  if (isAssignment) {
    auto stmt = std::make_unique<AssignStmt>(start);
    stmt->target = name("a name");
    take();
    stmt->value = expression();
    stmt->range = since(start);
    return stmt;
  }
  bool isOperator = peek(2).kind == TokenKind::Assign && peek(1).range.end == peek(2).range.begin;
  if (is(TokenKind::Identifier) && isOperator && !peek(1).startsLine) {
    std::string variable(text(current())), op(text(peek(1)));
    if (Diagnostic *diagnostic =
            error(DiagnosticKind::Syntax, merge(peek(1).range, peek(2).range), fmt::format("there is no `{}=`", op)))
      diagnostic->hint(fmt::format("write `{0} = {0} {1} ...`", variable, op));
  }
  ExprPtr value = expression();
  bool isState = value->kind == ExprKind::NameRef || value->kind == ExprKind::Member;
  if (!lost && is(TokenKind::LeftArrow) && !isState)
    error(DiagnosticKind::BadTarget, value->range, "this is no state that `<-` could update");
  if (accept(TokenKind::LeftArrow)) {
    auto stmt = std::make_unique<UpdateStmt>(start);
    stmt->target = std::move(value);
    stmt->value = expression();
    stmt->range = since(start);
    return stmt;
  }
  if (!lost && is(TokenKind::Assign) && !atLineEnd() && value->kind != ExprKind::NameRef)
    if (Diagnostic *diagnostic = error(DiagnosticKind::BadTarget, value->range, "this cannot be assigned"))
      diagnostic->hint("assign a whole `var`; a tensor is built by its elements with `[i] => ...`");
  auto stmt = std::make_unique<ExpressionStmt>(start);
  stmt->range = value->range;
  stmt->value = std::move(value);
  return stmt;
}

} // namespace attnc
