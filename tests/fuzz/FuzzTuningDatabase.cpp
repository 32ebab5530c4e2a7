// Fuzzes tuning databases: arbitrary bytes give an error with the file's name, or entries that are equal after they are
// written and read, and are found by kernel, target and sizes.
#include "compiler/Schedule/TuningDatabase.h"
#include <cstdlib>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto database = TuningDatabase::parse("fuzz.tuning", {reinterpret_cast<const char *>(data), size});
  if (!database) {
    require(llvm::StringRef(toString(database.takeError())).starts_with("fuzz.tuning: "));
    return 0;
  }
  auto again = TuningDatabase::parse("fuzz.tuning", database->text());
  require(again && again->entries() == database->entries());
  TuningDatabase twice = *database;
  twice.add(*again);
  require(twice.entries() == database->entries());
  for (const TuningEntry &entry : database->entries()) {
    std::vector<std::pair<std::string, int64_t>> at(entry.sizes.begin(), entry.sizes.end());
    const TuningEntry *found = database->find(entry.kernel, entry.target, at);
    require(found && found->kernel == entry.kernel && found->target == entry.target);
  }
  return 0;
}
