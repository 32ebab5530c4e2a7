// Printer of expressions.

#include "frontends/attn/Parse/Printer.h"

#include <fmt/format.h>

namespace attnc {

using namespace ast;

namespace {

struct OperatorText {
  Binding binding;
  std::string_view text;
};

OperatorText textOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Or:
    return {Binding::Or, "or"};
  case BinaryOp::And:
    return {Binding::And, "and"};
  case BinaryOp::Eq:
    return {Binding::Comparison, "=="};
  case BinaryOp::Ne:
    return {Binding::Comparison, "!="};
  case BinaryOp::Lt:
    return {Binding::Comparison, "<"};
  case BinaryOp::Le:
    return {Binding::Comparison, "<="};
  case BinaryOp::Gt:
    return {Binding::Comparison, ">"};
  case BinaryOp::Ge:
    return {Binding::Comparison, ">="};
  case BinaryOp::Add:
    return {Binding::Sum, "+"};
  case BinaryOp::Sub:
    return {Binding::Sum, "-"};
  case BinaryOp::Mul:
    return {Binding::Product, "*"};
  case BinaryOp::Div:
    return {Binding::Product, "/"};
  case BinaryOp::Mod:
    return {Binding::Product, "%"};
  case BinaryOp::MatMul:
    return {Binding::Product, "@"};
  case BinaryOp::Pow:
    return {Binding::Power, "**"};
  }
  return {Binding::Sum, "+"};
}

Binding bindingOf(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Conditional:
  case ExprKind::Build:
  case ExprKind::Reduce:
  case ExprKind::Lambda:
  case ExprKind::Attend:
  case ExprKind::Scan:
    return Binding::Open;
  case ExprKind::Binary:
    return textOf(expr.as<BinaryExpr>()->op).binding;
  case ExprKind::Unary:
    switch (expr.as<UnaryExpr>()->op) {
    case UnaryOp::Not:
      return Binding::Comparison;
    case UnaryOp::Negate:
      return Binding::Unary;
    case UnaryOp::Transpose:
      return Binding::Postfix;
    }
    return Binding::Unary;
  case ExprKind::Member:
  case ExprKind::Call:
  case ExprKind::Subscript:
    return Binding::Postfix;
  default:
    return Binding::Primary;
  }
}

Binding tighter(Binding binding) { return static_cast<Binding>(static_cast<int>(binding) + 1); }

} // namespace

static void printUnary(SourceText &out, const UnaryExpr &expr) {
  switch (expr.op) {
  case UnaryOp::Negate:
    out += '-';
    return printExpression(out, *expr.operand, Binding::Unary);
  case UnaryOp::Not:
    out += "not ";
    return printExpression(out, *expr.operand, Binding::Comparison);
  case UnaryOp::Transpose:
    printExpression(out, *expr.operand, Binding::Postfix);
    out += '\'';
  }
}

static void printBinary(SourceText &out, const BinaryExpr &expr) {
  auto [binding, text] = textOf(expr.op);
  bool isPower = expr.op == BinaryOp::Pow;
  bool groupsLeft = !isPower && binding != Binding::Comparison;
  printExpression(out, *expr.lhs, groupsLeft ? binding : tighter(binding));
  out += fmt::format(" {} ", text);
  printExpression(out, *expr.rhs, isPower ? Binding::Unary : tighter(binding));
}

static void printCall(SourceText &out, const CallExpr &expr) {
  printExpression(out, *expr.callee, Binding::Postfix);
  out += '(';
  out.commas(expr.arguments, [&](const Argument &argument) {
    if (argument.label)
      out += argument.label->text + ": ";
    printExpression(out, *argument.value);
  });
  out += ')';
}

static void printSubscript(SourceText &out, const SubscriptElement &element) {
  if (element.kind == SubscriptKind::Rest)
    out += "..";
  if (element.value)
    printExpression(out, *element.value);
  if (element.kind == SubscriptKind::Slice)
    out += ':';
  if (element.upper)
    printExpression(out, *element.upper);
}

static void printList(SourceText &out, const Expr &expr) {
  out += '[';
  if (auto *plain = expr.as<ListExpr>())
    out.commas(plain->elements, [&](const ExprPtr &e) { printExpression(out, *e); });
  if (auto *repeat = expr.as<ListRepeatExpr>()) {
    printExpression(out, *repeat->element);
    out += "; ";
    printExpression(out, *repeat->count);
  }
  if (auto *comprehension = expr.as<ListComprehensionExpr>()) {
    printExpression(out, *comprehension->element);
    out += " for ";
    printIteration(out, comprehension->iteration);
  }
  out += ']';
}

static void printBinder(SourceText &out, const Binder &binder) {
  out += binder.isRest ? ".." : binder.name.text;
  if (!binder.bound)
    return;
  out += " < ";
  printExpression(out, *binder.bound, Binding::Sum);
}

static void printKeys(SourceText &out, const std::vector<Binder> &binders) {
  if (binders.size() == 1 && !binders[0].isRest)
    return printBinder(out, binders[0]);
  out += '(';
  out.commas(binders, [&](const Binder &b) { printBinder(out, b); });
  out += ')';
}

static void printReduce(SourceText &out, const ReduceExpr &expr) {
  static constexpr std::string_view words[] = {"sum", "prod", "max", "min", "mean", "argmax"};
  out += words[static_cast<size_t>(expr.op)];
  out += ' ';
  printKeys(out, expr.binders);
  if (expr.filter) {
    out += " where ";
    printExpression(out, *expr.filter, Binding::Or);
  }
  out += " => ";
  printExpression(out, *expr.body);
}

static void printAttend(SourceText &out, const AttendExpr &expr) {
  out += "attend ";
  printKeys(out, expr.keys);
  out += ' ';
  out.body([&] {
    auto entry = [&](std::string_view name, const ExprPtr &value) {
      if (!value)
        return;
      out.line();
      out += fmt::format("{}: ", name);
      printExpression(out, *value);
      out += ',';
    };
    entry("score", expr.score);
    entry("mask", expr.mask);
    entry("by", expr.by);
    entry("weight", expr.weight);
    entry("value", expr.value);
    entry("renormalise", expr.renormalise);
  });
  if (expr.yields.empty())
    return;
  out += " yields (";
  out.commas(expr.yields, [&](const ExprPtr &e) { printExpression(out, *e); });
  out += ')';
}

static void printScan(SourceText &out, const ScanExpr &expr) {
  out += "scan " + expr.index.text + " over ";
  printExpression(out, *expr.over, Binding::Or);
  out += expr.backward ? " backward" : "";
  if (expr.until) {
    out += " until ";
    printExpression(out, *expr.until, Binding::Or);
  }
  out += " carry (";
  out.commas(expr.carries, [&](const Carry &carry) {
    out += carry.name.text + " = ";
    printExpression(out, *carry.initial);
  });
  out += ") ";
  printBlock(out, *expr.body);
  out += " -> ";
  auto result = [&](const ScanResult &each) {
    out += each.name.text;
    if (!each.isStacked)
      return;
    out += '[';
    out.commas(each.subscripts, [&](const SubscriptElement &s) { printSubscript(out, s); });
    out += ']';
  };
  if (expr.results.size() == 1)
    return result(expr.results.front());
  out += '(';
  out.commas(expr.results, result);
  out += ')';
}

static void printBare(SourceText &out, const Expr &expr) {
  if (auto *integer = expr.as<IntegerExpr>())
    out += fmt::format("{}", integer->value);
  else if (auto *real = expr.as<FloatExpr>()) {
    std::string digits = fmt::format("{}", real->value);
    out += digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
  } else if (auto *boolean = expr.as<BooleanExpr>())
    out += boolean->value ? "true" : "false";
  else if (auto *text = expr.as<StringExpr>())
    out.string(text->value);
  else if (auto *reference = expr.as<NameRefExpr>())
    out += reference->name;
  else if (auto *member = expr.as<MemberExpr>()) {
    printExpression(out, *member->object, Binding::Postfix);
    out += '.' + member->member.text;
  } else if (auto *invocation = expr.as<CallExpr>())
    printCall(out, *invocation);
  else if (auto *element = expr.as<SubscriptExpr>()) {
    printExpression(out, *element->object, Binding::Postfix);
    out += '[';
    out.commas(element->subscripts, [&](const SubscriptElement &s) { printSubscript(out, s); });
    out += ']';
  } else if (auto *single = expr.as<UnaryExpr>())
    printUnary(out, *single);
  else if (auto *pair = expr.as<BinaryExpr>())
    printBinary(out, *pair);
  else if (auto *conditional = expr.as<ConditionalExpr>()) {
    out += "if ";
    printExpression(out, *conditional->condition);
    out += " then ";
    printExpression(out, *conditional->thenValue);
    out += " else ";
    printExpression(out, *conditional->elseValue);
  } else if (auto *tuple = expr.as<TupleExpr>()) {
    out += '(';
    out.commas(tuple->elements, [&](const ExprPtr &e) { printExpression(out, *e); });
    out += ')';
  } else if (auto *elements = expr.as<BuildExpr>()) {
    out += '[';
    out.commas(elements->binders, [&](const Binder &b) { printBinder(out, b); });
    out += "] => ";
    printExpression(out, *elements->body);
  } else if (auto *lambda = expr.as<LambdaExpr>()) {
    if (lambda->parameters.size() == 1)
      out += lambda->parameters[0].text;
    else
      out.names(lambda->parameters);
    out += " => ";
    printExpression(out, *lambda->body);
  } else if (auto *reduction = expr.as<ReduceExpr>())
    printReduce(out, *reduction);
  else if (auto *attention = expr.as<AttendExpr>())
    printAttend(out, *attention);
  else if (auto *recurrence = expr.as<ScanExpr>())
    printScan(out, *recurrence);
  else
    printList(out, expr);
}

void printExpression(SourceText &out, const Expr &expr, Binding least) {
  bool needsParentheses = bindingOf(expr) < least;
  out += needsParentheses ? "(" : "";
  printBare(out, expr);
  out += needsParentheses ? ")" : "";
}

} // namespace attnc
