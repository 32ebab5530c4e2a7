#include "frontends/attn/Check/Names/Files.h"

#include "compiler/Diagnostics/InputFile.h"
#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Names/DeclaredNames.h"
#include "frontends/attn/Parse/Parse.h"

#include <algorithm>
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

/// Returns the words of a `use` with `separator` between them.
static std::string joined(const ast::UseDecl &use, std::string_view separator) {
  std::string path;
  for (const ast::Name &word : use.path)
    path += (path.empty() ? "" : std::string(separator)) + word.text;
  return path;
}

/// Returns the path of a used file relative to the folder of `user`: "layers/norm.attn".
static std::string besides(const std::string &user, const ast::UseDecl &use) {
  size_t slash = user.rfind('/');
  return (slash == std::string::npos ? "" : user.substr(0, slash + 1)) + joined(use, "/") + ".attn";
}

/// Returns the path of a file of the prelude within its folder: "models/llama.attn" for "models.llama".
static std::string preludePath(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return name + ".attn";
}

SourceUnit *Files::loadPrelude(const std::string &name) {
  std::string text(preludeText(name).value_or(""));
  return load(sources.add(preludePath(name), std::move(text), SourceOrigin::Prelude), name);
}

SourceUnit *Files::loadUsed(const ast::UseDecl &use, SourceUnit &user) {
  const SourceFile &from = sources.file(user.file);
  std::string name = besides(from.name(), use), inPrelude = joined(use, ".");
  std::optional<std::string> text;
  std::string problem;
  if (from.origin() == SourceOrigin::Disk && name != from.name()) // a file does not use itself
    text = readText(name, problem);
  std::error_code code;
  bool isThere = !problem.empty() && std::filesystem::exists(name, code);
  SourceOrigin origin = SourceOrigin::Disk;
  if (auto prelude = preludeText(inPrelude); !text && prelude && !isThere) {
    name = preludePath(inPrelude);
    text = std::string(*prelude);
    origin = SourceOrigin::Prelude;
  }
  if (!text) {
    Diagnostic &report =
        reporter.error(DiagnosticKind::UnknownFile, use.range,
                       isThere ? fmt::format("`{}` can't be read: {}", name, problem)
                               : fmt::format("there is no file `{}`, neither here nor in the prelude", name));
    if (auto meant = nearest(inPrelude, preludeNames()))
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
