// Expressions, from the loosest operator to the tightest:
//
//   or    and    not    == != < <= > >=    + -    * / % @    - (sign)    **    f(x)  x[i]  x.y  x'

#include "frontends/attn/Parse/Parser.h"

#include <charconv>
#include <fmt/format.h>

namespace attnc {

using namespace ast;

namespace {

constexpr int comparisonLevel = 2;
constexpr int noLevel = -1;

struct Operator {
  int level;
  BinaryOp op;
};

/// The levels are those of `Parser::binary`; `**` is apart, for it groups to the right.
Operator binaryOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwOr:
    return {0, BinaryOp::Or};
  case TokenKind::KwAnd:
    return {1, BinaryOp::And};
  case TokenKind::Equal:
    return {comparisonLevel, BinaryOp::Eq};
  case TokenKind::NotEqual:
    return {comparisonLevel, BinaryOp::Ne};
  case TokenKind::Less:
    return {comparisonLevel, BinaryOp::Lt};
  case TokenKind::LessEqual:
    return {comparisonLevel, BinaryOp::Le};
  case TokenKind::Greater:
    return {comparisonLevel, BinaryOp::Gt};
  case TokenKind::GreaterEqual:
    return {comparisonLevel, BinaryOp::Ge};
  case TokenKind::Plus:
    return {3, BinaryOp::Add};
  case TokenKind::Minus:
    return {3, BinaryOp::Sub};
  case TokenKind::Star:
    return {4, BinaryOp::Mul};
  case TokenKind::Slash:
    return {4, BinaryOp::Div};
  case TokenKind::Percent:
    return {4, BinaryOp::Mod};
  case TokenKind::At:
    return {4, BinaryOp::MatMul};
  default:
    return {noLevel, BinaryOp::Add};
  }
}

ExprPtr makeBinary(BinaryOp op, SourceRange opRange, ExprPtr lhs, ExprPtr rhs) {
  auto binary = std::make_unique<BinaryExpr>(merge(lhs->range, rhs->range));
  binary->op = op;
  binary->opRange = opRange;
  binary->lhs = std::move(lhs);
  binary->rhs = std::move(rhs);
  return binary;
}

} // namespace

ExprPtr Parser::errorExpr() { return std::make_unique<ErrorExpr>(current().range); }

// expression = binary operators over operands; `if`, lambdas, index notation, reductions, `attend` and `scan` are
// operands that reach as far as they can
ExprPtr Parser::expression() { return binary(0); }

ExprPtr Parser::binary(int level) {
  NestingScope nested(*this);
  ExprPtr lhs = unary();
  bool compared = false;
  unsigned chained = 0;
  while (!lost && !atLineEnd()) {
    Operator found = binaryOperator(current().kind);
    if (found.level < level)
      break;
    if (found.level == comparisonLevel && compared) {
      if (Diagnostic *diagnostic =
              error(DiagnosticKind::ChainedComparison, current().range, "comparisons do not chain"))
        diagnostic->hint("write `a <= b and b < c`");
      break;
    }
    compared = found.level == comparisonLevel;
    if (++chained % chainedPerLevel == 0 && !enter())
      break;
    SourceRange opRange = take().range;
    ExprPtr rhs = binary(found.level + 1);
    lhs = makeBinary(found.op, opRange, std::move(lhs), std::move(rhs));
  }
  return lhs;
}

// unary = "-" unary | "not" comparison | power
ExprPtr Parser::unary() {
  bool isNot = is(TokenKind::KwNot);
  if (lost || (!isNot && !is(TokenKind::Minus)))
    return power();
  NestingScope nested(*this);
  if (!enter())
    return errorExpr();
  auto expr = std::make_unique<UnaryExpr>(current().range);
  expr->op = isNot ? UnaryOp::Not : UnaryOp::Negate;
  expr->opRange = take().range;
  expr->operand = isNot ? binary(comparisonLevel) : unary();
  expr->range = since(expr->range);
  return expr;
}

// power = postfix ["**" unary]
ExprPtr Parser::power() {
  ExprPtr base = postfix();
  if (lost || atLineEnd() || !is(TokenKind::StarStar))
    return base;
  NestingScope nested(*this);
  if (!enter())
    return base;
  SourceRange opRange = take().range;
  ExprPtr exponent = unary();
  return makeBinary(BinaryOp::Pow, opRange, std::move(base), std::move(exponent));
}

// postfix = primary ("(" argument,* ")" | "[" subscript,* "]" | "." name | "'")*
ExprPtr Parser::postfix() {
  NestingScope nested(*this);
  ExprPtr expr = primary();
  while (!lost && !atLineEnd()) {
    bool isPostfix =
        is(TokenKind::LeftParen) || is(TokenKind::LeftSquare) || is(TokenKind::Dot) || is(TokenKind::Quote);
    if (!isPostfix || !enter())
      break;
    SourceRange start = expr->range;
    if (is(TokenKind::LeftParen)) {
      expr = call(std::move(expr));
    } else if (is(TokenKind::LeftSquare)) {
      expr = subscript(std::move(expr));
    } else if (accept(TokenKind::Dot)) {
      auto member = std::make_unique<MemberExpr>(start);
      member->object = std::move(expr);
      member->member = nameOnLine("the name of a member");
      expr = std::move(member);
    } else {
      auto transpose = std::make_unique<UnaryExpr>(start);
      transpose->op = UnaryOp::Transpose;
      transpose->opRange = take().range;
      transpose->operand = std::move(expr);
      expr = std::move(transpose);
    }
    expr->range = since(start);
  }
  return expr;
}

ExprPtr Parser::primary() {
  NestingScope nested(*this);
  if (lost || !enter())
    return errorExpr();
  switch (current().kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
    return number();
  case TokenKind::String:
    return string();
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    auto boolean = std::make_unique<BooleanExpr>(current().range);
    boolean->value = take().kind == TokenKind::KwTrue;
    return boolean;
  }
  case TokenKind::Identifier:
    return nameOrLambda();
  case TokenKind::LeftParen:
    return parenthesised();
  case TokenKind::LeftSquare:
    return squareBracketed();
  case TokenKind::KwAttend:
    return attend();
  case TokenKind::KwScan:
    return scan();
  case TokenKind::KwIf: {
    SourceRange start = take().range;
    return conditional(start, expression());
  }
  default:
    noExpression();
    return errorExpr();
  }
}

void Parser::noExpression() {
  bool isOperator = current().startsLine && binaryOperator(current().kind).level != noLevel;
  Diagnostic *diagnostic = isOperator ? error(DiagnosticKind::Syntax, current().range,
                                              fmt::format("expected a statement, found `{}`", text(current())))
                                      : expected("an expression");
  if (diagnostic && isOperator)
    diagnostic->hint(
        fmt::format("a line break ends a statement: write the `{}` at the end of the line before", text(current())));
}

ExprPtr Parser::number() {
  Token token = take();
  std::string digits;
  for (char c : text(token))
    if (c != '_')
      digits += c;
  const char *begin = digits.data(), *end = begin + digits.size();
  if (token.kind == TokenKind::Integer) {
    auto integer = std::make_unique<IntegerExpr>(token.range);
    if (std::from_chars(begin, end, integer->value).ec == std::errc::result_out_of_range)
      report(DiagnosticKind::BadNumber, token.range, "this integer does not fit into 64 bits");
    return integer;
  }
  auto real = std::make_unique<FloatExpr>(token.range);
  if (std::from_chars(begin, end, real->value).ec == std::errc::result_out_of_range)
    if (Diagnostic *diagnostic =
            report(DiagnosticKind::BadNumber, token.range, "this number does not fit into a double"))
      diagnostic->hint("infinity is written `inf`");
  return real;
}

ExprPtr Parser::string() {
  Token token = take();
  auto expr = std::make_unique<StringExpr>(token.range);
  std::string_view written = text(token).substr(1);
  for (size_t i = 0; i < written.size() && written[i] != '"'; ++i) {
    char c = written[i];
    if (c == '\\' && ++i < written.size())
      c = written[i] == 'n' ? '\n' : written[i] == 't' ? '\t' : written[i];
    expr->value += c;
  }
  return expr;
}

// name | reduction | name "=>" expression
ExprPtr Parser::nameOrLambda() {
  if (auto op = atReduce())
    return reduce(*op);
  SourceRange start = current().range;
  Name word = name("a name");
  if (is(TokenKind::FatArrow) && context.lambdas && !atLineEnd()) {
    take();
    auto lambda = std::make_unique<LambdaExpr>(start);
    lambda->parameters.push_back(std::move(word));
    lambda->body = expression();
    lambda->range = since(start);
    return lambda;
  }
  auto reference = std::make_unique<NameRefExpr>(start);
  reference->name = std::move(word.text);
  return reference;
}

// "(" expression ")" | "(" expression ("," expression)+ ")" | "(" name,* ")" "=>" expression
ExprPtr Parser::parenthesised() {
  SourceRange start = current().range;
  const Token *behind = behindBracket(0);
  if (context.lambdas && behind && behind->kind == TokenKind::FatArrow) {
    auto lambda = std::make_unique<LambdaExpr>(start);
    commaList(TokenKind::RightParen, "behind the parameters",
              [&] { lambda->parameters.push_back(name("the name of a parameter")); });
    expect(TokenKind::FatArrow, "and a value");
    lambda->body = expression();
    lambda->range = since(start);
    return lambda;
  }
  auto tuple = std::make_unique<TupleExpr>(start);
  commaList(TokenKind::RightParen, "here", [&] { tuple->elements.push_back(expression()); });
  tuple->range = since(start);
  if (!lost && tuple->elements.empty())
    error(DiagnosticKind::Syntax, tuple->range, "expected an expression between the parentheses");
  if (tuple->elements.size() != 1)
    return tuple;
  ExprPtr only = std::move(tuple->elements.front());
  only->range = tuple->range;
  return only;
}

// conditional = "if" expression "then" expression "else" expression; `then` and `else` may begin a line
ExprPtr Parser::conditional(SourceRange start, ExprPtr condition) {
  auto expr = std::make_unique<ConditionalExpr>(start);
  expr->condition = std::move(condition);
  expect(TokenKind::KwThen, "and a value");
  expr->thenValue = expression();
  expect(TokenKind::KwElse, "and the other value");
  expr->elseValue = expression();
  expr->range = since(start);
  return expr;
}

// argument = [name ":"] expression
ExprPtr Parser::call(ExprPtr callee) {
  auto call = std::make_unique<CallExpr>(callee->range);
  call->callee = std::move(callee);
  commaList(TokenKind::RightParen, "behind the arguments", [&] {
    Argument argument;
    SourceRange start = current().range;
    if (is(TokenKind::Identifier) && peek(1).kind == TokenKind::Colon) {
      argument.label = name("a name");
      take();
    }
    argument.value = expression();
    argument.range = since(start);
    bool isLate = !lost && !argument.label && !call->arguments.empty() && call->arguments.back().label;
    if (isLate)
      if (Diagnostic *diagnostic =
              report(DiagnosticKind::ArgumentOrder, argument.range, "a positional argument stands behind a named one"))
        diagnostic->label(call->arguments.back().range, "named");
    call->arguments.push_back(std::move(argument));
  });
  return call;
}

ExprPtr Parser::subscript(ExprPtr object) {
  auto expr = std::make_unique<SubscriptExpr>(object->range);
  expr->object = std::move(object);
  expr->subscripts = subscripts();
  return expr;
}

std::vector<SubscriptElement> Parser::subscripts() {
  std::vector<SubscriptElement> elements;
  commaList(TokenKind::RightSquare, "behind the subscripts", [&] { elements.push_back(subscriptElement()); });
  return elements;
}

// subscript = ".." | expression | [expression] ":" [expression]
SubscriptElement Parser::subscriptElement() {
  SubscriptElement element;
  SourceRange start = current().range;
  auto ends = [&] { return is(TokenKind::Comma) || is(TokenKind::RightSquare); };
  if (accept(TokenKind::Rest)) {
    element.kind = SubscriptKind::Rest;
  } else {
    if (!is(TokenKind::Colon))
      element.value = expression();
    if (accept(TokenKind::Colon)) {
      element.kind = SubscriptKind::Slice;
      if (!ends())
        element.upper = expression();
    }
  }
  element.range = since(start);
  return element;
}

} // namespace attnc
