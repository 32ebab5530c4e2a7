// What binds indices: index notation, reductions, attend, scan; and lists, which begin like index notation.

#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Parse/Parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {

using namespace ast;

//===- Lists and index notation -------------------------------------------------------------------------------===//

// build | "[" expression,* "]" | "[" expression ";" expression "]" | "[" expression "for" iteration "]"
ExprPtr Parser::squareBracketed() {
  const Token *behind = behindBracket(0);
  if (context.lambdas && behind && behind->kind == TokenKind::FatArrow)
    return build();
  SourceRange start = current().range;
  auto list = std::make_unique<ListExpr>(start);
  ExprPtr other;
  commaList(TokenKind::RightSquare, "behind the list", [&] {
    ExprPtr element = expression();
    if (list->elements.empty() && accept(TokenKind::Semicolon)) {
      auto repeat = std::make_unique<ListRepeatExpr>(start);
      repeat->element = std::move(element);
      repeat->count = expression();
      other = std::move(repeat);
    } else if (list->elements.empty() && accept(TokenKind::KwFor)) {
      auto comprehension = std::make_unique<ListComprehensionExpr>(start);
      comprehension->element = std::move(element);
      comprehension->iteration = iteration();
      other = std::move(comprehension);
    } else {
      if (other)
        expected("`]` behind the list");
      list->elements.push_back(std::move(element));
    }
  });
  ExprPtr result = other ? std::move(other) : std::move(list);
  result->range = since(start);
  return result;
}

// build = "[" binder,+ "]" "=>" expression
ExprPtr Parser::build() {
  auto expr = std::make_unique<BuildExpr>(current().range);
  commaList(TokenKind::RightSquare, "behind the indices", [&] { expr->binders.push_back(binder()); });
  if (!lost && expr->binders.empty())
    error(DiagnosticKind::BadIndex, since(expr->range), "there is no index between the brackets");
  expect(TokenKind::FatArrow, "and an element");
  expr->body = expression();
  expr->range = since(expr->range);
  return expr;
}

// binder = ".." | name ["<" sum]
Binder Parser::binder() {
  Binder binder;
  SourceRange start = current().range;
  if (accept(TokenKind::Rest)) {
    binder.isRest = true;
    binder.range = start;
    return binder;
  }
  if (!lost && !is(TokenKind::Identifier))
    error(DiagnosticKind::BadIndex, start, fmt::format("an index is a name, not `{}`", text(current())));
  binder.name = name("the name of an index");
  if (accept(TokenKind::Less))
    binder.bound = binary(sumLevel);
  binder.range = since(start);
  bool ends = is(TokenKind::Comma) || is(TokenKind::RightSquare) || is(TokenKind::RightParen) ||
              is(TokenKind::FatArrow) || is(TokenKind::LeftBrace) || isWord("where");
  if (lost || ends || atLineEnd())
    return binder;
  if (Diagnostic *diagnostic =
          error(DiagnosticKind::BadIndex, current().range, "an index is a name, or a name below a bound"))
    diagnostic->hint(fmt::format("indices run from 0: write `{0}` or `{0} < n`", binder.name.text));
  return binder;
}

// keys = binder ("," binder)* | "(" binder,+ ")"
std::vector<Binder> Parser::keys() {
  std::vector<Binder> list;
  if (is(TokenKind::LeftParen)) {
    SourceRange start = current().range;
    commaList(TokenKind::RightParen, "behind the indices", [&] { list.push_back(binder()); });
    if (!lost && list.empty())
      error(DiagnosticKind::BadIndex, since(start), "there is no index between the parentheses");
    return list;
  }
  ContextScope scope(*this, {.newlines = context.newlines, .lambdas = false});
  do
    list.push_back(binder());
  while (accept(TokenKind::Comma));
  return list;
}

//===- Reductions ---------------------------------------------------------------------------------------------===//

static constexpr std::pair<std::string_view, ReduceOp> reductions[] = {
    {"sum", ReduceOp::Sum}, {"prod", ReduceOp::Prod}, {"max", ReduceOp::Max},
    {"min", ReduceOp::Min}, {"mean", ReduceOp::Mean}, {"argmax", ReduceOp::ArgMax},
};

/// `sum k ...` and `sum (k, l) => ...` are reductions, `sum(x)` is a call, also in `sum k < max(n, m) => ...`.
std::optional<ReduceOp> Parser::atReduce() const {
  const Token *behind = behindBracket(1);
  bool bracketed =
      context.lambdas && peek(1).kind == TokenKind::LeftParen && behind &&
      (behind->kind == TokenKind::FatArrow || (behind->kind == TokenKind::Identifier && text(*behind) == "where"));
  bool bare = peek(1).kind == TokenKind::Identifier && !(context.newlines && peek(1).startsLine);
  if (bracketed || bare)
    for (auto [word, op] : reductions)
      if (isWord(word))
        return op;
  return std::nullopt;
}

// reduction = word keys ["where" expression] "=>" expression
ExprPtr Parser::reduce(ReduceOp op) {
  auto expr = std::make_unique<ReduceExpr>(current().range);
  expr->op = op;
  expr->opRange = take().range;
  expr->binders = keys();
  if (acceptWord("where")) {
    ContextScope scope(*this, {.newlines = context.newlines, .lambdas = false});
    expr->filter = expression();
  }
  expect(TokenKind::FatArrow, "and what to reduce");
  expr->body = expression();
  expr->range = since(expr->range);
  return expr;
}

//===- attend -------------------------------------------------------------------------------------------------===//

// attend = "attend" keys "{" (name ":" expression),* "}" ["yields" ("(" expression,* ")" | name ["(" argument,* ")"])]
ExprPtr Parser::attend() {
  auto expr = std::make_unique<AttendExpr>(current().range);
  expr->keywordRange = take().range;
  expr->keys = keys();
  size_t errorsBefore = diagnostics.errorCount();
  if (expect(TokenKind::LeftBrace, "and the score")) {
    ContextScope scope(*this, {.newlines = true, .lambdas = true});
    elements([&] { return is(TokenKind::RightBrace); }, [&] { attendEntry(*expr); },
             [&] { return current().startsLine || previous().kind == TokenKind::Comma; });
    expect(TokenKind::RightBrace, "behind the entries of `attend`");
  }
  if (!lost && !expr->score && diagnostics.errorCount() == errorsBefore)
    if (Diagnostic *diagnostic = report(DiagnosticKind::MissingScore, expr->keywordRange, "this `attend` has no score"))
      diagnostic->hint("give each pair a score: `score: dot(q[i], k[j]) / sqrt(d)`");
  bool yields = isWord("yields") && (!atLineEnd() || peek(1).kind == TokenKind::LeftParen);
  if (!lost && yields) {
    take();
    if (is(TokenKind::LeftParen))
      commaList(TokenKind::RightParen, "behind the results", [&] { expr->yields.push_back(expression()); });
    else
      expr->yields.push_back(yielded());
  }
  expr->range = since(expr->range);
  return expr;
}

ExprPtr Parser::yielded() {
  auto word = std::make_unique<NameRefExpr>(current().range);
  word->name = name("a result of `attend`").text;
  if (lost || !is(TokenKind::LeftParen) || atLineEnd())
    return word;
  SourceRange start = word->range;
  ExprPtr result = call(std::move(word));
  result->range = since(start);
  return result;
}

/// Where an entry of `attend` is kept; null for an unknown name.
static ExprPtr *slotOf(AttendExpr &attend, std::string_view entry) {
  return entry == "score"         ? &attend.score
         : entry == "mask"        ? &attend.mask
         : entry == "by"          ? &attend.by
         : entry == "value"       ? &attend.value
         : entry == "weight"      ? &attend.weight
         : entry == "renormalise" ? &attend.renormalise
                                  : nullptr;
}

void Parser::attendEntry(AttendExpr &attend) {
  static const std::vector<std::string> words = {"score", "mask", "by", "value", "weight", "renormalise"};
  Name entry = name("an entry of `attend`");
  expect(TokenKind::Colon, fmt::format("behind `{}`", entry.text).c_str());
  if (lost)
    return;
  ExprPtr *slot = slotOf(attend, entry.text);
  if (!slot) {
    Diagnostic *diagnostic =
        report(DiagnosticKind::UnknownEntry, entry.range, fmt::format("`attend` has no entry `{}`", entry.text));
    auto near = nearest(entry.text, words);
    if (diagnostic)
      diagnostic->hint(near ? fmt::format("did you mean `{}`?", *near)
                            : "its entries are `score`, `mask`, `by`, `value`, `weight` and `renormalise`");
  } else if (*slot) {
    if (Diagnostic *diagnostic =
            report(DiagnosticKind::DuplicateEntry, entry.range, fmt::format("`{}` is given twice", entry.text)))
      diagnostic->label((*slot)->range, "given here");
  }
  ExprPtr value = expression();
  if (slot)
    *slot = std::move(value);
  if (lost || accept(TokenKind::Comma) || current().startsLine || is(TokenKind::RightBrace))
    return;
  expected("`,` or `}` behind an entry of `attend`");
}

//===- scan ---------------------------------------------------------------------------------------------------===//

// scan = "scan" name "over" expression ["backward"] ["until" expression] "carry" "(" (name "=" expression),+ ")"
//        block "->" ("(" result,+ ")" | result)
ExprPtr Parser::scan() {
  auto expr = std::make_unique<ScanExpr>(take().range);
  expr->keywordRange = expr->range;
  expr->index = name("the index of the scan");
  if (!acceptWord("over"))
    expected("`over` and what the scan runs over");
  expr->over = expression();
  expr->backward = acceptWord("backward");
  if (acceptWord("until"))
    expr->until = expression();
  if (acceptWord("carry"))
    scanCarries(*expr);
  else
    expected("`carry` and how the scan starts");
  expr->body = std::make_unique<Block>(block("and the step of the scan"));
  expect(TokenKind::Arrow, "and the results of the scan");
  if (!lost && is(TokenKind::LeftParen))
    commaList(TokenKind::RightParen, "behind the results", [&] { expr->results.push_back(scanResult()); });
  else
    expr->results.push_back(scanResult());
  expr->range = since(expr->range);
  return expr;
}

// result = name ["[" subscript,* "]"]
ScanResult Parser::scanResult() {
  ScanResult result;
  result.name = name("the name of a result");
  result.range = result.name.range;
  if (lost || !is(TokenKind::LeftSquare) || atLineEnd())
    return result;
  result.isStacked = true;
  result.subscripts = subscripts();
  result.range = since(result.range);
  return result;
}

void Parser::scanCarries(ScanExpr &scan) {
  if (lost || !is(TokenKind::LeftParen)) {
    expected("`(` and what is carried");
    return;
  }
  commaList(TokenKind::RightParen, "behind what is carried", [&] {
    Carry carry;
    carry.name = name("the name of what is carried");
    expect(TokenKind::Assign, "and how it starts");
    carry.initial = expression();
    scan.carries.push_back(std::move(carry));
  });
}

} // namespace attnc
