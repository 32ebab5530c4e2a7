//===- Check.h - front end: a model file to the typed AST ---------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Diagnostic.h"
#include "frontends/attn/Check/Options.h"
#include "frontends/attn/Check/Typed.h"
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// Parses a file and the files that it uses, and checks them. Null if there are errors, which `diagnostics` lists:
/// those of syntax, or, if there are none, those of types, shapes and names. Used files are read and added to
/// `sources`.
std::unique_ptr<typed::Program> checkFile(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                                          const CheckOptions &options = {});

/// Returns the text of a file of the prelude: preludeText("nn") is nn.attn. Null if there is no such file.
std::optional<std::string_view> preludeText(std::string_view name);
/// Returns the names of the prelude's files.
std::vector<std::string> preludeNames();

/// Name, signature and description of a builtin function, for the language reference.
struct BuiltinSummary {
  std::string_view name, signature, doc;
};
std::vector<BuiltinSummary> builtinSummaries();

} // namespace attnc
