//===- Check.h - from a file to the typed AST ---------------------------------------------------------------------===//
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

/// Parses a file and the files it uses, and checks them. Null where `diagnostics` has got an error. All errors of
/// syntax, or all of type, shape and name, are reported.
std::unique_ptr<typed::Program> checkFile(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                                          const CheckOptions &options = {});

/// The text of a file of the prelude: preludeText("nn") is nn.attn.
std::optional<std::string_view> preludeText(std::string_view name);
/// The names of the prelude's files.
std::vector<std::string> preludeNames();

/// A builtin function, for the reference of the language.
struct BuiltinSummary {
  std::string_view name, signature, doc;
};
std::vector<BuiltinSummary> builtinSummaries();

} // namespace attnc
