#include "frontends/attn/Parse/ExpressionParser.h"

#include <charconv>
#include <fmt/format.h>

namespace attnc {

using namespace ast;

namespace {

constexpr int comparisonLevel = 2;
constexpr int sumLevel = 3; ///< precedence of `+` and `-`
constexpr int noLevel = -1;

struct Operator {
  int level;
  BinaryOp op;
};

/// The precedence levels of `ExpressionParser::binary`. `**` is not among them, because it is right-associative.
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
    return {sumLevel, BinaryOp::Add};
  case TokenKind::Minus:
    return {sumLevel, BinaryOp::Sub};
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

ExprPtr ExpressionParser::errorExpr() { return std::make_unique<ErrorExpr>(tokens.current().range); }

// expression = binary operators over operands; `if`, lambdas, index notation, reductions, `attend` and `scan` are
// operands of lowest precedence
ExprPtr ExpressionParser::expression() { return binary(0); }

ExprPtr ExpressionParser::sum() { return binary(sumLevel); }

ExprPtr ExpressionParser::binary(int level) {
  NestingScope nested(tokens);
  ExprPtr lhs = unary();
  bool compared = false;
  unsigned chained = 0;
  while (!tokens.isLost() && !tokens.atLineEnd()) {
    Operator found = binaryOperator(tokens.current().kind);
    if (found.level < level)
      break;
    if (found.level == comparisonLevel && compared) {
      if (Diagnostic *diagnostic =
              tokens.error(DiagnosticKind::ChainedComparison, tokens.current().range, "comparisons do not chain"))
        diagnostic->hint("write `a <= b and b < c`");
      break;
    }
    compared = found.level == comparisonLevel;
    if (++chained % chainedPerLevel == 0 && !tokens.enter())
      break;
    SourceRange opRange = tokens.take().range;
    ExprPtr rhs = binary(found.level + 1);
    lhs = makeBinary(found.op, opRange, std::move(lhs), std::move(rhs));
  }
  return lhs;
}

// unary = "-" unary | "not" comparison | power
ExprPtr ExpressionParser::unary() {
  bool isNot = tokens.is(TokenKind::KwNot);
  if (tokens.isLost() || (!isNot && !tokens.is(TokenKind::Minus)))
    return power();
  NestingScope nested(tokens);
  if (!tokens.enter())
    return errorExpr();
  auto expr = std::make_unique<UnaryExpr>(tokens.current().range);
  expr->op = isNot ? UnaryOp::Not : UnaryOp::Negate;
  expr->opRange = tokens.take().range;
  expr->operand = isNot ? binary(comparisonLevel) : unary();
  expr->range = tokens.since(expr->range);
  return expr;
}

// power = postfix ["**" unary]
ExprPtr ExpressionParser::power() {
  ExprPtr base = postfix();
  if (tokens.isLost() || tokens.atLineEnd() || !tokens.is(TokenKind::StarStar))
    return base;
  NestingScope nested(tokens);
  if (!tokens.enter())
    return base;
  SourceRange opRange = tokens.take().range;
  ExprPtr exponent = unary();
  return makeBinary(BinaryOp::Pow, opRange, std::move(base), std::move(exponent));
}

// postfix = primary ("(" argument,* ")" | "[" subscript,* "]" | "." name | "'")*
ExprPtr ExpressionParser::postfix() {
  NestingScope nested(tokens);
  ExprPtr expr = primary();
  while (!tokens.isLost() && !tokens.atLineEnd()) {
    bool isPostfix = tokens.is(TokenKind::LeftParen) || tokens.is(TokenKind::LeftSquare) || tokens.is(TokenKind::Dot) ||
                     tokens.is(TokenKind::Quote);
    if (!isPostfix || !tokens.enter())
      break;
    SourceRange start = expr->range;
    if (tokens.is(TokenKind::LeftParen)) {
      expr = call(std::move(expr));
    } else if (tokens.is(TokenKind::LeftSquare)) {
      expr = subscript(std::move(expr));
    } else if (tokens.accept(TokenKind::Dot)) {
      auto member = std::make_unique<MemberExpr>(start);
      member->object = std::move(expr);
      member->member = tokens.nameOnLine("the name of a member");
      expr = std::move(member);
    } else {
      auto transpose = std::make_unique<UnaryExpr>(start);
      transpose->op = UnaryOp::Transpose;
      transpose->opRange = tokens.take().range;
      transpose->operand = std::move(expr);
      expr = std::move(transpose);
    }
    expr->range = tokens.since(start);
  }
  return expr;
}

ExprPtr ExpressionParser::primary() {
  NestingScope nested(tokens);
  if (tokens.isLost() || !tokens.enter())
    return errorExpr();
  switch (tokens.current().kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
    return number();
  case TokenKind::String:
    return string();
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    auto boolean = std::make_unique<BooleanExpr>(tokens.current().range);
    boolean->value = tokens.take().kind == TokenKind::KwTrue;
    return boolean;
  }
  case TokenKind::Identifier:
    return nameOrLambda();
  case TokenKind::LeftParen:
    return parenthesised();
  case TokenKind::LeftSquare:
    return indexing.squareBracketed();
  case TokenKind::KwAttend:
    return indexing.attend();
  case TokenKind::KwScan:
    return indexing.scan();
  case TokenKind::KwIf: {
    SourceRange start = tokens.take().range;
    return conditional(start, expression());
  }
  default:
    noExpression();
    return errorExpr();
  }
}

void ExpressionParser::noExpression() {
  bool isOperator = tokens.current().startsLine && binaryOperator(tokens.current().kind).level != noLevel;
  Diagnostic *diagnostic =
      isOperator ? tokens.error(DiagnosticKind::Syntax, tokens.current().range,
                                fmt::format("expected a statement, found `{}`", tokens.text(tokens.current())))
                 : tokens.expected("an expression");
  if (diagnostic && isOperator)
    diagnostic->hint(fmt::format("a line break ends a statement: write the `{}` at the end of the line before",
                                 tokens.text(tokens.current())));
}

ExprPtr ExpressionParser::number() {
  Token token = tokens.take();
  std::string digits;
  for (char c : tokens.text(token))
    if (c != '_')
      digits += c;
  const char *begin = digits.data(), *end = begin + digits.size();
  if (token.kind == TokenKind::Integer) {
    auto integer = std::make_unique<IntegerExpr>(token.range);
    if (std::from_chars(begin, end, integer->value).ec == std::errc::result_out_of_range)
      tokens.report(DiagnosticKind::BadNumber, token.range, "this integer does not fit into 64 bits");
    return integer;
  }
  auto real = std::make_unique<FloatExpr>(token.range);
  if (std::from_chars(begin, end, real->value).ec == std::errc::result_out_of_range)
    if (Diagnostic *diagnostic =
            tokens.report(DiagnosticKind::BadNumber, token.range, "this number does not fit into a double"))
      diagnostic->hint("infinity is written `inf`");
  return real;
}

ExprPtr ExpressionParser::string() {
  Token token = tokens.take();
  auto expr = std::make_unique<StringExpr>(token.range);
  std::string_view written = tokens.text(token).substr(1);
  for (size_t i = 0; i < written.size() && written[i] != '"'; ++i) {
    char c = written[i];
    if (c == '\\' && ++i < written.size())
      c = written[i] == 'n' ? '\n' : written[i] == 't' ? '\t' : written[i];
    expr->value += c;
  }
  return expr;
}

// name | reduction | name "=>" expression
ExprPtr ExpressionParser::nameOrLambda() {
  if (auto op = indexing.atReduce())
    return indexing.reduce(*op);
  SourceRange start = tokens.current().range;
  Name word = tokens.name("a name");
  if (tokens.is(TokenKind::FatArrow) && tokens.allowsLambda() && !tokens.atLineEnd()) {
    tokens.take();
    auto lambda = std::make_unique<LambdaExpr>(start);
    lambda->parameters.push_back(std::move(word));
    lambda->body = expression();
    lambda->range = tokens.since(start);
    return lambda;
  }
  auto reference = std::make_unique<NameRefExpr>(start);
  reference->name = std::move(word.text);
  return reference;
}

// "(" expression ")" | "(" expression ("," expression)+ ")" | "(" name,* ")" "=>" expression
ExprPtr ExpressionParser::parenthesised() {
  SourceRange start = tokens.current().range;
  const Token *behind = tokens.behindBracket(0);
  if (tokens.allowsLambda() && behind && behind->kind == TokenKind::FatArrow) {
    auto lambda = std::make_unique<LambdaExpr>(start);
    tokens.commaList(TokenKind::RightParen, "after the parameters",
                     [&] { lambda->parameters.push_back(tokens.name("the name of a parameter")); });
    tokens.expect(TokenKind::FatArrow, "and a value");
    lambda->body = expression();
    lambda->range = tokens.since(start);
    return lambda;
  }
  auto tuple = std::make_unique<TupleExpr>(start);
  tokens.commaList(TokenKind::RightParen, "here", [&] { tuple->elements.push_back(expression()); });
  tuple->range = tokens.since(start);
  if (!tokens.isLost() && tuple->elements.empty())
    tokens.error(DiagnosticKind::Syntax, tuple->range, "expected an expression between the parentheses");
  if (tuple->elements.size() != 1)
    return tuple;
  ExprPtr only = std::move(tuple->elements.front());
  only->range = tuple->range;
  return only;
}

// conditional = "if" expression "then" expression "else" expression; `then` and `else` may begin a line
ExprPtr ExpressionParser::conditional(SourceRange start, ExprPtr condition) {
  auto expr = std::make_unique<ConditionalExpr>(start);
  expr->condition = std::move(condition);
  tokens.expect(TokenKind::KwThen, "and a value");
  expr->thenValue = expression();
  tokens.expect(TokenKind::KwElse, "and the other value");
  expr->elseValue = expression();
  expr->range = tokens.since(start);
  return expr;
}

// argument = [name ":"] expression
ExprPtr ExpressionParser::call(ExprPtr callee) {
  auto call = std::make_unique<CallExpr>(callee->range);
  call->callee = std::move(callee);
  tokens.commaList(TokenKind::RightParen, "after the arguments", [&] {
    Argument argument;
    SourceRange start = tokens.current().range;
    if (tokens.is(TokenKind::Identifier) && tokens.peek(1).kind == TokenKind::Colon) {
      argument.label = tokens.name("a name");
      tokens.take();
    }
    argument.value = expression();
    argument.range = tokens.since(start);
    bool isLate = !tokens.isLost() && !argument.label && !call->arguments.empty() && call->arguments.back().label;
    if (isLate)
      if (Diagnostic *diagnostic =
              tokens.report(DiagnosticKind::ArgumentOrder, argument.range, "a positional argument follows a named one"))
        diagnostic->label(call->arguments.back().range, "named");
    call->arguments.push_back(std::move(argument));
  });
  return call;
}

ExprPtr ExpressionParser::subscript(ExprPtr object) {
  auto expr = std::make_unique<SubscriptExpr>(object->range);
  expr->object = std::move(object);
  expr->subscripts = subscripts();
  return expr;
}

std::vector<SubscriptElement> ExpressionParser::subscripts() {
  std::vector<SubscriptElement> elements;
  tokens.commaList(TokenKind::RightSquare, "after the subscripts", [&] { elements.push_back(subscriptElement()); });
  return elements;
}

// subscript = ".." | expression | [expression] ":" [expression]
SubscriptElement ExpressionParser::subscriptElement() {
  SubscriptElement element;
  SourceRange start = tokens.current().range;
  auto ends = [&] { return tokens.is(TokenKind::Comma) || tokens.is(TokenKind::RightSquare); };
  if (tokens.accept(TokenKind::Rest)) {
    element.kind = SubscriptKind::Rest;
  } else {
    if (!tokens.is(TokenKind::Colon))
      element.value = expression();
    if (tokens.accept(TokenKind::Colon)) {
      element.kind = SubscriptKind::Slice;
      if (!ends())
        element.upper = expression();
    }
  }
  element.range = tokens.since(start);
  return element;
}

// iteration = name "<" expression | name "in" expression
Iteration ExpressionParser::iteration() {
  Iteration iteration;
  SourceRange start = tokens.current().range;
  iteration.name = tokens.nameOnLine("the variable of `for`");
  iteration.isBelow = tokens.accept(TokenKind::Less);
  if (!iteration.isBelow && !tokens.accept(TokenKind::KwIn))
    if (Diagnostic *diagnostic = tokens.expected("`in` or `<`"))
      diagnostic->hint("`for block in blocks` runs over a list, `for l < n` over the numbers below n");
  iteration.source = expression();
  iteration.range = tokens.since(start);
  return iteration;
}

} // namespace attnc
