#include "compiler/Codegen/GPU/Backend/Ptxas.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdlib>

namespace attnc {

std::optional<Ptxas> Ptxas::find() {
  if (llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("ptxas"))
    return Ptxas(*program);
  const char *home = std::getenv("CUDA_HOME");
  if (!home)
    return std::nullopt;
  llvm::SmallString<64> folder(home);
  llvm::sys::path::append(folder, "bin");
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("ptxas", {llvm::StringRef(folder)});
  return program ? std::optional(Ptxas(*program)) : std::nullopt;
}

/// Runs a program and returns its output and exit code. If the program cannot be run or crashes, the exit code is
/// negative, and the output ends with the reason.
static std::pair<std::string, int> runProgram(const std::string &program,
                                              llvm::SmallVector<llvm::StringRef> arguments) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("attnc", "txt", path))
    return {"can't create a temporary file", -1};
  llvm::FileRemover remove(path);
  arguments.insert(arguments.begin(), program);
  std::string reason;
  int code = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, {std::nullopt, path.str(), path.str()}, 0, 0,
                                       &reason);
  auto text = llvm::MemoryBuffer::getFile(path);
  return {(text ? (*text)->getBuffer().str() : "") + reason, code};
}

std::string Ptxas::version() const {
  std::string output = runProgram(program, {"--version"}).first;
  return llvm::StringRef(output)
      .split("release ")
      .second.take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
      .str();
}

Ptxas::Report Ptxas::assemble(llvm::StringRef ptx, llvm::StringRef architecture) const {
  Report report;
  llvm::SmallString<128> source;
  if (llvm::sys::fs::createTemporaryFile("attnc", "ptx", source)) {
    report.output = "can't create a temporary file";
    report.exitCode = -1;
    return report;
  }
  llvm::FileRemover remove(source);
  std::error_code error;
  llvm::raw_fd_ostream file(source, error);
  if (!error) {
    file << ptx;
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error) {
    report.output = "can't write a temporary file: " + error.message();
    report.exitCode = -1;
    return report;
  }
  std::string option = ("-arch=" + architecture).str();
  std::tie(report.output, report.exitCode) = runProgram(program, {"-v", option, source, "-o", "/dev/null"});
  report.functions = read(report.output);
  return report;
}

std::vector<FunctionResources> Ptxas::read(llvm::StringRef output) {
  std::vector<FunctionResources> functions;
  for (llvm::StringRef line : split(output, '\n')) {
    if (llvm::StringRef name = line.split("Compiling entry function '").second; !name.empty())
      functions.emplace_back().function = name.split('\'').first.str();
    if (functions.empty())
      continue;
    FunctionResources &last = functions.back();
    // "48 bytes stack frame, 44 bytes spill stores, 44 bytes spill loads", "Used 40 registers, 1024 bytes smem"
    for (llvm::StringRef part : split(line, ',')) {
      part = part.trim();
      part.consume_front("ptxas info    : Used ");
      int64_t number = 0;
      if (part.consumeInteger(10, number))
        continue;
      if (part == " registers")
        last.registers = number;
      else if (part == " bytes smem")
        last.sharedBytes = number;
      else if (part == " bytes stack frame")
        last.stackBytes = number;
      else if (part.starts_with(" bytes spill"))
        last.spillBytes += number;
    }
  }
  return functions;
}

std::string Ptxas::Report::fault() const {
  if (exitCode != 0)
    return "ptxas ended with " + std::to_string(exitCode) + ": " + output;
  for (const FunctionResources &each : functions)
    if (each.stackBytes || each.spillBytes)
      return each.function + ": a stack of " + std::to_string(each.stackBytes) + " bytes, " +
             std::to_string(each.spillBytes) + " bytes spilled";
  return output.find("(C75") == std::string::npos ? "" : output; // a warning that wgmma products are serialised
}

int64_t Ptxas::Report::registers() const {
  int64_t most = 0;
  for (const FunctionResources &each : functions)
    most = std::max(most, each.registers);
  return most;
}

} // namespace attnc
