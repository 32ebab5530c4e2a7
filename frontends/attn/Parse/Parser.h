//===- Parser.h - the parser's inside --------------------------------------------------------------------------===//
//
// Recursive descent, a function for each production, split over files by what they parse: declarations, statements,
// expressions, and what binds indices. The grammar stands above the functions and as a whole in docs/grammar.md.
//
// After an error the parser is lost: further errors are not reported and every loop ends, until a list of statements,
// members or items skips to its next element and goes on. Behind a bracket without partner nothing is reported, for
// what belongs to what is not known there.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Parse/Lexer.h"
#include "frontends/attn/Parse/Parse.h"

#include <functional>
#include <initializer_list>

namespace attnc {

class Parser {
public:
  Parser(const SourceManager &sources, const TokenStream &stream, DiagnosticEngine &diagnostics)
      : sources(sources), stream(stream), diagnostics(diagnostics) {}

  ast::File file(FileId id);

  /// What the brackets around a place say about it.
  struct Context {
    bool newlines = true; ///< line breaks end statements
    bool lambdas =
        true; ///< `x =>` begins a lambda; not in `sum k < x => ...` and `where ... x => ...` (° in the grammar)
  };

private:
  // ParseDeclarations.cpp
  bool item(ast::File &file);
  bool atItem() const;
  ast::UseDecl useDecl();
  void exportedFunction(ast::File &file);
  ast::ExportDecl exportDecl();
  ast::ConstDecl constDecl();
  ast::ModuleDecl moduleDecl();
  void member(ast::ModuleDecl &module);
  ast::FieldDecl fieldDecl();
  void fieldValue(ast::FieldDecl &field);
  void fieldNaming(ast::FieldDecl &field);
  ast::OptimizerDecl optimizerDecl();
  void optimizerMember(ast::OptimizerDecl &optimizer);
  enum class Naming { Required, Optional };
  ast::FunctionDecl functionDecl(Naming naming);
  void results(ast::FunctionDecl &function);
  ast::Result result();
  std::vector<ast::Parameter> parameters();
  ast::Parameter parameter();
  ast::TensorType type();
  ast::Dimension dimension();
  void unknownType(SourceRange range, const std::string &word);
  std::string doc() const;

  // ParseStatements.cpp
  ast::Block block(const char *where);
  ast::StmtPtr statement();
  ast::StmtPtr letStatement();
  ast::StmtPtr forStatement();
  ast::StmtPtr ifStatement();
  ast::StmtPtr returnStatement();
  ast::StmtPtr simpleStatement();
  ast::Pattern pattern();
  ast::Iteration iteration();

  // ParseExpressions.cpp
  ast::ExprPtr expression();
  ast::ExprPtr binary(int level);
  ast::ExprPtr unary();
  ast::ExprPtr power();
  ast::ExprPtr postfix();
  ast::ExprPtr primary();
  ast::ExprPtr number();
  ast::ExprPtr string();
  ast::ExprPtr nameOrLambda();
  ast::ExprPtr parenthesised();
  ast::ExprPtr conditional(SourceRange start, ast::ExprPtr condition);
  ast::ExprPtr call(ast::ExprPtr callee);
  ast::ExprPtr subscript(ast::ExprPtr object);
  std::vector<ast::SubscriptElement> subscripts();
  ast::SubscriptElement subscriptElement();
  void noExpression();
  ast::ExprPtr errorExpr();

  // ParseIndexing.cpp
  ast::ExprPtr squareBracketed();
  ast::ExprPtr build();
  std::optional<ast::ReduceOp> atReduce() const;
  ast::ExprPtr reduce(ast::ReduceOp op);
  std::vector<ast::Binder> keys();
  ast::Binder binder();

  ast::ExprPtr attend();
  void attendEntry(ast::AttendExpr &attend);
  ast::ExprPtr yielded();
  ast::ExprPtr scan();
  void scanCarries(ast::ScanExpr &scan);
  ast::ScanResult scanResult();

  /// The level of `+` and `-`, below which there are no comparisons.
  static constexpr int sumLevel = 3;

  // Parser.cpp: tokens
  const Token &current() const { return stream.tokens[at]; }
  const Token &peek(uint32_t ahead) const;
  const Token &previous() const { return stream.tokens[at == 0 ? 0 : at - 1]; }
  bool is(TokenKind kind) const { return current().kind == kind; }
  bool isWord(std::string_view word) const { return isWordAt(0, word); }
  bool isWordAt(uint32_t ahead, std::string_view word) const;
  std::string_view text(const Token &token) const { return sources.text(token.range); }
  /// A line break stands here that ends a statement.
  bool atLineEnd() const { return context.newlines && current().startsLine; }
  /// The token behind the bracket at `ahead` and its partner.
  const Token *behindBracket(uint32_t ahead) const;
  Token take();
  bool accept(TokenKind kind);
  bool acceptWord(std::string_view word);
  bool expect(TokenKind kind, const char *where);
  ast::Name name(const char *what);
  ast::Name nameOnLine(const char *what);
  SourceRange since(SourceRange start) const { return merge(start, previous().range); }
  /// Elements between the bracket that stands here and its partner, divided by commas; one may stand at the end.
  void commaList(TokenKind close, const char *where, const std::function<void()> &element);

  // Parser.cpp: errors. What is null was not reported: the parser is lost, or behind a bracket without partner.
  Diagnostic *report(DiagnosticKind kind, SourceRange range, std::string message);
  /// Reports, and is lost.
  Diagnostic *error(DiagnosticKind kind, SourceRange range, std::string message);
  Diagnostic *expected(const std::string &what);
  bool endOfStatement();
  bool enter();

  /// Parses elements until `ends`, skipping to the next one that `begins` may start after an error.
  void elements(const std::function<bool()> &ends, const std::function<void()> &element,
                const std::function<bool()> &begins);

  const SourceManager &sources;
  const TokenStream &stream;
  DiagnosticEngine &diagnostics;
  uint32_t at = 0;
  Context context;
  bool lost = false; ///< an error was reported and not recovered from
  unsigned nesting = 0;

  friend class ContextScope;
  friend class NestingScope;
};

/// Sets the context until the scope ends.
class ContextScope {
public:
  ContextScope(Parser &parser, Parser::Context context) : parser(parser), before(parser.context) {
    parser.context = context;
  }
  ~ContextScope() { parser.context = before; }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  Parser &parser;
  Parser::Context before;
};

/// Brings the nesting back to what it was when the scope began.
class NestingScope {
public:
  explicit NestingScope(Parser &parser) : parser(parser), before(parser.nesting) {}
  ~NestingScope() { parser.nesting = before; }
  NestingScope(const NestingScope &) = delete;
  NestingScope &operator=(const NestingScope &) = delete;

private:
  Parser &parser;
  unsigned before;
};

} // namespace attnc
