#include "frontends/attn/Parse/IndexingParser.h"

#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Parse/StatementParser.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {

using namespace ast;

//===- Lists and index notation -------------------------------------------------------------------------------===//

// build | "[" expression,* "]" | "[" expression ";" expression "]" | "[" expression "for" iteration "]"
ExprPtr IndexingParser::squareBracketed() {
  const Token *behind = tokens.behindBracket(0);
  if (tokens.allowsLambda() && behind && behind->kind == TokenKind::FatArrow)
    return build();
  SourceRange start = tokens.current().range;
  auto list = std::make_unique<ListExpr>(start);
  ExprPtr other;
  tokens.commaList(TokenKind::RightSquare, "after the list", [&] {
    ExprPtr element = expressions.expression();
    if (list->elements.empty() && tokens.accept(TokenKind::Semicolon)) {
      auto repeat = std::make_unique<ListRepeatExpr>(start);
      repeat->element = std::move(element);
      repeat->count = expressions.expression();
      other = std::move(repeat);
    } else if (list->elements.empty() && tokens.accept(TokenKind::KwFor)) {
      auto comprehension = std::make_unique<ListComprehensionExpr>(start);
      comprehension->element = std::move(element);
      comprehension->iteration = expressions.iteration();
      other = std::move(comprehension);
    } else {
      if (other)
        tokens.expected("`]` after the list");
      list->elements.push_back(std::move(element));
    }
  });
  ExprPtr result = other ? std::move(other) : std::move(list);
  result->range = tokens.since(start);
  return result;
}

// build = "[" binder,+ "]" "=>" expression
ExprPtr IndexingParser::build() {
  auto expr = std::make_unique<BuildExpr>(tokens.current().range);
  tokens.commaList(TokenKind::RightSquare, "after the indices", [&] { expr->binders.push_back(binder()); });
  if (!tokens.isLost() && expr->binders.empty())
    tokens.error(DiagnosticKind::BadIndex, tokens.since(expr->range), "there is no index between the brackets");
  tokens.expect(TokenKind::FatArrow, "and an element");
  expr->body = expressions.expression();
  expr->range = tokens.since(expr->range);
  return expr;
}

// binder = ".." | name ["<" sum]
Binder IndexingParser::binder() {
  Binder binder;
  SourceRange start = tokens.current().range;
  if (tokens.accept(TokenKind::Rest)) {
    binder.isRest = true;
    binder.range = start;
    return binder;
  }
  if (!tokens.isLost() && !tokens.is(TokenKind::Identifier))
    tokens.error(DiagnosticKind::BadIndex, start,
                 fmt::format("an index is a name, not `{}`", tokens.text(tokens.current())));
  binder.name = tokens.name("the name of an index");
  if (tokens.accept(TokenKind::Less))
    binder.bound = expressions.sum();
  binder.range = tokens.since(start);
  bool ends = tokens.is(TokenKind::Comma) || tokens.is(TokenKind::RightSquare) || tokens.is(TokenKind::RightParen) ||
              tokens.is(TokenKind::FatArrow) || tokens.is(TokenKind::LeftBrace) || tokens.isWord("where");
  if (tokens.isLost() || ends || tokens.atLineEnd())
    return binder;
  if (Diagnostic *diagnostic =
          tokens.error(DiagnosticKind::BadIndex, tokens.current().range, "an index is a name, or a name below a bound"))
    diagnostic->hint(fmt::format("indices run from 0: write `{0}` or `{0} < n`", binder.name.text));
  return binder;
}

// keys = binder ("," binder)* | "(" binder,+ ")"
std::vector<Binder> IndexingParser::keys() {
  std::vector<Binder> list;
  if (tokens.is(TokenKind::LeftParen)) {
    SourceRange start = tokens.current().range;
    tokens.commaList(TokenKind::RightParen, "after the indices", [&] { list.push_back(binder()); });
    if (!tokens.isLost() && list.empty())
      tokens.error(DiagnosticKind::BadIndex, tokens.since(start), "there is no index between the parentheses");
    return list;
  }
  ContextScope scope(tokens, {.newlines = tokens.endsAtLines(), .lambdas = false});
  do
    list.push_back(binder());
  while (tokens.accept(TokenKind::Comma));
  return list;
}

//===- Reductions ---------------------------------------------------------------------------------------------===//

static constexpr std::pair<std::string_view, ReduceOp> reductions[] = {
    {"sum", ReduceOp::Sum}, {"prod", ReduceOp::Prod}, {"max", ReduceOp::Max},
    {"min", ReduceOp::Min}, {"mean", ReduceOp::Mean}, {"argmax", ReduceOp::ArgMax},
};

/// `sum k ...` and `sum (k, l) => ...` are reductions. `sum(x)` is a call, also in `sum k < max(n, m) => ...`.
std::optional<ReduceOp> IndexingParser::atReduce() const {
  const Token *behind = tokens.behindBracket(1);
  bool bracketed = tokens.allowsLambda() && tokens.peek(1).kind == TokenKind::LeftParen && behind &&
                   (behind->kind == TokenKind::FatArrow ||
                    (behind->kind == TokenKind::Identifier && tokens.text(*behind) == "where"));
  bool bare = tokens.peek(1).kind == TokenKind::Identifier && !(tokens.endsAtLines() && tokens.peek(1).startsLine);
  if (bracketed || bare)
    for (auto [word, op] : reductions)
      if (tokens.isWord(word))
        return op;
  return std::nullopt;
}

// reduction = word keys ["where" expression] "=>" expression
ExprPtr IndexingParser::reduce(ReduceOp op) {
  auto expr = std::make_unique<ReduceExpr>(tokens.current().range);
  expr->op = op;
  expr->opRange = tokens.take().range;
  expr->binders = keys();
  if (tokens.acceptWord("where")) {
    ContextScope scope(tokens, {.newlines = tokens.endsAtLines(), .lambdas = false});
    expr->filter = expressions.expression();
  }
  tokens.expect(TokenKind::FatArrow, "and the reduced elements");
  expr->body = expressions.expression();
  expr->range = tokens.since(expr->range);
  return expr;
}

//===- attend -------------------------------------------------------------------------------------------------===//

// attend = "attend" keys "{" (name ":" expression),* "}" ["yields" ("(" expression,* ")" | name ["(" argument,* ")"])]
ExprPtr IndexingParser::attend() {
  auto expr = std::make_unique<AttendExpr>(tokens.current().range);
  expr->keywordRange = tokens.take().range;
  expr->keys = keys();
  size_t errorsBefore = tokens.errorCount();
  if (tokens.expect(TokenKind::LeftBrace, "and the score")) {
    ContextScope scope(tokens, {.newlines = true, .lambdas = true});
    tokens.elements([&] { return tokens.is(TokenKind::RightBrace); }, [&] { attendEntry(*expr); },
                    [&] { return tokens.current().startsLine || tokens.previous().kind == TokenKind::Comma; });
    tokens.expect(TokenKind::RightBrace, "after the entries of `attend`");
  }
  if (!tokens.isLost() && !expr->score && tokens.errorCount() == errorsBefore)
    if (Diagnostic *diagnostic =
            tokens.report(DiagnosticKind::MissingScore, expr->keywordRange, "this `attend` has no score"))
      diagnostic->hint("give each pair a score: `score: dot(q[i], k[j]) / sqrt(d)`");
  bool yields = tokens.isWord("yields") && (!tokens.atLineEnd() || tokens.peek(1).kind == TokenKind::LeftParen);
  if (!tokens.isLost() && yields) {
    tokens.take();
    if (tokens.is(TokenKind::LeftParen))
      tokens.commaList(TokenKind::RightParen, "after the results",
                       [&] { expr->yields.push_back(expressions.expression()); });
    else
      expr->yields.push_back(yielded());
  }
  expr->range = tokens.since(expr->range);
  return expr;
}

ExprPtr IndexingParser::yielded() {
  auto word = std::make_unique<NameRefExpr>(tokens.current().range);
  word->name = tokens.name("a result of `attend`").text;
  if (tokens.isLost() || !tokens.is(TokenKind::LeftParen) || tokens.atLineEnd())
    return word;
  SourceRange start = word->range;
  ExprPtr result = expressions.call(std::move(word));
  result->range = tokens.since(start);
  return result;
}

/// Returns the member for an entry of `attend`; null for an unknown name.
static ExprPtr *slotOf(AttendExpr &attend, std::string_view entry) {
  return entry == "score"         ? &attend.score
         : entry == "mask"        ? &attend.mask
         : entry == "by"          ? &attend.by
         : entry == "value"       ? &attend.value
         : entry == "weight"      ? &attend.weight
         : entry == "renormalise" ? &attend.renormalise
                                  : nullptr;
}

void IndexingParser::attendEntry(AttendExpr &attend) {
  static const std::vector<std::string> words = {"score", "mask", "by", "value", "weight", "renormalise"};
  Name entry = tokens.name("an entry of `attend`");
  tokens.expect(TokenKind::Colon, fmt::format("after `{}`", entry.text).c_str());
  if (tokens.isLost())
    return;
  ExprPtr *slot = slotOf(attend, entry.text);
  if (!slot) {
    Diagnostic *diagnostic =
        tokens.report(DiagnosticKind::UnknownEntry, entry.range, fmt::format("`attend` has no entry `{}`", entry.text));
    auto near = nearest(entry.text, words);
    if (diagnostic)
      diagnostic->hint(near ? fmt::format("did you mean `{}`?", *near)
                            : "its entries are `score`, `mask`, `by`, `value`, `weight` and `renormalise`");
  } else if (*slot) {
    if (Diagnostic *diagnostic =
            tokens.report(DiagnosticKind::DuplicateEntry, entry.range, fmt::format("`{}` is given twice", entry.text)))
      diagnostic->label((*slot)->range, "given here");
  }
  ExprPtr value = expressions.expression();
  if (slot)
    *slot = std::move(value);
  if (tokens.isLost() || tokens.accept(TokenKind::Comma) || tokens.current().startsLine ||
      tokens.is(TokenKind::RightBrace))
    return;
  tokens.expected("`,` or `}` after an entry of `attend`");
}

//===- scan ---------------------------------------------------------------------------------------------------===//

// scan = "scan" name "over" expression ["backward"] ["until" expression] "carry" "(" (name "=" expression),+ ")"
//        block "->" ("(" result,+ ")" | result)
ExprPtr IndexingParser::scan() {
  auto expr = std::make_unique<ScanExpr>(tokens.take().range);
  expr->keywordRange = expr->range;
  expr->index = tokens.name("the index of the scan");
  if (!tokens.acceptWord("over"))
    tokens.expected("`over` and the range of the scan");
  expr->over = expressions.expression();
  expr->backward = tokens.acceptWord("backward");
  if (tokens.acceptWord("until"))
    expr->until = expressions.expression();
  if (tokens.acceptWord("carry"))
    scanCarries(*expr);
  else
    tokens.expected("`carry` and the initial values");
  expr->body = std::make_unique<Block>(statements.block("and the body of the scan"));
  tokens.expect(TokenKind::Arrow, "and the results of the scan");
  if (!tokens.isLost() && tokens.is(TokenKind::LeftParen))
    tokens.commaList(TokenKind::RightParen, "after the results", [&] { expr->results.push_back(scanResult()); });
  else
    expr->results.push_back(scanResult());
  expr->range = tokens.since(expr->range);
  return expr;
}

// result = name ["[" subscript,* "]"]
ScanResult IndexingParser::scanResult() {
  ScanResult result;
  result.name = tokens.name("the name of a result");
  result.range = result.name.range;
  if (tokens.isLost() || !tokens.is(TokenKind::LeftSquare) || tokens.atLineEnd())
    return result;
  result.isStacked = true;
  result.subscripts = expressions.subscripts();
  result.range = tokens.since(result.range);
  return result;
}

void IndexingParser::scanCarries(ScanExpr &scan) {
  if (tokens.isLost() || !tokens.is(TokenKind::LeftParen)) {
    tokens.expected("`(` and the carried values");
    return;
  }
  tokens.commaList(TokenKind::RightParen, "after the carried values", [&] {
    Carry carry;
    carry.name = tokens.name("the name of a carried value");
    tokens.expect(TokenKind::Assign, "and its initial value");
    carry.initial = expressions.expression();
    scan.carries.push_back(std::move(carry));
  });
}

} // namespace attnc
