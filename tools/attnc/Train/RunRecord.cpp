#include "tools/attnc/Train/RunRecord.h"
#include "compiler/Emit/OutputFiles.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Json/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

// Hashes are strings, because numbers of JSON have 53 bits.
Error RunRecord::write(const std::string &path) const {
  json::Object object{{"entry", entry},  {"seed", utohexstr(seed)}, {"batch", batch},
                      {"seq", sequence}, {"held_out", heldOut},     {"data", utohexstr(data)}};
  if (mostTokens > 0)
    object["vocab_size"] = mostTokens;
  if (!ownWords.empty())
    object["own_vocabulary"] = ownWords;
  if (init)
    object["init"] = *init;
  return OutputFiles::replace(path, formatv("{0:2}\n", json::Value(std::move(object))).str());
}

Expected<RunRecord> RunRecord::read(const std::string &path) {
  auto buffer = readInputFile(path);
  if (!buffer)
    return createStringError(formatv("{0}: {1}", path, toString(buffer.takeError())));
  auto parsed = parseJson((*buffer)->getBuffer());
  if (!parsed) {
    consumeError(parsed.takeError());
    return createStringError(formatv("{0}: is not JSON", path));
  }
  RunRecord record;
  const json::Object *object = parsed->getAsObject();
  auto number = [&](StringRef key) { return object ? object->getInteger(key) : std::nullopt; };
  auto hash = [&](StringRef key, uint64_t &value) {
    auto text = object ? object->getString(key) : std::nullopt;
    return text && !text->getAsInteger(16, value);
  };
  auto heldOut = object ? object->getNumber("held_out") : std::nullopt;
  if (!number("batch") || !number("seq") || !heldOut || !hash("seed", record.seed) || !hash("data", record.data))
    return createStringError(formatv("{0}: lacks `seed`, `batch`, `seq`, `held_out` or `data`", path));
  record.entry = object->getString("entry").value_or("").str();
  record.batch = *number("batch");
  record.sequence = *number("seq");
  record.heldOut = *heldOut;
  record.mostTokens = number("vocab_size").value_or(0);
  record.ownWords = object->getString("own_vocabulary").value_or("").str();
  if (const json::Value *init = object->get("init"))
    record.init = *init;
  return record;
}

std::string RunRecord::differences(const RunRecord &now) const {
  SmallVector<std::string> found;
  auto compare = [&](const char *what, auto was, auto is) {
    if (was != is)
      found.push_back(fmt::format("{} was {} and is {}", what, was, is));
  };
  compare("--seed", seed, now.seed);
  compare("--batch", batch, now.batch);
  compare("--seq", sequence, now.sequence);
  compare("--held-out", heldOut, now.heldOut);
  compare("--vocab-size", mostTokens, now.mostTokens);
  compare("--own-vocabulary", ownWords.empty() ? "not given" : ownWords,
          now.ownWords.empty() ? "not given" : now.ownWords);
  if (data != now.data)
    found.push_back("the data differ");
  return join(found, ", ");
}

} // namespace attnc
