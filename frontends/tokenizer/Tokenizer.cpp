#include "frontends/tokenizer/Tokenizer.h"
#include "frontends/tokenizer/Metaspace.h"
#include "frontends/tokenizer/PieceCache.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using nlohmann::json;

namespace attnc::tokenizer {

struct Tokenizer::Memory {
  MatchMemory matches;
  ModelMemory model;
  PieceCache cache;
  Pieces pieces;
  std::string text; ///< normalised
  std::vector<AddedTokens::Part> parts, normalisedParts;
};

/// A memory of the pool, which goes back at the end of a call.
class Tokenizer::Lease {
public:
  explicit Lease(const Tokenizer &owner) : owner(owner) {
    std::lock_guard lock(owner.mutex);
    if (!owner.idle.empty()) {
      memory = std::move(owner.idle.back());
      owner.idle.pop_back();
    } else {
      memory = std::make_unique<Memory>();
      owner.idle.reserve(++owner.memories);
    }
  }
  ~Lease() {
    std::lock_guard lock(owner.mutex);
    owner.idle.push_back(std::move(memory));
  }
  Memory &operator*() { return *memory; }

private:
  const Tokenizer &owner;
  std::unique_ptr<Memory> memory;
};

//===- Reading ----------------------------------------------------------------------------------------------------===//

std::string readFile(const std::string &path) {
  std::error_code code;
  auto type = std::filesystem::status(path, code).type();
  if (!code && type != std::filesystem::file_type::regular)
    throw FileError(path + ": can't be read: it is not a regular file"); // a pipe without a writer would block
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file && file.peek() != std::ifstream::traits_type::eof())
    content << file.rdbuf();
  if (!file.is_open() || file.bad() || content.bad())
    throw FileError(path + ": can't be read: " + std::strerror(errno ? errno : EIO));
  return std::move(content).str();
}

static json parse(const std::string &name, std::string_view content) {
  try {
    return json::parse(content);
  } catch (const json::exception &error) {
    std::string message = error.what();
    if (size_t end = message.find("] "); message.starts_with('[') && end != message.npos)
      message = message.substr(end + 2);
    throw FileError(name + ": is not JSON: " + message);
  }
}

Tokenizer::Tokenizer(const std::string &name, std::string_view content) {
  json value = parse(name, content);
  JsonEntry root(value, name);
  if (!root.isObject() || root["model"].isNull())
    root.fail("an object with the entry 'model', as in tokenizer.json");
  if (!root["version"].isNull())
    root["version"].oneOf({"1.0"});
  model = Model::read(root["model"]);
  normalizer = Normalizer::read(root["normalizer"]);
  preTokenizer = PreTokenizer::read(root["pre_tokenizer"]);
  decoder = Decoder::read(root["decoder"]);
  added = std::make_unique<AddedTokens>(root["added_tokens"], model->tokens(), normalizer.get());
  postProcessor =
      std::make_unique<PostProcessor>(root["post_processor"], [this](int32_t id) { return token(id) != nullptr; });
  if (preTokenizer && preTokenizer->endsInByteAlphabet() && model->useBytes())
    preTokenizer->keepBytes();
}

Tokenizer::~Tokenizer() = default;

int32_t Tokenizer::id(std::string_view token) const {
  int32_t id = added->id(token);
  return id != TokenTable::none ? id : model->tokens().id(token);
}

const std::string *Tokenizer::token(int32_t id) const {
  if (const std::string *text = added->text(id))
    return text;
  return model->tokens().has(id) ? &model->tokens().text(id) : nullptr;
}

//===- Encoding ---------------------------------------------------------------------------------------------------===//

void Tokenizer::encode(std::string_view text, bool withSpecial, std::vector<int32_t> &ids) const {
  std::string valid;
  if (!isUtf8(text)) {
    valid = repaired(text);
    text = valid;
  }
  Lease memory(*this);
  std::vector<int32_t> result;
  auto &parts = (*memory).parts;
  added->split(text, false, parts);
  for (const AddedTokens::Part &part : parts)
    if (part.id != TokenTable::none)
      result.push_back(part.id);
    else
      encodeText(text.substr(part.range.begin, part.range.end - part.range.begin), part.range.begin == 0, *memory,
                 result);
  if (withSpecial)
    postProcessor->process(result);
  if (ids.empty())
    ids = std::move(result);
  else
    ids.insert(ids.end(), result.begin(), result.end());
}

void Tokenizer::encodeText(std::string_view text, bool isStart, Memory &memory, std::vector<int32_t> &ids) const {
  if (normalizer) {
    memory.text = text;
    normalizer->normalize(memory.text, memory.matches);
    text = memory.text;
  }
  if (!added->hasNormalized())
    return encodePieces(text, isStart, memory, ids);
  added->split(text, true, memory.normalisedParts);
  for (const AddedTokens::Part &part : memory.normalisedParts)
    if (part.id != TokenTable::none)
      ids.push_back(part.id);
    else
      encodePieces(text.substr(part.range.begin, part.range.end - part.range.begin), isStart && part.range.begin == 0,
                   memory, ids);
}

void Tokenizer::encodePieces(std::string_view text, bool isStart, Memory &memory, std::vector<int32_t> &ids) const {
  if (text.empty())
    return;
  if (!preTokenizer)
    return encodePiece(text, memory, ids);
  Pieces &pieces = memory.pieces;
  pieces.text = text;
  pieces.ranges.assign(1, {0, text.size()});
  pieces.isStart = isStart;
  preTokenizer->split(pieces, memory.matches);
  for (Range range : pieces.ranges)
    encodePiece(pieces[range], memory, ids);
}

/// The end of the first part of a piece that can be encoded separately (Model::splitsAtSpaces).
static size_t firstPart(std::string_view piece) {
  size_t begin = 0;
  while (piece.substr(begin).starts_with(metaspace))
    begin += metaspace.size();
  return std::min(piece.find(metaspace, begin), piece.size());
}

void Tokenizer::encodePiece(std::string_view piece, Memory &memory, std::vector<int32_t> &ids) const {
  while (!piece.empty()) {
    std::string_view part = piece.substr(0, model->splitsAtSpaces() ? firstPart(piece) : piece.size());
    piece.remove_prefix(part.size());
    if (part.size() > PieceCache::longestPiece) {
      model->encode(part, memory.model, ids);
    } else if (const auto *known = memory.cache.find(part)) {
      ids.insert(ids.end(), known->begin(), known->end());
    } else {
      size_t first = ids.size();
      model->encode(part, memory.model, ids);
      memory.cache.add(part, std::span(ids).subspan(first));
    }
  }
}

//===- Decoding ---------------------------------------------------------------------------------------------------===//

std::string Tokenizer::decode(std::span<const int32_t> ids, bool withSpecial) const {
  std::vector<std::string> tokens;
  for (int32_t id : ids) {
    const std::string *text = added->decoded(id);
    if (!text && model->tokens().has(id))
      text = &model->tokens().text(id);
    if (text && (withSpecial || !isSpecial(id)))
      tokens.push_back(*text);
  }
  if (decoder && !tokens.empty()) {
    Lease memory(*this);
    decoder->decode(tokens, (*memory).matches);
  }
  std::string result;
  for (const std::string &token : tokens)
    result += (decoder || result.empty() ? "" : " ") + token;
  return result;
}

} // namespace attnc::tokenizer
