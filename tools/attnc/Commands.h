//===- Commands.h - the subcommands of attnc ----------------------------------------------------------------------===//
//
// Each function adds one subcommand to the command-line parser `app`. CLI11 runs the subcommand in a callback when it
// has parsed the command line; the callback stores the result in `exitCode`, which must outlive `app`. Each function is
// defined in the folder of its subcommand, for example addBench in tools/attnc/Bench. addMergeTuning adds
// `merge-tuning`, which merges tuning databases.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Messages/Messages.h"
#include <CLI/CLI.hpp>

namespace attnc {

void addBench(CLI::App &app, ExitCode &exitCode);
void addCompare(CLI::App &app, ExitCode &exitCode);
void addCompile(CLI::App &app, ExitCode &exitCode);
void addDescribe(CLI::App &app, ExitCode &exitCode);
void addEvaluate(CLI::App &app, ExitCode &exitCode);
void addExplain(CLI::App &app, ExitCode &exitCode);
void addGenerate(CLI::App &app, ExitCode &exitCode);
void addImport(CLI::App &app, ExitCode &exitCode);
void addMachine(CLI::App &app, ExitCode &exitCode);
void addPack(CLI::App &app, ExitCode &exitCode);
void addRun(CLI::App &app, ExitCode &exitCode);
void addStudy(CLI::App &app, ExitCode &exitCode);
void addTrain(CLI::App &app, ExitCode &exitCode);
void addMergeTuning(CLI::App &app, ExitCode &exitCode);
void addTune(CLI::App &app, ExitCode &exitCode);
void addVerify(CLI::App &app, ExitCode &exitCode);

} // namespace attnc
