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
  result->path = path;
  result->content = std::move(*content);
  attn_tokenizer *opened = nullptr;
  attn_status status;
  attn_tokenizer_open_memory(path.c_str(), result->content.data(), result->content.size(), &opened, &status);
  if (!opened)
    return createStringError(status.message);
  result->handle.reset(opened);
  if (Error error = result->readEnds())
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

std::string TokenizerFile::beside(StringRef name) const {
  SmallString<128> file(sys::path::parent_path(path));
  sys::path::append(file, name);
  return file.str().str();
}

/// Finds the tokens that end texts.
Error TokenizerFile::readEnds() {
  std::string config = beside(configName(sys::path::filename(path)));
  auto add = [&](int32_t id) {
    if (!is_contained(ends, id))
      ends.push_back(id);
  };
  auto settings = readObject(config);
  if (!settings)
    return settings.takeError();
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
  for (const char *name : {"generation_config.json", "config.json"}) {
    auto more = readObject(beside(name));
    if (!more)
      return more.takeError();
    const json::Value *value = *more ? (*more)->get("eos_token_id") : nullptr;
    const json::Array *list = value ? value->getAsArray() : nullptr;
    for (const json::Value &each : list ? *list : value ? json::Array{*value} : json::Array())
      if (auto id = each.getAsInteger()) {
        if (*id < 0 || *id >= size())
          return createStringError(
              formatv("{0}: eos_token_id: found {1}, expected a number below {2}", beside(name), *id, size()));
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

/// The tokens that `encode` writes to a buffer, which has `guess` elements at first.
static Expected<std::vector<int32_t>>
sized(size_t guess, function_ref<attn_code(std::vector<int32_t> &tokens, size_t &count, attn_status &status)> encode) {
  std::vector<int32_t> tokens(guess);
  size_t count = 0;
  attn_status status;
  do {
    tokens.resize(std::max(tokens.size(), count));
    if (encode(tokens, count, status) != ATTN_OK)
      return createStringError(status.message);
  } while (count > tokens.size());
  tokens.resize(count);
  return tokens;
}

Expected<std::vector<int32_t>> TokenizerFile::encode(StringRef text, bool isWhole) const {
  return sized(text.size() + 8, [&](std::vector<int32_t> &tokens, size_t &count, attn_status &status) {
    return attn_tokenizer_encode(handle.get(), text.data(), text.size(), isWhole ? ATTN_SPECIAL_TOKENS : 0,
                                 tokens.data(), tokens.size(), &count, &status);
  });
}

/// The text of a `chat_template`: a text, or the first of a list of objects with one; empty if there is none.
static std::string templateOf(const json::Object &settings) {
  const json::Value *value = settings.get("chat_template");
  if (const json::Array *list = value ? value->getAsArray() : nullptr) {
    const json::Object *first = list->empty() ? nullptr : list->front().getAsObject();
    value = first ? first->get("template") : nullptr;
  }
  auto text = value ? value->getAsString() : std::nullopt;
  return text ? text->str() : "";
}

Expected<std::string> TokenizerFile::chatFamily() const {
  std::string place = beside(configName(sys::path::filename(path)));
  auto settings = readObject(place);
  if (!settings)
    return settings.takeError();
  std::string source = *settings ? templateOf(**settings) : "", problem;
  if (std::string file = beside("chat_template.jinja"); source.empty() && sys::fs::exists(file)) {
    auto content = readText(file, problem);
    if (!content)
      return createStringError(formatv("{0}: can't be read: {1}", file, problem));
    source = std::move(*content);
    place = file;
  }
  if (source.empty())
    return createStringError(formatv("{0}: found no chat_template, expected that of a model which was trained for "
                                     "conversations",
                                     place));
  if (const char *family = attn_chat_family(source.c_str()))
    return family;
  return createStringError(
      formatv("{0}: chat_template: is not known, expected one of the families {1}", place, attn_chat_families()));
}

Expected<std::vector<int32_t>> TokenizerFile::encodeChat(const std::string &family,
                                                         ArrayRef<ChatMessage> messages) const {
  std::vector<attn_chat_message> views;
  size_t bytes = 64;
  for (const ChatMessage &message : messages) {
    views.push_back({message.role, message.text.data(), message.text.size()});
    bytes += message.text.size() + 32;
  }
  return sized(bytes, [&](std::vector<int32_t> &tokens, size_t &count, attn_status &status) {
    return attn_tokenizer_encode_chat(handle.get(), family.c_str(), views.data(), views.size(), tokens.data(),
                                      tokens.size(), &count, &status);
  });
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
