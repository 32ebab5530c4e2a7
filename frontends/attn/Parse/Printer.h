//===- Printer.h - state of the AST printer -----------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Print.h"

#include <functional>

namespace attnc {

/// Precedence of an expression; an operand with a lower precedence than its context needs parentheses.
enum class Binding { Open, Or, And, Comparison, Sum, Product, Unary, Power, Postfix, Primary };

class Printer {
public:
  void file(const ast::File &file);
  void expression(const ast::Expr &expr, Binding least = Binding::Open);
  void type(const ast::TensorType &type);
  std::string take() { return std::move(out); }

private:
  // Print.cpp
  void doc(const std::string &text);
  void module(const ast::ModuleDecl &module);
  void constant(const ast::ConstDecl &decl);
  void field(const ast::FieldDecl &field);
  void function(const ast::FunctionDecl &function);
  void optimizer(const ast::OptimizerDecl &optimizer);
  void exported(const ast::ExportDecl &decl);
  void parameter(const ast::Parameter &parameter);
  void result(const ast::Result &result);
  void block(const ast::Block &block);
  void statement(const ast::Stmt &stmt);
  void branch(const ast::IfStmt &stmt);
  void pattern(const ast::Pattern &pattern);
  void iteration(const ast::Iteration &iteration);
  void body(const std::function<void()> &lines);

  // PrintExpressions.cpp
  void bare(const ast::Expr &expr);
  void unary(const ast::UnaryExpr &expr);
  void binary(const ast::BinaryExpr &expr);
  void subscript(const ast::SubscriptElement &element);
  void call(const ast::CallExpr &expr);
  void list(const ast::Expr &expr);
  void reduce(const ast::ReduceExpr &expr);
  void attend(const ast::AttendExpr &expr);
  void scan(const ast::ScanExpr &expr);
  void binder(const ast::Binder &binder);
  void keys(const std::vector<ast::Binder> &binders);
  void string(const std::string &text);
  void names(const std::vector<ast::Name> &names);

  template <typename Range, typename Print> void commas(const Range &elements, Print print) {
    bool isFirst = true;
    for (const auto &element : elements) {
      if (!isFirst)
        out += ", ";
      isFirst = false;
      print(element);
    }
  }
  void line() {
    out += '\n';
    out.append(indentation, ' ');
  }

  std::string out;
  size_t indentation = 0;
};

} // namespace attnc
