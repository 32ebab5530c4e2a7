//===- DeclarationParser.h - parser of the items of a file and the members of modules -----------------------------===//
#pragma once

#include "frontends/attn/Parse/StatementParser.h"

namespace attnc {

/// Recursive-descent parser of a file, and the entry to the other parsers. It owns the parser of statements, which owns
/// those of expressions and types; all share one TokenCursor. parseFile creates it.
class DeclarationParser {
public:
  explicit DeclarationParser(TokenCursor &tokens)
      : tokens(tokens), statements(tokens), expressions(statements.getExpressions()), types(statements.getTypes()) {}

  /// Parses all tokens of the file `id`, from the first to EndOfFile. After a syntax error it continues at the next
  /// item, member or statement (TokenCursor::elements).
  ast::File file(FileId id);

private:
  bool item(ast::File &file);
  bool atItem() const;
  ast::UseDecl useDecl();
  void exportedFunction(ast::File &file);
  ast::ExportDecl exportDecl();
  ast::ModuleDecl moduleDecl();
  void member(ast::ModuleDecl &module);
  ast::FieldDecl fieldDecl();
  void fieldValue(ast::FieldDecl &field);
  std::vector<ast::Name> partNames();
  void fieldParts(ast::FieldDecl &field);
  void fieldNaming(ast::FieldDecl &field);
  ast::OptimizerDecl optimizerDecl();
  void optimizerMember(ast::OptimizerDecl &optimizer);
  enum class Naming { Required, Optional };
  ast::FunctionDecl functionDecl(Naming naming);
  void results(ast::FunctionDecl &function);
  ast::Result result();
  std::vector<ast::Parameter> parameters();
  ast::Parameter parameter();

  TokenCursor &tokens;
  StatementParser statements;
  ExpressionParser &expressions;
  TypeParser &types;
};

} // namespace attnc
