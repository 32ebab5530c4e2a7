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

void Printer::expression(const Expr &expr, Binding least) {
  bool needsParentheses = bindingOf(expr) < least;
  out += needsParentheses ? "(" : "";
  bare(expr);
  out += needsParentheses ? ")" : "";
}

void Printer::bare(const Expr &expr) {
  if (auto *integer = expr.as<IntegerExpr>())
    out += fmt::format("{}", integer->value);
  else if (auto *real = expr.as<FloatExpr>()) {
    std::string digits = fmt::format("{}", real->value);
    out += digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
  } else if (auto *boolean = expr.as<BooleanExpr>())
    out += boolean->value ? "true" : "false";
  else if (auto *text = expr.as<StringExpr>())
    string(text->value);
  else if (auto *reference = expr.as<NameRefExpr>())
    out += reference->name;
  else if (auto *member = expr.as<MemberExpr>()) {
    expression(*member->object, Binding::Postfix);
    out += '.' + member->member.text;
  } else if (auto *invocation = expr.as<CallExpr>())
    call(*invocation);
  else if (auto *element = expr.as<SubscriptExpr>()) {
    expression(*element->object, Binding::Postfix);
    out += '[';
    commas(element->subscripts, [&](const SubscriptElement &s) { subscript(s); });
    out += ']';
  } else if (auto *single = expr.as<UnaryExpr>())
    unary(*single);
  else if (auto *pair = expr.as<BinaryExpr>())
    binary(*pair);
  else if (auto *conditional = expr.as<ConditionalExpr>()) {
    out += "if ";
    expression(*conditional->condition);
    out += " then ";
    expression(*conditional->thenValue);
    out += " else ";
    expression(*conditional->elseValue);
  } else if (auto *tuple = expr.as<TupleExpr>()) {
    out += '(';
    commas(tuple->elements, [&](const ExprPtr &e) { expression(*e); });
    out += ')';
  } else if (auto *elements = expr.as<BuildExpr>()) {
    out += '[';
    commas(elements->binders, [&](const Binder &b) { binder(b); });
    out += "] => ";
    expression(*elements->body);
  } else if (auto *lambda = expr.as<LambdaExpr>()) {
    if (lambda->parameters.size() == 1)
      out += lambda->parameters[0].text;
    else
      names(lambda->parameters);
    out += " => ";
    expression(*lambda->body);
  } else if (auto *reduction = expr.as<ReduceExpr>())
    reduce(*reduction);
  else if (auto *attention = expr.as<AttendExpr>())
    attend(*attention);
  else if (auto *recurrence = expr.as<ScanExpr>())
    scan(*recurrence);
  else
    list(expr);
}

void Printer::unary(const UnaryExpr &expr) {
  switch (expr.op) {
  case UnaryOp::Negate:
    out += '-';
    return expression(*expr.operand, Binding::Unary);
  case UnaryOp::Not:
    out += "not ";
    return expression(*expr.operand, Binding::Comparison);
  case UnaryOp::Transpose:
    expression(*expr.operand, Binding::Postfix);
    out += '\'';
  }
}

void Printer::binary(const BinaryExpr &expr) {
  auto [binding, text] = textOf(expr.op);
  bool isPower = expr.op == BinaryOp::Pow;
  bool groupsLeft = !isPower && binding != Binding::Comparison;
  expression(*expr.lhs, groupsLeft ? binding : tighter(binding));
  out += fmt::format(" {} ", text);
  expression(*expr.rhs, isPower ? Binding::Unary : tighter(binding));
}

void Printer::call(const CallExpr &expr) {
  expression(*expr.callee, Binding::Postfix);
  out += '(';
  commas(expr.arguments, [&](const Argument &argument) {
    if (argument.label)
      out += argument.label->text + ": ";
    expression(*argument.value);
  });
  out += ')';
}

void Printer::subscript(const SubscriptElement &element) {
  if (element.kind == SubscriptKind::Rest)
    out += "..";
  if (element.value)
    expression(*element.value);
  if (element.kind == SubscriptKind::Slice)
    out += ':';
  if (element.upper)
    expression(*element.upper);
}

void Printer::list(const Expr &expr) {
  out += '[';
  if (auto *plain = expr.as<ListExpr>())
    commas(plain->elements, [&](const ExprPtr &e) { expression(*e); });
  if (auto *repeat = expr.as<ListRepeatExpr>()) {
    expression(*repeat->element);
    out += "; ";
    expression(*repeat->count);
  }
  if (auto *comprehension = expr.as<ListComprehensionExpr>()) {
    expression(*comprehension->element);
    out += " for ";
    iteration(comprehension->iteration);
  }
  out += ']';
}

void Printer::reduce(const ReduceExpr &expr) {
  static constexpr std::string_view words[] = {"sum", "prod", "max", "min", "mean", "argmax"};
  out += words[static_cast<size_t>(expr.op)];
  out += ' ';
  keys(expr.binders);
  if (expr.filter) {
    out += " where ";
    expression(*expr.filter, Binding::Or);
  }
  out += " => ";
  expression(*expr.body);
}

void Printer::attend(const AttendExpr &expr) {
  out += "attend ";
  keys(expr.keys);
  out += ' ';
  body([&] {
    auto entry = [&](std::string_view name, const ExprPtr &value) {
      if (!value)
        return;
      line();
      out += fmt::format("{}: ", name);
      expression(*value);
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
  commas(expr.yields, [&](const ExprPtr &e) { expression(*e); });
  out += ')';
}

void Printer::scan(const ScanExpr &expr) {
  out += "scan " + expr.index.text + " over ";
  expression(*expr.over, Binding::Or);
  out += expr.backward ? " backward" : "";
  if (expr.until) {
    out += " until ";
    expression(*expr.until, Binding::Or);
  }
  out += " carry (";
  commas(expr.carries, [&](const Carry &carry) {
    out += carry.name.text + " = ";
    expression(*carry.initial);
  });
  out += ") ";
  block(*expr.body);
  out += " -> ";
  auto result = [&](const ScanResult &each) {
    out += each.name.text;
    if (!each.isStacked)
      return;
    out += '[';
    commas(each.subscripts, [&](const SubscriptElement &s) { subscript(s); });
    out += ']';
  };
  if (expr.results.size() == 1)
    return result(expr.results.front());
  out += '(';
  commas(expr.results, result);
  out += ')';
}

void Printer::binder(const Binder &binder) {
  out += binder.isRest ? ".." : binder.name.text;
  if (!binder.bound)
    return;
  out += " < ";
  expression(*binder.bound, Binding::Sum);
}

void Printer::keys(const std::vector<Binder> &binders) {
  if (binders.size() == 1 && !binders[0].isRest)
    return binder(binders[0]);
  out += '(';
  commas(binders, [&](const Binder &b) { binder(b); });
  out += ')';
}

void Printer::string(const std::string &text) {
  out += '"';
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  out += '"';
}

void Printer::names(const std::vector<Name> &list) {
  out += '(';
  commas(list, [&](const Name &name) { out += name.text; });
  out += ')';
}

} // namespace attnc
