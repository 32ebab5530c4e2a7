// Items of a file, members of a model, functions and types.

#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Parse/Parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {

using namespace ast;

// file = item*
ast::File Parser::file(FileId id) {
  File file;
  file.file = id;
  elements([] { return false; },
           [&] {
             if (item(file))
               endOfStatement();
           },
           [&] { return current().startsLine && atItem(); });
  return file;
}

static constexpr std::string_view itemWords[] = {"use", "model", "module", "extern", "optimizer"};

bool Parser::atItem() const {
  if (is(TokenKind::KwFn) || is(TokenKind::KwConst) || is(TokenKind::KwExport))
    return true;
  return is(TokenKind::Identifier) && std::ranges::count(itemWords, text(current())) > 0;
}

// item = use | const | function | "extern" function | model | module | optimizer | export
bool Parser::item(File &file) {
  if (isWord("use"))
    file.uses.push_back(useDecl());
  else if (is(TokenKind::KwConst))
    file.constants.push_back(constDecl());
  else if (is(TokenKind::KwFn) || isWord("extern"))
    file.functions.push_back(functionDecl(Naming::Required));
  else if (isWord("model") || isWord("module"))
    file.modules.push_back(moduleDecl());
  else if (isWord("optimizer"))
    file.optimizers.push_back(optimizerDecl());
  else if (is(TokenKind::KwExport) && peek(1).kind == TokenKind::KwFn)
    exportedFunction(file);
  else if (is(TokenKind::KwExport))
    file.exports.push_back(exportDecl());
  else {
    static const std::vector<std::string> words = {"use",   "const",  "fn",     "extern",
                                                   "model", "module", "export", "optimizer"};
    Diagnostic *diagnostic = error(DiagnosticKind::UnknownItem, current().range,
                                   fmt::format("expected an item of a file, found `{}`", text(current())));
    auto near = nearest(text(current()), words);
    if (diagnostic && near)
      diagnostic->hint(fmt::format("did you mean `{}`?", *near));
    else if (diagnostic)
      diagnostic->hint("a file holds `use`, `const`, `fn`, `model`, `module`, `export`, `extern fn` and `optimizer`");
  }
  return !lost;
}

std::string Parser::doc() const { return current().doc == Token::none ? "" : stream.docs[current().doc]; }

// use = "use" name ("." name)*
UseDecl Parser::useDecl() {
  UseDecl use;
  SourceRange start = take().range;
  do
    use.path.push_back(nameOnLine("the name of a library"));
  while (accept(TokenKind::Dot));
  use.range = since(start);
  return use;
}

// const = "const" name "=" expression
ConstDecl Parser::constDecl() {
  ConstDecl decl;
  decl.doc = doc();
  SourceRange start = take().range;
  decl.name = nameOnLine("the name of the constant");
  expect(TokenKind::Assign, "and the constant's value");
  decl.value = expression();
  decl.range = since(start);
  return decl;
}

// export = "export" function | "export" name ["=" expression ["->" "(" name,* ")"]]
void Parser::exportedFunction(File &file) {
  std::string comment = doc();
  take();
  FunctionDecl function = functionDecl(Naming::Required);
  function.doc = std::move(comment);
  ExportDecl decl;
  decl.name = function.name.value_or(Name{});
  decl.range = decl.name.range;
  file.functions.push_back(std::move(function));
  file.exports.push_back(std::move(decl));
}

ExportDecl Parser::exportDecl() {
  ExportDecl decl;
  decl.doc = doc();
  SourceRange start = take().range;
  decl.name = nameOnLine("the name of an entry point");
  if (accept(TokenKind::Assign)) {
    decl.value = expression();
    if (accept(TokenKind::Arrow)) {
      if (is(TokenKind::LeftParen))
        commaList(TokenKind::RightParen, "behind the results",
                  [&] { decl.results.push_back(name("the name of a result")); });
      else
        decl.results.push_back(name("the name of a result"));
    }
  }
  decl.range = since(start);
  return decl;
}

//===- Models and modules -------------------------------------------------------------------------------------===//

// module = ("model" | "module") name ["(" parameter,* ")"] "{" member* "}"
ModuleDecl Parser::moduleDecl() {
  ModuleDecl module;
  module.doc = doc();
  module.isModel = isWord("model");
  SourceRange start = take().range;
  module.name = nameOnLine(module.isModel ? "the model's name" : "the module's name");
  if (!lost && is(TokenKind::LeftParen))
    module.parameters = parameters();
  if (expect(TokenKind::LeftBrace, "and the members")) {
    ContextScope scope(*this, {.newlines = true, .lambdas = true});
    elements([&] { return is(TokenKind::RightBrace); },
             [&] {
               member(module);
               endOfStatement();
             },
             [&] { return current().startsLine; });
    expect(TokenKind::RightBrace, "behind the members");
  }
  module.range = since(start);
  return module;
}

// member = const | function | field
void Parser::member(ModuleDecl &module) {
  if (is(TokenKind::KwConst))
    module.constants.push_back(constDecl());
  else if (is(TokenKind::KwFn))
    module.functions.push_back(functionDecl(Naming::Optional));
  else if (is(TokenKind::Identifier))
    module.fields.push_back(fieldDecl());
  else if (Diagnostic *diagnostic = error(DiagnosticKind::UnknownItem, current().range,
                                          fmt::format("expected a member of the {}, found `{}`",
                                                      module.isModel ? "model" : "module", text(current()))))
    diagnostic->hint("members are fields `name: ...`, `const` and `fn`");
}

// field = ["frozen" | "state"] name ":" (type ["=" expression] | expression) ["as" string] ("#" name)*
FieldDecl Parser::fieldDecl() {
  FieldDecl field;
  field.doc = doc();
  SourceRange start = current().range;
  bool isState = false;
  while ((isWord("frozen") || isWord("state")) && peek(1).kind == TokenKind::Identifier) {
    isState |= isWord("state");
    field.isFrozen |= isWord("frozen");
    take();
  }
  field.name = name("the name of a field");
  if (expect(TokenKind::Colon, fmt::format("behind the field `{}`", field.name.text).c_str()))
    fieldValue(field);
  if (isState && field.kind == FieldKind::Parameter)
    field.kind = FieldKind::State;
  else if (isState)
    error(DiagnosticKind::Syntax, field.name.range,
          fmt::format("a state has a type: `state {}: f32[n] = zeros`", field.name.text));
  fieldNaming(field);
  field.range = since(start);
  return field;
}

void Parser::fieldValue(FieldDecl &field) {
  TokenKind next = peek(1).kind;
  bool isType = is(TokenKind::Identifier) && elementTypeNamed(text(current())) && next != TokenKind::LeftParen &&
                next != TokenKind::Dot;
  if (isType) {
    field.kind = FieldKind::Parameter;
    field.type = type();
    if (accept(TokenKind::Assign))
      field.value = expression();
    return;
  }
  field.value = expression();
  if (lost || !is(TokenKind::Assign))
    return;
  // Only a type is followed by an initialiser, so that is what `value` should have been.
  const Expr *typeName = field.value.get();
  if (auto *subscript = typeName->as<SubscriptExpr>())
    typeName = subscript->object.get();
  if (auto *reference = typeName->as<NameRefExpr>())
    unknownType(reference->range, reference->name);
}

void Parser::fieldNaming(FieldDecl &field) {
  if (accept(TokenKind::KwAs)) {
    if (is(TokenKind::String)) {
      ExprPtr text = string();
      field.checkpoint = Name{text->as<StringExpr>()->value, text->range};
    } else {
      expected("the name in a checkpoint, as a string,");
    }
  }
  while (accept(TokenKind::Hash))
    field.tags.push_back(name("the name of a tag"));
}

//===- Optimizers ---------------------------------------------------------------------------------------------===//

// optimizer = "optimizer" name "(" parameter,* ")" "{" (state | step)* "}"
OptimizerDecl Parser::optimizerDecl() {
  OptimizerDecl optimizer;
  optimizer.doc = doc();
  SourceRange start = take().range;
  optimizer.name = nameOnLine("the optimizer's name");
  if (!lost && is(TokenKind::LeftParen))
    optimizer.parameters = parameters();
  if (expect(TokenKind::LeftBrace, "and the states and step of the optimizer")) {
    ContextScope scope(*this, {.newlines = true, .lambdas = true});
    elements([&] { return is(TokenKind::RightBrace); },
             [&] {
               optimizerMember(optimizer);
               endOfStatement();
             },
             [&] { return current().startsLine; });
    expect(TokenKind::RightBrace, "behind the optimizer");
  }
  optimizer.range = since(start);
  return optimizer;
}

// state = "state" name,+ "=" expression        step = "step" "(" name,* ")" block
void Parser::optimizerMember(OptimizerDecl &optimizer) {
  SourceRange start = current().range;
  if (acceptWord("state")) {
    OptimizerState state;
    do
      state.names.push_back(name("the name of a state"));
    while (accept(TokenKind::Comma));
    expect(TokenKind::Assign, "and how the state starts");
    state.initial = expression();
    state.range = since(start);
    optimizer.states.push_back(std::move(state));
  } else if (isWord("step") && peek(1).kind == TokenKind::LeftParen) {
    take();
    optimizer.stepParameters.clear();
    commaList(TokenKind::RightParen, "behind the parameters of the step",
              [&] { optimizer.stepParameters.push_back(name("the name of a parameter")); });
    optimizer.step = block("and the step's statements");
  } else if (Diagnostic *diagnostic =
                 error(DiagnosticKind::UnknownItem, current().range,
                       fmt::format("expected a member of the optimizer, found `{}`", text(current())))) {
    diagnostic->hint("members are `state name = ...` and `step(p, g, t) { ... }`");
  }
}

//===- Functions ----------------------------------------------------------------------------------------------===//

// function = ["extern"] "fn" [name] "(" parameter,* ")" ["->" results] [block]
FunctionDecl Parser::functionDecl(Naming naming) {
  FunctionDecl function;
  function.doc = doc();
  SourceRange start = current().range;
  function.isExtern = acceptWord("extern");
  expect(TokenKind::KwFn, "behind `extern`");
  if (naming == Naming::Required || is(TokenKind::Identifier))
    function.name = nameOnLine("the name of the function");
  if (!lost && is(TokenKind::LeftParen))
    function.parameters = parameters();
  else
    expected("`(` and the parameters");
  if (accept(TokenKind::Arrow))
    results(function);
  function.signatureRange = since(start);
  if (!function.isExtern)
    function.body = block("and the function's statements");
  else if (!lost && is(TokenKind::LeftBrace))
    error(DiagnosticKind::Syntax, current().range, "a function of the host has no body here");
  function.range = since(start);
  return function;
}

// results = type | "(" result,+ ")"        result = [name ":"] type
void Parser::results(FunctionDecl &function) {
  if (is(TokenKind::LeftParen))
    commaList(TokenKind::RightParen, "behind the results", [&] { function.results.push_back(result()); });
  else
    function.results.push_back(result());
}

Result Parser::result() {
  Result result;
  SourceRange start = current().range;
  if (is(TokenKind::Identifier) && peek(1).kind == TokenKind::Colon) {
    result.name = name("the name of a result");
    take();
  }
  result.type = type();
  result.range = since(start);
  return result;
}

std::vector<Parameter> Parser::parameters() {
  std::vector<Parameter> list;
  commaList(TokenKind::RightParen, "behind the parameters", [&] { list.push_back(parameter()); });
  return list;
}

// parameter = name [":" type] ["=" expression]
Parameter Parser::parameter() {
  Parameter parameter;
  SourceRange start = current().range;
  parameter.name = name("the name of a parameter");
  if (accept(TokenKind::Colon))
    parameter.type = type();
  if (accept(TokenKind::Assign))
    parameter.defaultValue = expression();
  parameter.range = since(start);
  return parameter;
}

//===- Types --------------------------------------------------------------------------------------------------===//

// type = elementType ["[" dimension,* "]"]
TensorType Parser::type() {
  TensorType type;
  SourceRange start = current().range;
  ast::Name word = name("a type");
  if (lost)
    return type;
  if (auto element = elementTypeNamed(word.text))
    type.element = *element;
  else
    unknownType(word.range, word.text);
  if (!lost && is(TokenKind::LeftSquare) && !atLineEnd())
    commaList(TokenKind::RightSquare, "behind the dimensions", [&] { type.dimensions.push_back(dimension()); });
  type.range = since(start);
  return type;
}

void Parser::unknownType(SourceRange range, const std::string &word) {
  static const std::vector<std::string> words = {"f32", "i32", "bool", "f16", "bf16", "f64", "i8", "i64"};
  Diagnostic *diagnostic = error(DiagnosticKind::UnknownType, range, fmt::format("`{}` is no element type", word));
  if (!diagnostic)
    return;
  if (auto near = nearest(word, words))
    diagnostic->hint(fmt::format("did you mean `{}`?", *near));
  else
    diagnostic->hint("element types are `f32`, `i32` and `bool`");
}

// dimension = ".." | sum ["<=" sum]
Dimension Parser::dimension() {
  Dimension dimension;
  SourceRange start = current().range;
  if (accept(TokenKind::Rest)) {
    dimension.isRest = true;
  } else {
    dimension.size = binary(sumLevel);
    if (accept(TokenKind::LessEqual))
      dimension.bound = binary(sumLevel);
    else if (!lost && is(TokenKind::Less))
      if (Diagnostic *diagnostic = expected("`<=`"))
        diagnostic->hint("the bound of a dimension can be reached: `seq <= 256`");
  }
  dimension.range = since(start);
  return dimension;
}

} // namespace attnc
