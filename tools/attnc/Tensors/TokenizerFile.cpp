#include "tools/attnc/Tensors/TokenizerFile.h"
#include "compiler/Diagnostics/InputFile.h"
#include "compiler/Json/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace attnc {

bool isTokenizerFile(StringRef path) { return path.ends_with(".json"); }

std::string configName(StringRef tokenizer) {
  StringRef rest = tokenizer;
  return "tokenizer_config" + (rest.consume_front("tokenizer") ? rest.str() : ".json");
}

Expected<std::shared_ptr<const TokenizerFile>> TokenizerFile::open(const std::string &path) {
  std::shared_ptr<TokenizerFile> result(new TokenizerFile);
  std::string problem;
  auto content = readText(path, problem);
  if (!content)
    return createStringError(formatv("{0}: can't be read: {1}", path, problem));
  result->content = std::move(*content);
  attn_tokenizer *opened = nullptr;
  attn_status status;
  attn_tokenizer_open_memory(path.c_str(), result->content.data(), result->content.size(), &opened, &status);
  if (!opened)
    return createStringError(status.message);
  result->handle.reset(opened);
  if (Error error = result->readEnds(path))
    return std::move(error);
  return result;
}

/// The object in a file; null if the file does not exist.
static Expected<std::optional<json::Object>> readObject(const std::string &path) {
  if (!sys::fs::exists(path))
    return std::nullopt;
  std::string problem;
  auto text = readText(path, problem);
  if (!text)
    return createStringError(formatv("{0}: can't be read: {1}", path, problem));
  auto value = parseJson(*text);
  if (!value)
    return createStringError(formatv("{0}: {1}", path, toString(value.takeError())));
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return createStringError(formatv("{0}: found no object", path));
}

/// Finds the tokens that end texts.
Error TokenizerFile::readEnds(const std::string &path) {
  SmallString<128> config(sys::path::parent_path(path)), generation = config;
  sys::path::append(config, configName(sys::path::filename(path)));
  sys::path::append(generation, "generation_config.json");
  auto add = [&](int32_t id) {
    if (!is_contained(ends, id))
      ends.push_back(id);
  };
  auto settings = readObject(config.str().str());
  if (!settings)
    return settings.takeError();
  auto more = readObject(generation.str().str());
  if (!more)
    return more.takeError();
  auto addToken = [&](StringRef key) -> Error {
    const json::Value *token = *settings ? (*settings)->get(key) : nullptr;
    const json::Object *object = token ? token->getAsObject() : nullptr;
    auto text = object ? object->getString("content") : token ? token->getAsString() : std::nullopt;
    int32_t id = text ? attn_tokenizer_id(handle.get(), text->str().c_str()) : -1;
    if (id >= 0)
      add(id);
    else if (text)
      return createStringError(formatv("{0}: {1}: found '{2}', expected a token of {3}", config, key, *text, path));
    return Error::success();
  };
  if (Error error = addToken("eos_token"))
    return error;
  if (const json::Value *value = *more ? (*more)->get("eos_token_id") : nullptr) {
    const json::Array *list = value->getAsArray();
    for (const json::Value &each : list ? *list : json::Array{*value})
      if (auto id = each.getAsInteger()) {
        if (*id < 0 || *id >= size())
          return createStringError(
              formatv("{0}: eos_token_id: found {1}, expected a number below {2}", generation, *id, size()));
        add(int32_t(*id));
      }
  }
  if (ends.empty()) // encoders such as BERT
    if (Error error = addToken("sep_token"))
      return error;
  if (ends.empty())
    return createStringError(formatv("{0}: found no token that ends a text: {1}, expected the entry eos_token or "
                                     "sep_token of {2}",
                                     path, *settings ? "it is not in " + config : config + " does not exist", config));
  return Error::success();
}

std::string TokenizerFile::config() const {
  return formatv("{0:2}\n", json::Value(json::Object{{"eos_token", token(end())}})).str();
}

Expected<std::vector<int32_t>> TokenizerFile::encode(StringRef text, bool isWhole) const {
  std::vector<int32_t> tokens(text.size() + 8);
  size_t count = 0;
  attn_status status;
  do {
    tokens.resize(std::max(tokens.size(), count));
    if (attn_tokenizer_encode(handle.get(), text.data(), text.size(), isWhole ? ATTN_SPECIAL_TOKENS : 0, tokens.data(),
                              tokens.size(), &count, &status) != ATTN_OK)
      return createStringError(status.message);
  } while (count > tokens.size());
  tokens.resize(count);
  return tokens;
}

std::string TokenizerFile::decode(ArrayRef<int32_t> tokens) const {
  std::string text(8 * tokens.size(), '\0');
  size_t bytes = 0;
  do {
    text.resize(std::max(text.size(), bytes));
    if (attn_tokenizer_decode(handle.get(), tokens.data(), tokens.size(), 0, text.data(), text.size(), &bytes,
                              nullptr) != ATTN_OK)
      report_bad_alloc_error("no memory for a text");
  } while (bytes > text.size());
  text.resize(bytes);
  return text;
}

StringRef TokenizerFile::token(int32_t number) const {
  const char *text = attn_tokenizer_token(handle.get(), number);
  return text ? text : "";
}

std::unique_ptr<attn_token_stream, TokenizerFile::Closer> TokenizerFile::stream() const {
  attn_token_stream *opened = nullptr;
  if (attn_token_stream_open(handle.get(), 0, &opened, nullptr) != ATTN_OK)
    report_bad_alloc_error("no memory for a text");
  return std::unique_ptr<attn_token_stream, Closer>(opened);
}

} // namespace attnc
