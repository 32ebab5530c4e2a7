#include "tests/support/Ptxas.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace attnc {

static ErrorOr<std::string> findPtxas() { return sys::findProgramByName("ptxas"); }

bool hasPtxas() { return bool(findPtxas()); }

static std::string temporaryFile(StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error = sys::fs::createTemporaryFile("attnc", suffix, path))
    report_fatal_error(Twine(error.message()));
  return std::string(path);
}

/// What ptxas says, and how it ended.
static std::pair<std::string, int> assemble(const std::string &ptx, const std::string &architecture) {
  std::string program = *findPtxas(), source = temporaryFile("ptx"), report = temporaryFile("txt");
  FileRemover removeSource(source), removeReport(report);
  std::error_code error;
  raw_fd_ostream(source, error) << ptx;
  std::string architectureOption = "-arch=" + architecture;
  int code = sys::ExecuteAndWait(program, {program, "-v", architectureOption, source, "-o", "/dev/null"}, std::nullopt,
                                 {std::nullopt, StringRef(report), StringRef(report)});
  auto text = MemoryBuffer::getFile(report);
  return {text ? (*text)->getBuffer().str() : "", error ? error.value() : code};
}

std::string ptxasFault(const std::string &ptx, const std::string &architecture) {
  auto [said, code] = assemble(ptx, architecture);
  if (code != 0)
    return "ptxas ended with " + std::to_string(code) + ": " + said;
  for (StringRef line : split(said, '\n'))
    if (line.contains("bytes spill") &&
        !line.contains("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"))
      return line.trim().str();
  return said.find("C75") == std::string::npos ? "" : said; // matrix products that it makes wait for each other
}

int64_t ptxasRegisters(const std::string &ptx, const std::string &architecture) {
  std::string said = assemble(ptx, architecture).first;
  int64_t most = 0;
  for (StringRef rest = said; rest.contains("Used ");) {
    rest = rest.split("Used ").second;
    int64_t registers = 0;
    StringRef(rest).consumeInteger(10, registers);
    most = std::max(most, registers);
  }
  return most;
}

} // namespace attnc
