#include "frontends/tokenizer/PostProcessor.h"
#include "frontends/tokenizer/Normalizer.h"

namespace attnc::tokenizer {

static int32_t readId(const JsonEntry &entry, int32_t size) { return int32_t(entry.integer(0, int64_t(size) - 1)); }

/// The id of an entry ["[SEP]", 102].
static int32_t readToken(const JsonEntry &entry, int32_t size) {
  if (!entry.isArray() || entry.elements().size() != 2)
    entry.fail("a pair [token, id]");
  return readId(entry[1], size);
}

void PostProcessor::readTemplate(const JsonEntry &entry, int32_t size) {
  Template parts;
  for (const JsonEntry &part : entry["single"].elements()) {
    if (!part.isObject())
      part.fail("an object");
    if (!part["Sequence"].isNull()) {
      if (part["Sequence"]["id"].text() != "A")
        part["Sequence"]["id"].fail("A, the only text of this template");
      parts.push_back({true, {}});
      continue;
    }
    const JsonEntry name = part["SpecialToken"]["id"];
    const JsonEntry token = entry["special_tokens"][name.text()];
    if (token.isNull())
      name.fail("a name of special_tokens");
    std::vector<int32_t> ids;
    for (const JsonEntry &id : token["ids"].elements())
      ids.push_back(readId(id, size));
    parts.push_back({false, std::move(ids)});
  }
  templates.push_back(std::move(parts));
}

void PostProcessor::read(const JsonEntry &entry, int32_t size, int depth) {
  if (entry.isNull())
    return;
  switch (entry["type"].oneOf({"TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel", "Sequence"})) {
  case 0:
    return readTemplate(entry, size);
  case 1:
  case 2:
    templates.push_back(
        {{false, {readToken(entry["cls"], size)}}, {true, {}}, {false, {readToken(entry["sep"], size)}}});
    return;
  case 3:
    return; // changes positions in the text, which encoding does not return
  }
  if (depth == deepestSequence)
    entry.failWith("found more than " + std::to_string(deepestSequence) + " nested sequences");
  for (const JsonEntry &part : entry["processors"].elements())
    read(part, size, depth + 1);
}

void PostProcessor::process(std::vector<int32_t> &ids) const {
  for (const Template &parts : templates) {
    std::vector<int32_t> result;
    for (const Part &part : parts) {
      const std::vector<int32_t> &added = part.isText ? ids : part.ids;
      result.insert(result.end(), added.begin(), added.end());
    }
    ids = std::move(result);
  }
}

} // namespace attnc::tokenizer
