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

/// Parses a file of `sources` and the files that it uses, and checks them: the phases parse and check. Used files are
/// read and added to `sources`. Returns null if `diagnostics` has an error, also one from before the call. Errors are
/// those of syntax, of `use` and of repeated names, or, if there are none, those of other names, types and shapes.
/// Warnings are added to `diagnostics` too.
std::unique_ptr<typed::Program> checkFile(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                                          const CheckOptions &options = {});

/// Returns the text of a file of the prelude, the library of the language, a constant of the executable:
/// preludeText("nn") is nn.attn, and preludeText("models.llama") is models/llama.attn. Null if there is no such file.
std::optional<std::string_view> preludeText(std::string_view name);
/// Returns the names of the prelude's files, as `use` has them: "nn", "models.llama".
std::vector<std::string> preludeNames();

/// Name, signature and description of a builtin function, for the language reference.
struct BuiltinSummary {
  std::string_view name, signature, doc;
};
/// Returns all builtin functions, in the order of the table of Builtins.cpp.
std::vector<BuiltinSummary> builtinSummaries();

} // namespace attnc
