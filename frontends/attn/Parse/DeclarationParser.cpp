// Items of a file, members of a model, functions and types.

#include "frontends/attn/Parse/DeclarationParser.h"
#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {

using namespace ast;

// file = item*
ast::File DeclarationParser::file(FileId id) {
  File file;
  file.file = id;
  tokens.elements([] { return false; },
                  [&] {
                    if (item(file))
                      tokens.endOfStatement();
                  },
                  [&] { return tokens.current().startsLine && atItem(); });
  return file;
}

static constexpr std::string_view itemWords[] = {"use", "model", "module", "extern", "optimizer"};

bool DeclarationParser::atItem() const {
  if (tokens.is(TokenKind::KwFn) || tokens.is(TokenKind::KwConst) || tokens.is(TokenKind::KwExport))
    return true;
  return tokens.is(TokenKind::Identifier) && std::ranges::count(itemWords, tokens.text(tokens.current())) > 0;
}

// item = use | const | function | "extern" function | model | module | optimizer | export
bool DeclarationParser::item(File &file) {
  if (tokens.isWord("use"))
    file.uses.push_back(useDecl());
  else if (tokens.is(TokenKind::KwConst))
    file.constants.push_back(statements.constDecl());
  else if (tokens.is(TokenKind::KwFn) || tokens.isWord("extern"))
    file.functions.push_back(functionDecl(Naming::Required));
  else if (tokens.isWord("model") || tokens.isWord("module"))
    file.modules.push_back(moduleDecl());
  else if (tokens.isWord("optimizer"))
    file.optimizers.push_back(optimizerDecl());
  else if (tokens.is(TokenKind::KwExport) && tokens.peek(1).kind == TokenKind::KwFn)
    exportedFunction(file);
  else if (tokens.is(TokenKind::KwExport))
    file.exports.push_back(exportDecl());
  else {
    static const std::vector<std::string> words = {"use",   "const",  "fn",     "extern",
                                                   "model", "module", "export", "optimizer"};
    Diagnostic *diagnostic =
        tokens.error(DiagnosticKind::UnknownItem, tokens.current().range,
                     fmt::format("expected an item of a file, found `{}`", tokens.text(tokens.current())));
    auto near = nearest(tokens.text(tokens.current()), words);
    if (diagnostic && near)
      diagnostic->hint(fmt::format("did you mean `{}`?", *near));
    else if (diagnostic)
      diagnostic->hint("a file has `use`, `const`, `fn`, `model`, `module`, `export`, `extern fn` and `optimizer`");
  }
  return !tokens.isLost();
}

// use = "use" name ("." name)*
UseDecl DeclarationParser::useDecl() {
  UseDecl use;
  SourceRange start = tokens.take().range;
  do
    use.path.push_back(tokens.nameOnLine("the name of a library"));
  while (tokens.accept(TokenKind::Dot));
  use.range = tokens.since(start);
  return use;
}

// export = "export" function | "export" name ["=" expression ["->" "(" name,* ")"]]
void DeclarationParser::exportedFunction(File &file) {
  std::string comment = tokens.doc();
  tokens.take();
  FunctionDecl function = functionDecl(Naming::Required);
  function.doc = std::move(comment);
  ExportDecl decl;
  decl.name = function.name.value_or(Name{});
  decl.range = decl.name.range;
  file.functions.push_back(std::move(function));
  file.exports.push_back(std::move(decl));
}

ExportDecl DeclarationParser::exportDecl() {
  ExportDecl decl;
  decl.doc = tokens.doc();
  SourceRange start = tokens.take().range;
  decl.name = tokens.nameOnLine("the name of an entry point");
  if (tokens.accept(TokenKind::Assign)) {
    decl.value = expressions.expression();
    if (tokens.accept(TokenKind::Arrow)) {
      if (tokens.is(TokenKind::LeftParen))
        tokens.commaList(TokenKind::RightParen, "after the results",
                         [&] { decl.results.push_back(tokens.name("the name of a result")); });
      else
        decl.results.push_back(tokens.name("the name of a result"));
    }
  }
  decl.range = tokens.since(start);
  return decl;
}

//===- Models and modules -------------------------------------------------------------------------------------===//

// module = ("model" | "module") name ["(" parameter,* ")"] "{" member* "}"
ModuleDecl DeclarationParser::moduleDecl() {
  ModuleDecl module;
  module.doc = tokens.doc();
  module.isModel = tokens.isWord("model");
  SourceRange start = tokens.take().range;
  module.name = tokens.nameOnLine(module.isModel ? "the model's name" : "the module's name");
  if (!tokens.isLost() && tokens.is(TokenKind::LeftParen))
    module.parameters = parameters();
  if (tokens.expect(TokenKind::LeftBrace, "and the members")) {
    ContextScope scope(tokens, {.newlines = true, .lambdas = true});
    tokens.elements([&] { return tokens.is(TokenKind::RightBrace); },
                    [&] {
                      member(module);
                      tokens.endOfStatement();
                    },
                    [&] { return tokens.current().startsLine; });
    tokens.expect(TokenKind::RightBrace, "after the members");
  }
  module.range = tokens.since(start);
  return module;
}

// member = const | function | field
void DeclarationParser::member(ModuleDecl &module) {
  if (tokens.is(TokenKind::KwConst))
    module.constants.push_back(statements.constDecl());
  else if (tokens.is(TokenKind::KwFn))
    module.functions.push_back(functionDecl(Naming::Optional));
  else if (tokens.is(TokenKind::Identifier))
    module.fields.push_back(fieldDecl());
  else if (Diagnostic *diagnostic =
               tokens.error(DiagnosticKind::UnknownItem, tokens.current().range,
                            fmt::format("expected a member of the {}, found `{}`", module.isModel ? "model" : "module",
                                        tokens.text(tokens.current()))))
    diagnostic->hint("members are fields `name: ...`, `const` and `fn`");
}

// field = ["frozen" | "state"] name ":" (type ["=" expression] | expression) ["as" string] parts ("#" name)*
FieldDecl DeclarationParser::fieldDecl() {
  FieldDecl field;
  field.doc = tokens.doc();
  SourceRange start = tokens.current().range;
  bool isState = false;
  while ((tokens.isWord("frozen") || tokens.isWord("state")) && tokens.peek(1).kind == TokenKind::Identifier) {
    isState |= tokens.isWord("state");
    field.isFrozen |= tokens.isWord("frozen");
    tokens.take();
  }
  field.name = tokens.name("the name of a field");
  if (tokens.expect(TokenKind::Colon, fmt::format("after the field `{}`", field.name.text).c_str()))
    fieldValue(field);
  if (isState && field.kind == FieldKind::Parameter)
    field.kind = FieldKind::State;
  else if (isState)
    tokens.error(DiagnosticKind::Syntax, field.name.range,
                 fmt::format("a state has a type: `state {}: f32[n] = zeros`", field.name.text));
  fieldNaming(field);
  field.range = tokens.since(start);
  return field;
}

void DeclarationParser::fieldValue(FieldDecl &field) {
  TokenKind next = tokens.peek(1).kind;
  bool isType = tokens.is(TokenKind::Identifier) && elementTypeNamed(tokens.text(tokens.current())) &&
                next != TokenKind::LeftParen && next != TokenKind::Dot;
  if (isType) {
    field.kind = FieldKind::Parameter;
    field.type = types.type();
    if (tokens.accept(TokenKind::Assign))
      field.value = expressions.expression();
    return;
  }
  field.value = expressions.expression();
  if (tokens.isLost() || !tokens.is(TokenKind::Assign))
    return;
  // Only a type is followed by an initialiser, so `value` was meant to be a type.
  const Expr *typeName = field.value.get();
  if (auto *subscript = typeName->as<SubscriptExpr>())
    typeName = subscript->object.get();
  if (auto *reference = typeName->as<NameRefExpr>())
    types.unknownType(reference->range, reference->name);
}

std::vector<Name> DeclarationParser::partNames() {
  std::vector<Name> names;
  if (!tokens.acceptWord("at"))
    tokens.expected("`at` and the names of parts");
  do {
    if (tokens.isLost() || !tokens.is(TokenKind::String)) {
      tokens.expected("the name of a part, as a string,");
      break;
    }
    ExprPtr text = expressions.string();
    names.push_back({text->as<StringExpr>()->value, text->range});
  } while (tokens.accept(TokenKind::Comma));
  return names;
}

// parts = ["with" expression "at" string ("," string)*] ["frozen" "at" string ("," string)*]
void DeclarationParser::fieldParts(FieldDecl &field) {
  auto isNext = [&](const char *word) {
    return !tokens.isLost() && tokens.isWord(word) && !tokens.current().startsLine;
  };
  if (isNext("with")) {
    tokens.take();
    field.wrapping.emplace();
    field.wrapping->module = expressions.expression();
    field.wrapping->names = partNames();
  }
  if (isNext("frozen")) {
    tokens.take();
    field.frozenParts = partNames();
  }
}

void DeclarationParser::fieldNaming(FieldDecl &field) {
  if (tokens.accept(TokenKind::KwAs)) {
    if (tokens.is(TokenKind::String)) {
      ExprPtr text = expressions.string();
      field.checkpoint = Name{text->as<StringExpr>()->value, text->range};
    } else {
      tokens.expected("the name in a checkpoint, as a string,");
    }
  }
  fieldParts(field);
  while (tokens.accept(TokenKind::Hash))
    field.tags.push_back(tokens.name("the name of a tag"));
}

//===- Optimizers ---------------------------------------------------------------------------------------------===//

// optimizer = "optimizer" name "(" parameter,* ")" "{" (state | step)* "}"
OptimizerDecl DeclarationParser::optimizerDecl() {
  OptimizerDecl optimizer;
  optimizer.doc = tokens.doc();
  SourceRange start = tokens.take().range;
  optimizer.name = tokens.nameOnLine("the optimizer's name");
  if (!tokens.isLost() && tokens.is(TokenKind::LeftParen))
    optimizer.parameters = parameters();
  if (tokens.expect(TokenKind::LeftBrace, "and the states and step of the optimizer")) {
    ContextScope scope(tokens, {.newlines = true, .lambdas = true});
    tokens.elements([&] { return tokens.is(TokenKind::RightBrace); },
                    [&] {
                      optimizerMember(optimizer);
                      tokens.endOfStatement();
                    },
                    [&] { return tokens.current().startsLine; });
    tokens.expect(TokenKind::RightBrace, "after the optimizer");
  }
  optimizer.range = tokens.since(start);
  return optimizer;
}

// state = "state" name,+ "=" expression        step = "step" "(" name,* ")" block
void DeclarationParser::optimizerMember(OptimizerDecl &optimizer) {
  SourceRange start = tokens.current().range;
  if (tokens.acceptWord("state")) {
    OptimizerState state;
    do
      state.names.push_back(tokens.name("the name of a state"));
    while (tokens.accept(TokenKind::Comma));
    tokens.expect(TokenKind::Assign, "and the initial value of the state");
    state.initial = expressions.expression();
    state.range = tokens.since(start);
    optimizer.states.push_back(std::move(state));
  } else if (tokens.isWord("step") && tokens.peek(1).kind == TokenKind::LeftParen) {
    tokens.take();
    optimizer.stepParameters.clear();
    tokens.commaList(TokenKind::RightParen, "after the parameters of the step",
                     [&] { optimizer.stepParameters.push_back(tokens.name("the name of a parameter")); });
    optimizer.step = statements.block("and the step's statements");
  } else if (Diagnostic *diagnostic = tokens.error(
                 DiagnosticKind::UnknownItem, tokens.current().range,
                 fmt::format("expected a member of the optimizer, found `{}`", tokens.text(tokens.current())))) {
    diagnostic->hint("members are `state name = ...` and `step(p, g, t) { ... }`");
  }
}

//===- Functions ----------------------------------------------------------------------------------------------===//

// function = ["extern"] "fn" [name] "(" parameter,* ")" ["->" results] [block]
FunctionDecl DeclarationParser::functionDecl(Naming naming) {
  FunctionDecl function;
  function.doc = tokens.doc();
  SourceRange start = tokens.current().range;
  function.isExtern = tokens.acceptWord("extern");
  tokens.expect(TokenKind::KwFn, "after `extern`");
  if (naming == Naming::Required || tokens.is(TokenKind::Identifier))
    function.name = tokens.nameOnLine("the name of the function");
  if (!tokens.isLost() && tokens.is(TokenKind::LeftParen))
    function.parameters = parameters();
  else
    tokens.expected("`(` and the parameters");
  if (tokens.accept(TokenKind::Arrow))
    results(function);
  function.signatureRange = tokens.since(start);
  if (!function.isExtern)
    function.body = statements.block("and the function's statements");
  else if (!tokens.isLost() && tokens.is(TokenKind::LeftBrace))
    tokens.error(DiagnosticKind::Syntax, tokens.current().range, "a function of the host has no body here");
  function.range = tokens.since(start);
  return function;
}

// results = type | "(" result,+ ")"        result = [name ":"] type
void DeclarationParser::results(FunctionDecl &function) {
  if (tokens.is(TokenKind::LeftParen))
    tokens.commaList(TokenKind::RightParen, "after the results", [&] { function.results.push_back(result()); });
  else
    function.results.push_back(result());
}

Result DeclarationParser::result() {
  Result result;
  SourceRange start = tokens.current().range;
  if (tokens.is(TokenKind::Identifier) && tokens.peek(1).kind == TokenKind::Colon) {
    result.name = tokens.name("the name of a result");
    tokens.take();
  }
  result.type = types.type();
  result.range = tokens.since(start);
  return result;
}

std::vector<Parameter> DeclarationParser::parameters() {
  std::vector<Parameter> list;
  tokens.commaList(TokenKind::RightParen, "after the parameters", [&] { list.push_back(parameter()); });
  return list;
}

// parameter = name [":" type] ["=" expression]
Parameter DeclarationParser::parameter() {
  Parameter parameter;
  SourceRange start = tokens.current().range;
  parameter.name = tokens.name("the name of a parameter");
  if (tokens.accept(TokenKind::Colon))
    parameter.type = types.type();
  if (tokens.accept(TokenKind::Assign))
    parameter.defaultValue = expressions.expression();
  parameter.range = tokens.since(start);
  return parameter;
}

} // namespace attnc
