#include "tools/attn-reduce/Model/ModelSubject.h"
#include "compiler/Diagnostics/Render.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Parse/Lexer.h"
#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/Print.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace attnc::reduce {

static void dropDocs(std::vector<ast::FunctionDecl> &functions) {
  for (ast::FunctionDecl &function : functions)
    function.doc.clear();
}

static void dropDocs(std::vector<ast::ConstDecl> &constants) {
  for (ast::ConstDecl &constant : constants)
    constant.doc.clear();
}

static void dropDocs(ast::ModuleDecl &module) {
  module.doc.clear();
  dropDocs(module.constants);
  dropDocs(module.functions);
  for (ast::FieldDecl &field : module.fields)
    field.doc.clear();
}

ModelText::ModelText(std::string text) {
  DiagnosticEngine diagnostics(sources);
  file = parseFile(sources, sources.add("model.attn", std::move(text)), diagnostics);
  isParsed = !diagnostics.hasErrors();
  dropDocs(file.constants);
  dropDocs(file.functions);
  for (ast::ModuleDecl &module : file.modules)
    dropDocs(module);
  for (ast::OptimizerDecl &optimizer : file.optimizers)
    dropDocs(optimizer);
  for (ast::ExportDecl &decl : file.exports)
    decl.doc.clear();
}

std::string ModelText::canonical() const { return print(file); }

SourceRange withComma(const ModelText &model, SourceRange range) {
  std::string_view text = model.text();
  if (text.substr(range.end, 2) == ", ")
    range.end += 2;
  else if (range.begin >= 2 && text.substr(range.begin - 2, 2) == ", ")
    range.begin -= 2;
  return range;
}

std::string edited(std::string_view text, std::vector<Edit> edits) {
  std::ranges::sort(edits, {}, [](const Edit &edit) { // outer edits before inner ones
    return std::tuple(edit.range.begin, -int64_t(edit.range.end), edit.text);
  });
  std::string result;
  size_t at = 0;
  for (const Edit &edit : edits) {
    if (edit.range.begin < at)
      continue;
    result += text.substr(at, edit.range.begin - at);
    result += edit.text;
    at = edit.range.end;
  }
  return result += text.substr(at);
}

//===- Changes --------------------------------------------------------------------------------------------------===//

/// Edits of a text. If the text is in canonical form, so is the result.
class ModelChanges : public Changes {
public:
  ModelChanges(const ModelSubject &subject, const std::string &text, std::vector<Change> (*find)(const ModelText &))
      : subject(subject), model(text), changes(find(model)), isCanonical(model.isParsed && model.canonical() == text) {}

  size_t count() const override { return changes.size(); }

  std::optional<std::string> apply(std::span<const size_t> chosen) const override {
    std::vector<Edit> edits;
    for (size_t each : chosen)
      edits.insert(edits.end(), changes[each].begin(), changes[each].end());
    std::string text = edited(model.text(), std::move(edits));
    if (isCanonical) {
      ModelText parsed(std::move(text));
      if (!parsed.isParsed)
        return std::nullopt;
      text = parsed.canonical();
    }
    return subject.isWorthTrying(text) ? std::optional(std::move(text)) : std::nullopt;
  }

private:
  const ModelSubject &subject;
  ModelText model;
  std::vector<Change> changes;
  bool isCanonical;
};

/// Replaces the whole text by its canonical form.
static std::vector<Change> wholeText(const ModelText &model) {
  std::string canonical = model.isParsed ? model.canonical() : "";
  if (!model.isParsed || canonical == model.text())
    return {};
  return {{{{model.file.file, 0, uint32_t(model.text().size())}, std::move(canonical)}}};
}

Transformation ModelSubject::transformation(std::string name, bool inGroups,
                                            std::vector<Change> (*find)(const ModelText &)) const {
  return {std::move(name), inGroups, [this, find](const std::string &text) -> std::unique_ptr<Changes> {
            return std::make_unique<ModelChanges>(*this, text, find);
          }};
}

ModelSubject::ModelSubject(std::string path, const std::string &text, CheckOptions options,
                           const std::optional<std::string> &message)
    : path(std::move(path)), options(std::move(options)) {
  std::string messages = messagesOf(text);
  isChecked = messages.empty();
  if (message && messages.find(*message) != std::string::npos)
    this->message = message;
  list = {
      transformation("print it again", false, wholeText),
      transformation("drop lines", true, dropLines),
      transformation("drop words", true, dropWords),
      transformation("drop declarations", true, dropItems),
      transformation("drop members of modules", true, dropMembers),
      transformation("drop statements", true, dropStatements),
      transformation("unwrap blocks", false, unwrapBlocks),
      transformation("drop parts", true, dropParts),
      transformation("drop parameters", true, dropParameters),
      transformation("inline names", false, inlineNames),
      transformation("simplify expressions", false, simplifyExpressions),
      transformation("shrink numbers", false, shrinkNumbers),
  };
}

std::string ModelSubject::messagesOf(const std::string &text) const {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  bool isTaken = checkFile(sources, sources.add(path, text), diagnostics, options) != nullptr;
  return isTaken ? "" : render(diagnostics);
}

bool ModelSubject::isWorthTrying(const std::string &text) const {
  if (!isChecked && !message)
    return true;
  std::string messages = messagesOf(text);
  return isChecked ? messages.empty() : messages.find(*message) != std::string::npos;
}

//===- Sizes ----------------------------------------------------------------------------------------------------===//

/// 0 and 1 have magnitude 0; other numbers have their own magnitude, and a fraction also counts its digits.
static int64_t magnitudeOf(const Token &token, std::string_view text) {
  double value = std::abs(std::strtod(std::string(text).c_str(), nullptr));
  if (value == 0 || value == 1)
    return 0;
  return int64_t(std::min(value, 1e15)) + (token.kind == TokenKind::Float ? int64_t(text.size()) : 0);
}

Size ModelSubject::sizeOf(const std::string &text) const {
  ModelText model(text);
  Size size;
  size.rough = !model.isParsed || model.canonical() != text;
  size.magnitude = size.rough ? int64_t(text.size()) : 0;
  DiagnosticEngine diagnostics(model.sources);
  for (const Token &token : lex(model.sources, model.file.file, diagnostics).tokens) {
    bool isName = token.kind == TokenKind::Identifier || token.kind == TokenKind::String;
    size.parts += token.kind == TokenKind::EndOfFile ? 0 : isName ? 2 : 1; // a literal is simpler than a name
    if (token.kind == TokenKind::Integer || token.kind == TokenKind::Float)
      size.magnitude += magnitudeOf(token, model.sources.text(token.range));
  }
  return size;
}

std::vector<std::string> ModelSubject::usedBy(const std::string &text) {
  std::vector<std::string> names;
  for (const ast::UseDecl &use : ModelText(text).file.uses)
    names.push_back(use.path.front().text);
  return names;
}

} // namespace attnc::reduce
