// Printer of declarations, statements and types.

#include "frontends/attn/Parse/Printer.h"

#include <algorithm>

namespace attnc {

using namespace ast;

void SourceText::body(const std::function<void()> &lines) {
  out += '{';
  indentation += 2;
  size_t before = out.size();
  lines();
  indentation -= 2;
  if (out.size() > before)
    line();
  out += '}';
}

void SourceText::string(const std::string &text) {
  out += '"';
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else
      out += c;
  }
  out += '"';
}

void SourceText::names(const std::vector<Name> &list) {
  out += '(';
  commas(list, [&](const Name &name) { out += name.text; });
  out += ')';
}

//===- Declarations -----------------------------------------------------------------------------------------------===//

static void printDoc(SourceText &out, const std::string &text) {
  for (size_t at = 0; !text.empty() && at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out += end > at ? "/// " + text.substr(at, end - at) : "///";
    out.line();
    at = end + 1;
  }
}

static void printType(SourceText &out, const TensorType &type) {
  out += nameOf(type.element);
  if (type.dimensions.empty())
    return;
  out += '[';
  out.commas(type.dimensions, [&](const Dimension &dimension) {
    if (dimension.isRest)
      out += "..";
    if (dimension.size)
      printExpression(out, *dimension.size, Binding::Sum);
    if (dimension.bound) {
      out += " <= ";
      printExpression(out, *dimension.bound, Binding::Sum);
    }
  });
  out += ']';
}

static void printParameter(SourceText &out, const Parameter &parameter) {
  out += parameter.name.text;
  if (parameter.type) {
    out += ": ";
    printType(out, *parameter.type);
  }
  if (parameter.defaultValue) {
    out += " = ";
    printExpression(out, *parameter.defaultValue);
  }
}

static void printResult(SourceText &out, const Result &result) {
  if (result.name)
    out += result.name->text + ": ";
  printType(out, result.type);
}

static void printConstant(SourceText &out, const ConstDecl &decl) {
  printDoc(out, decl.doc);
  out += "const " + decl.name.text + " = ";
  printExpression(out, *decl.value);
}

static void printPartNames(SourceText &out, const std::vector<Name> &names) {
  out += " at ";
  out.commas(names, [&](const Name &name) { out.string(name.text); });
}

static void printField(SourceText &out, const FieldDecl &field) {
  printDoc(out, field.doc);
  out += field.kind == FieldKind::State ? "state " : "";
  out += (field.isFrozen ? "frozen " : "") + field.name.text + ": ";
  if (field.type)
    printType(out, *field.type);
  if (field.type && field.value)
    out += " = ";
  if (field.value)
    printExpression(out, *field.value);
  if (field.checkpoint) {
    out += " as ";
    out.string(field.checkpoint->text);
  }
  if (field.wrapping) {
    out += " with ";
    printExpression(out, *field.wrapping->module);
    printPartNames(out, field.wrapping->names);
  }
  if (!field.frozenParts.empty()) {
    out += " frozen";
    printPartNames(out, field.frozenParts);
  }
  for (const Name &tag : field.tags)
    out += " #" + tag.text;
}

static void printFunction(SourceText &out, const FunctionDecl &function) {
  printDoc(out, function.doc);
  out += function.isExtern ? "extern fn " : "fn ";
  out += (function.name ? function.name->text : "") + "(";
  out.commas(function.parameters, [&](const Parameter &p) { printParameter(out, p); });
  out += ')';
  bool isPlain = function.results.size() == 1 && !function.results[0].name;
  if (!function.results.empty()) {
    out += isPlain ? " -> " : " -> (";
    out.commas(function.results, [&](const Result &r) { printResult(out, r); });
    out += isPlain ? "" : ")";
  }
  if (function.isExtern)
    return;
  out += ' ';
  printBlock(out, function.body);
}

static void printModule(SourceText &out, const ModuleDecl &module) {
  printDoc(out, module.doc);
  out += (module.isModel ? "model " : "module ") + module.name.text;
  out += '(';
  out.commas(module.parameters, [&](const Parameter &p) { printParameter(out, p); });
  out += ") ";
  out.body([&] {
    for (const ConstDecl &decl : module.constants)
      out.line(), printConstant(out, decl);
    for (const FieldDecl &decl : module.fields)
      out.line(), printField(out, decl);
    for (const FunctionDecl &decl : module.functions)
      out.line(), printFunction(out, decl);
  });
}

static void printOptimizer(SourceText &out, const OptimizerDecl &optimizer) {
  printDoc(out, optimizer.doc);
  out += "optimizer " + optimizer.name.text + "(";
  out.commas(optimizer.parameters, [&](const Parameter &p) { printParameter(out, p); });
  out += ") ";
  out.body([&] {
    for (const OptimizerState &state : optimizer.states) {
      out.line();
      out += "state ";
      out.commas(state.names, [&](const Name &name) { out += name.text; });
      out += " = ";
      printExpression(out, *state.initial);
    }
    out.line();
    out += "step";
    out.names(optimizer.stepParameters);
    out += ' ';
    printBlock(out, optimizer.step);
  });
}

static void printExport(SourceText &out, const ExportDecl &decl) {
  printDoc(out, decl.doc);
  out += "export " + decl.name.text;
  if (decl.value) {
    out += " = ";
    printExpression(out, *decl.value);
  }
  if (decl.results.empty())
    return;
  out += " -> ";
  out.names(decl.results);
}

static void printFile(SourceText &out, const File &file) {
  for (const UseDecl &use : file.uses) {
    out += "use ";
    for (const Name &word : use.path)
      out += (&word == &use.path.front() ? "" : ".") + word.text;
    out += '\n';
  }
  for (const ConstDecl &decl : file.constants)
    printConstant(out, decl), out += '\n';
  for (const FunctionDecl &decl : file.functions)
    printFunction(out, decl), out += '\n';
  for (const ModuleDecl &decl : file.modules)
    printModule(out, decl), out += '\n';
  for (const OptimizerDecl &decl : file.optimizers)
    printOptimizer(out, decl), out += '\n';
  for (const ExportDecl &decl : file.exports)
    printExport(out, decl), out += '\n';
}

//===- Statements -------------------------------------------------------------------------------------------------===//

static void printPattern(SourceText &out, const Pattern &pattern) {
  if (pattern.isTuple)
    out.names(pattern.names);
  else
    out += pattern.names[0].text;
}

void printIteration(SourceText &out, const Iteration &iteration) {
  out += iteration.name.text + (iteration.isBelow ? " < " : " in ");
  printExpression(out, *iteration.source);
}

static void printBranch(SourceText &out, const IfStmt &stmt) {
  out += "if ";
  printExpression(out, *stmt.condition);
  out += ' ';
  printBlock(out, stmt.thenBlock);
  if (!stmt.elseBlock)
    return;
  out += " else ";
  const std::vector<StmtPtr> &alternative = stmt.elseBlock->statements;
  if (const IfStmt *next = alternative.size() == 1 ? alternative[0]->as<IfStmt>() : nullptr)
    printBranch(out, *next);
  else
    printBlock(out, *stmt.elseBlock);
}

static void printStatement(SourceText &out, const Stmt &stmt) {
  if (auto *let = stmt.as<LetStmt>()) {
    out += let->isVar ? "var " : "let ";
    printPattern(out, let->pattern);
    if (let->type) {
      out += ": ";
      printType(out, *let->type);
    }
    out += " = ";
    printExpression(out, *let->value);
  } else if (auto *decl = stmt.as<ConstStmt>()) {
    printConstant(out, decl->decl);
  } else if (auto *assign = stmt.as<AssignStmt>()) {
    out += assign->target.text + " = ";
    printExpression(out, *assign->value);
  } else if (auto *update = stmt.as<UpdateStmt>()) {
    printExpression(out, *update->target);
    out += " <- ";
    printExpression(out, *update->value);
  } else if (auto *loop = stmt.as<ForStmt>()) {
    out += "for ";
    printIteration(out, loop->iteration);
    out += ' ';
    printBlock(out, loop->body);
  } else if (auto *choice = stmt.as<IfStmt>()) {
    printBranch(out, *choice);
  } else if (auto *result = stmt.as<ReturnStmt>()) {
    out += "return ";
    printExpression(out, *result->value);
  } else if (auto *value = stmt.as<ExpressionStmt>()) {
    printExpression(out, *value->value);
  }
}

void printBlock(SourceText &out, const Block &block) {
  out.body([&] {
    for (const StmtPtr &stmt : block.statements)
      out.line(), printStatement(out, *stmt);
  });
}

std::string print(const File &file) {
  SourceText out;
  printFile(out, file);
  return out.take();
}

std::string print(const Expr &expr) {
  SourceText out;
  printExpression(out, expr);
  return out.take();
}

std::string print(const TensorType &type) {
  SourceText out;
  printType(out, type);
  return out.take();
}

} // namespace attnc
