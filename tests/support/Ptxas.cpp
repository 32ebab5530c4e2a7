#include "tests/support/Ptxas.h"
#include "compiler/Codegen/GPU/Backend/Ptxas.h"
#include <map>

namespace attnc {

bool hasPtxas() { return Ptxas::find().has_value(); }

/// Assembles a text once: several tests, or several checks of a test, can examine the same kernel.
static const Ptxas::Report &assembled(const std::string &ptx, const std::string &architecture) {
  static std::map<std::pair<std::string, std::string>, Ptxas::Report> reports;
  auto [report, isNew] = reports.try_emplace({architecture, ptx});
  if (isNew)
    report->second = Ptxas::find()->assemble(ptx, architecture);
  return report->second;
}

std::string ptxasFault(const std::string &ptx, const std::string &architecture) {
  return assembled(ptx, architecture).fault();
}

int64_t ptxasRegisters(const std::string &ptx, const std::string &architecture) {
  return assembled(ptx, architecture).registers();
}

} // namespace attnc
