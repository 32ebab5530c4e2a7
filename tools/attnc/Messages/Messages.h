//===- Messages.h - errors and warnings on standard error ---------------------------------------------------------===//
//
// Messages about a model begin with a source location in the model (compiler/Diagnostics). All others begin with the
// program's name:
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

enum class ExitCode { Success = 0, UserError = userError, InternalError = internalError };

/// Prints a user error, and returns its exit code. Control characters, which names in files may have, are printed as
/// escapes such as "\x1b", in warnings too.
ExitCode refuse(llvm::StringRef message);
/// Prints an error as refuse() does; returns Success, and prints nothing, if there is no error.
ExitCode report(llvm::Error error);
/// The error of a compile that failed with `messages`: report() prints these unchanged, and returns `exitCode`.
llvm::Error compileFailure(std::string messages, ExitCode exitCode);
/// The error of a call of the runtime; success if it returned ATTN_OK.
llvm::Error toError(attn_code code, const attn_status &status);
void warn(llvm::StringRef message);

/// The end of a message that `word` does not exist: "; did you mean `loss`?", or else "; there are loss, train and 3
/// more", in order and each once; empty if `known` is empty.
std::string whatThereIs(const std::string &word, std::vector<std::string> known);

/// Prints the usage error of a command line, or the help that it requests. `arguments` are those of the process.
ExitCode report(const CLI::App &app, const CLI::ParseError &error, llvm::ArrayRef<const char *> arguments);

} // namespace attnc
