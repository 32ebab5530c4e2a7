// Printer of declarations, statements and types.

#include "frontends/attn/Parse/Printer.h"

#include <algorithm>

namespace attnc {

using namespace ast;

std::string print(const File &file) {
  Printer printer;
  printer.file(file);
  return printer.take();
}

std::string print(const Expr &expr) {
  Printer printer;
  printer.expression(expr);
  return printer.take();
}

std::string print(const TensorType &type) {
  Printer printer;
  printer.type(type);
  return printer.take();
}

void Printer::file(const File &file) {
  for (const UseDecl &use : file.uses) {
    out += "use ";
    for (const Name &word : use.path)
      out += (&word == &use.path.front() ? "" : ".") + word.text;
    out += '\n';
  }
  for (const ConstDecl &decl : file.constants)
    constant(decl), out += '\n';
  for (const FunctionDecl &decl : file.functions)
    function(decl), out += '\n';
  for (const ModuleDecl &decl : file.modules)
    module(decl), out += '\n';
  for (const OptimizerDecl &decl : file.optimizers)
    optimizer(decl), out += '\n';
  for (const ExportDecl &decl : file.exports)
    exported(decl), out += '\n';
}

void Printer::doc(const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out += end > at ? "/// " + text.substr(at, end - at) : "///";
    line();
    at = end + 1;
  }
}

void Printer::body(const std::function<void()> &lines) {
  out += '{';
  indentation += 2;
  size_t before = out.size();
  lines();
  indentation -= 2;
  if (out.size() > before)
    line();
  out += '}';
}

void Printer::module(const ModuleDecl &module) {
  doc(module.doc);
  out += (module.isModel ? "model " : "module ") + module.name.text;
  out += '(';
  commas(module.parameters, [&](const Parameter &p) { parameter(p); });
  out += ") ";
  body([&] {
    for (const ConstDecl &decl : module.constants)
      line(), constant(decl);
    for (const FieldDecl &decl : module.fields)
      line(), field(decl);
    for (const FunctionDecl &decl : module.functions)
      line(), function(decl);
  });
}

void Printer::constant(const ConstDecl &decl) {
  doc(decl.doc);
  out += "const " + decl.name.text + " = ";
  expression(*decl.value);
}

void Printer::field(const FieldDecl &field) {
  doc(field.doc);
  out += field.kind == FieldKind::State ? "state " : "";
  out += (field.isFrozen ? "frozen " : "") + field.name.text + ": ";
  if (field.type)
    type(*field.type);
  if (field.type && field.value)
    out += " = ";
  if (field.value)
    expression(*field.value);
  if (field.checkpoint) {
    out += " as ";
    string(field.checkpoint->text);
  }
  for (const Name &tag : field.tags)
    out += " #" + tag.text;
}

void Printer::function(const FunctionDecl &function) {
  doc(function.doc);
  out += function.isExtern ? "extern fn " : "fn ";
  out += (function.name ? function.name->text : "") + "(";
  commas(function.parameters, [&](const Parameter &p) { parameter(p); });
  out += ')';
  bool isPlain = function.results.size() == 1 && !function.results[0].name;
  if (!function.results.empty()) {
    out += isPlain ? " -> " : " -> (";
    commas(function.results, [&](const Result &r) { result(r); });
    out += isPlain ? "" : ")";
  }
  if (function.isExtern)
    return;
  out += ' ';
  block(function.body);
}

void Printer::optimizer(const OptimizerDecl &optimizer) {
  doc(optimizer.doc);
  out += "optimizer " + optimizer.name.text + "(";
  commas(optimizer.parameters, [&](const Parameter &p) { parameter(p); });
  out += ") ";
  body([&] {
    for (const OptimizerState &state : optimizer.states) {
      line();
      out += "state ";
      commas(state.names, [&](const Name &name) { out += name.text; });
      out += " = ";
      expression(*state.initial);
    }
    line();
    out += "step";
    names(optimizer.stepParameters);
    out += ' ';
    block(optimizer.step);
  });
}

void Printer::exported(const ExportDecl &decl) {
  doc(decl.doc);
  out += "export " + decl.name.text;
  if (decl.value) {
    out += " = ";
    expression(*decl.value);
  }
  if (decl.results.empty())
    return;
  out += " -> ";
  names(decl.results);
}

void Printer::parameter(const Parameter &parameter) {
  out += parameter.name.text;
  if (parameter.type) {
    out += ": ";
    type(*parameter.type);
  }
  if (parameter.defaultValue) {
    out += " = ";
    expression(*parameter.defaultValue);
  }
}

void Printer::result(const Result &result) {
  if (result.name)
    out += result.name->text + ": ";
  type(result.type);
}

void Printer::type(const TensorType &type) {
  out += nameOf(type.element);
  if (type.dimensions.empty())
    return;
  out += '[';
  commas(type.dimensions, [&](const Dimension &dimension) {
    if (dimension.isRest)
      out += "..";
    if (dimension.size)
      expression(*dimension.size, Binding::Sum);
    if (dimension.bound) {
      out += " <= ";
      expression(*dimension.bound, Binding::Sum);
    }
  });
  out += ']';
}

//===- Statements -------------------------------------------------------------------------------------------------===//

void Printer::block(const Block &block) {
  body([&] {
    for (const StmtPtr &stmt : block.statements)
      line(), statement(*stmt);
  });
}

void Printer::statement(const Stmt &stmt) {
  if (auto *let = stmt.as<LetStmt>()) {
    out += let->isVar ? "var " : "let ";
    pattern(let->pattern);
    if (let->type) {
      out += ": ";
      type(*let->type);
    }
    out += " = ";
    expression(*let->value);
  } else if (auto *decl = stmt.as<ConstStmt>()) {
    constant(decl->decl);
  } else if (auto *assign = stmt.as<AssignStmt>()) {
    out += assign->target.text + " = ";
    expression(*assign->value);
  } else if (auto *update = stmt.as<UpdateStmt>()) {
    expression(*update->target);
    out += " <- ";
    expression(*update->value);
  } else if (auto *loop = stmt.as<ForStmt>()) {
    out += "for ";
    iteration(loop->iteration);
    out += ' ';
    block(loop->body);
  } else if (auto *choice = stmt.as<IfStmt>()) {
    branch(*choice);
  } else if (auto *result = stmt.as<ReturnStmt>()) {
    out += "return ";
    expression(*result->value);
  } else if (auto *value = stmt.as<ExpressionStmt>()) {
    expression(*value->value);
  }
}

void Printer::branch(const IfStmt &stmt) {
  out += "if ";
  expression(*stmt.condition);
  out += ' ';
  block(stmt.thenBlock);
  if (!stmt.elseBlock)
    return;
  out += " else ";
  const std::vector<StmtPtr> &alternative = stmt.elseBlock->statements;
  if (const IfStmt *next = alternative.size() == 1 ? alternative[0]->as<IfStmt>() : nullptr)
    branch(*next);
  else
    block(*stmt.elseBlock);
}

void Printer::pattern(const Pattern &pattern) {
  if (pattern.isTuple)
    names(pattern.names);
  else
    out += pattern.names[0].text;
}

void Printer::iteration(const Iteration &iteration) {
  out += iteration.name.text + (iteration.isBelow ? " < " : " in ");
  expression(*iteration.source);
}

} // namespace attnc
