#include "frontends/attn/Check/Names/Files.h"

#include "compiler/Diagnostics/InputFile.h"
#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Names/DeclaredNames.h"
#include "frontends/attn/Parse/Parse.h"

#include <filesystem>
#include <fmt/format.h>

namespace attnc::check {

SourceUnit *Files::load(FileId file, std::string name) {
  units.push_back(std::make_unique<SourceUnit>());
  SourceUnit *unit = units.back().get();
  unit->name = std::move(name);
  unit->file = file;
  unit->ast = std::make_unique<ast::File>(parseFile(sources, file, diagnostics));
  if (diagnostics.hasErrors())
    return unit;
  checkNames(reporter, *unit);
  for (const ast::UseDecl &use : unit->ast->uses)
    if (SourceUnit *used = loadUsed(use, *unit))
      unit->uses[use.path.back().text] = used;
  return unit;
}

SourceUnit *Files::loadPrelude(const std::string &name) {
  std::string text(preludeText(name).value_or(""));
  return load(sources.add(name + ".attn", std::move(text), SourceOrigin::Prelude), name);
}

/// Returns the path of a used file relative to the folder of `user`: "layers/norm.attn".
static std::string besides(const std::string &user, const ast::UseDecl &use) {
  size_t slash = user.rfind('/');
  std::string path = slash == std::string::npos ? "" : user.substr(0, slash + 1);
  for (size_t i = 0; i < use.path.size(); ++i)
    path += (i > 0 ? "/" : "") + use.path[i].text;
  return path + ".attn";
}

SourceUnit *Files::loadUsed(const ast::UseDecl &use, SourceUnit &user) {
  std::string name = besides(sources.file(user.file).name(), use);
  std::optional<std::string> text;
  std::string problem;
  if (name != sources.file(user.file).name()) // a file does not use itself
    text = readText(name, problem);
  std::error_code code;
  bool isThere = !problem.empty() && std::filesystem::exists(name, code);
  std::optional<std::string_view> prelude;
  if (use.path.size() == 1)
    prelude = preludeText(use.path[0].text);
  SourceOrigin origin = SourceOrigin::Disk;
  if (!text && prelude && !isThere) {
    name = use.path[0].text + ".attn";
    text = std::string(*prelude);
    origin = SourceOrigin::Prelude;
  }
  if (!text) {
    std::string written = use.path.back().text;
    Diagnostic &report =
        reporter.error(DiagnosticKind::UnknownFile, use.range,
                       isThere ? fmt::format("`{}` can't be read: {}", name, problem)
                               : fmt::format("there is no file `{}`, neither here nor in the prelude", name));
    if (auto meant = nearest(written, preludeNames()))
      report.hint(fmt::format("did you mean `use {}`?", *meant));
    return nullptr;
  }
  for (const auto &unit : units) {
    const SourceFile &file = sources.file(unit->file);
    if (unit.get() != &user && file.name() == name && file.origin() == origin)
      return unit.get();
  }
  return load(sources.add(name, std::move(*text), origin), use.path.back().text);
}

} // namespace attnc::check
