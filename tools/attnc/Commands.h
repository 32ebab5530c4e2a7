//===- Commands.h - the subcommands of attnc --------------------------------------------------------------------===//
//
// Each adds itself to the command line; its callback sets the exit code of the process.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <CLI/CLI.hpp>

namespace attnc {

enum class ExitCode { Success = 0, UsersFault = 1, OurFault = 2 };

/// Prints an error, if there is one, as the user's fault.
ExitCode report(llvm::Error error);

void addBench(CLI::App &app, ExitCode &exitCode);
void addCompile(CLI::App &app, ExitCode &exitCode);
void addDescribe(CLI::App &app, ExitCode &exitCode);
void addExplain(CLI::App &app, ExitCode &exitCode);
void addRun(CLI::App &app, ExitCode &exitCode);

struct InvocationOptions;
/// Adds --entry, --input, --dim, --weights, --allow-extra, --seed and --threads.
void addInvocationOptions(CLI::App &command, InvocationOptions &options);

} // namespace attnc
