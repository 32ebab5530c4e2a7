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

/// The exit codes of attnc (tools/command-line/UsageError.h).
enum class ExitCode { Success = 0, UserError = userError, InternalError = internalError };

/// Prints "attnc: error: ", `message` and a newline, and returns UserError. Control characters, which names in files
/// may have, are printed as escapes such as "\x1b".
ExitCode refuse(llvm::StringRef message);
/// Prints the message of `error` as refuse() does, and returns UserError; for an error of compileFailure(), see there.
/// Returns Success and prints nothing if there is no error.
ExitCode report(llvm::Error error);
/// An error for a failed compile: report() prints `messages` unchanged, and returns `exitCode`.
llvm::Error compileFailure(std::string messages, ExitCode exitCode);
/// Converts the result `code` of a runtime call to an error with the message of `status`; success for ATTN_OK.
llvm::Error toError(attn_code code, const attn_status &status);
/// Prints "attnc: warning: ", `message` and a newline, with control characters as escapes.
void warn(llvm::StringRef message);

/// The end of a message that the name `word` does not exist, where the names `known` do: "; did you mean `loss`?" if a
/// known name is similar, otherwise a sorted list of at most eight names: "; there are loss, train and 3 more". Empty
/// if `known` is empty.
std::string whatThereIs(const std::string &word, std::vector<std::string> known);

/// Handles `error`, which CLI11 threw for the command line. Prints a requested help or version to standard output and
/// returns Success; otherwise prints the usage error and returns UserError. `arguments` are those of the process, from
/// argv[0].
ExitCode report(const CLI::App &app, const CLI::ParseError &error, llvm::ArrayRef<const char *> arguments);

} // namespace attnc
