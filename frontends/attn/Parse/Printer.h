//===- Printer.h - printing of AST nodes --------------------------------------------------------------------------===//
//
// The part of the printer (Print.h) that its two source files share. Print.cpp prints declarations, types and
// statements, PrintExpressions.cpp expressions; both append to a SourceText.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Print.h"

#include <functional>

namespace attnc {

/// Precedence of an expression, from the lowest (a lambda, `if`, a reduction, ...) to the highest. An operand with a
/// lower precedence than its context needs parentheses.
enum class Binding { Open, Or, And, Comparison, Sum, Product, Unary, Power, Postfix, Primary };

/// Source code under construction, with the indentation of the next line that `line` starts.
class SourceText {
public:
  void operator+=(std::string_view text) { out += text; }
  void operator+=(char c) { out += c; }
  /// Appends a line break and the indentation.
  void line() {
    out += '\n';
    out.append(indentation, ' ');
  }
  /// Appends braces around the lines that `lines` appends, which are indented by a further level (two spaces). `lines`
  /// calls `line` before each line.
  void body(const std::function<void()> &lines);
  /// Calls `print`, which appends an element, on each element of a range, and separates them by commas.
  template <typename Range, typename Print> void commas(const Range &elements, Print print) {
    bool isFirst = true;
    for (const auto &element : elements) {
      if (!isFirst)
        out += ", ";
      isFirst = false;
      print(element);
    }
  }
  /// Appends a string literal with the value `text`: adds quotes and escapes.
  void string(const std::string &text);
  /// Appends `(a, b)`.
  void names(const std::vector<ast::Name> &names);
  /// Returns the text, which the object then no longer has.
  std::string take() { return std::move(out); }

private:
  std::string out;
  size_t indentation = 0;
};

/// Append a block with its braces; and the range of a `for`, such as `l < n`.
void printBlock(SourceText &out, const ast::Block &block);
void printIteration(SourceText &out, const ast::Iteration &iteration);
/// Appends an expression, in parentheses if its precedence is lower than `least`.
void printExpression(SourceText &out, const ast::Expr &expr, Binding least = Binding::Open);

} // namespace attnc
