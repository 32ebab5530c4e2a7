//===- Messages.h - what attnc tells its user -------------------------------------------------------------------===//
//
// Messages about a model begin with a place in it (compiler/Diagnostics). All others begin with the program's name:
//
//   attnc: error: no command `complie`; did you mean `compile`?
//   attnc: warning: logits_attend_0.tile_q=50 was not honoured: the kernel has tile_q = 64
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/status.h"
#include "tools/command-line/UsageError.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

enum class ExitCode { Success = 0, UsersFault = usersFault, OurFault = ourFault };

/// Prints an error as the user's fault. Control characters, which names in files may have, are shown as "\x1b"; so are
/// those of warnings.
ExitCode refuse(llvm::StringRef message);
/// The same for an error, if there is one.
ExitCode report(llvm::Error error);
/// What a compile said that failed: report() prints it as it is, and gives `exitCode`.
llvm::Error compileFailure(std::string messages, ExitCode exitCode);
/// What a call of the runtime says, unless all is well.
llvm::Error toError(attn_code code, const attn_status &status);
void warn(llvm::StringRef message);

/// Behind a message that there is no `word`: "; did you mean `loss`?", or else "; there are loss, train and 3 more", in
/// order and each once; nothing where nothing is known.
std::string whatThereIs(const std::string &word, std::vector<std::string> known);

/// Prints what is wrong with a command line, or the help that it asks for. `arguments` are those of the process.
ExitCode report(const CLI::App &app, const CLI::ParseError &error, llvm::ArrayRef<const char *> arguments);

} // namespace attnc
