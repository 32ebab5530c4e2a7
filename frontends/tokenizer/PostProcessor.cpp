#include "frontends/tokenizer/PostProcessor.h"
#include "frontends/tokenizer/Normalizer.h"

namespace attnc::tokenizer {

static int32_t readId(const JsonEntry &entry, const PostProcessor::HasToken &hasToken) {
  int32_t id = entry.id();
  if (!hasToken(id))
    entry.fail("the id of a token");
  return id;
}

/// The id of an entry ["[SEP]", 102].
static int32_t readToken(const JsonEntry &entry, const PostProcessor::HasToken &hasToken) {
  if (!entry.isArray() || entry.elements().size() != 2)
    entry.fail("a pair [token, id]");
  return readId(entry[1], hasToken);
}

void PostProcessor::readTemplate(const JsonEntry &entry, const HasToken &hasToken) {
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
      ids.push_back(readId(id, hasToken));
    parts.push_back({false, std::move(ids)});
  }
  templates.push_back(std::move(parts));
}

void PostProcessor::read(const JsonEntry &entry, const HasToken &hasToken, int depth) {
  if (entry.isNull())
    return;
  switch (entry["type"].oneOf({"TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel", "Sequence"})) {
  case 0:
    return readTemplate(entry, hasToken);
  case 1:
  case 2:
    templates.push_back(
        {{false, {readToken(entry["cls"], hasToken)}}, {true, {}}, {false, {readToken(entry["sep"], hasToken)}}});
    return;
  case 3:
    return; // changes positions in the text, which encoding does not return
  }
  if (depth == deepestSequence)
    entry.failWith("found more than " + std::to_string(deepestSequence) + " nested sequences");
  for (const JsonEntry &part : entry["processors"].elements())
    read(part, hasToken, depth + 1);
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
