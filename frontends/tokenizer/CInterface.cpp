// The functions of attn/tokenizer.h.
#include "attn/tokenizer.h"
#include "frontends/tokenizer/ChatTemplate.h"
#include "frontends/tokenizer/TokenStream.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace attnc::tokenizer;

struct attn_tokenizer : Tokenizer {
  using Tokenizer::Tokenizer;
};

struct attn_token_stream {
  TokenStream tokens;
  std::string text; ///< that the last call returned
};

/// Sets the status. The message is shortened at the end of a character; control characters become spaces.
static attn_code finish(attn_status *status, attn_code code, std::string_view message = "") {
  if (!status)
    return code;
  size_t bytes = std::min(message.size(), sizeof status->message - 1);
  while (bytes > 0 && bytes < message.size() && (uint8_t(message[bytes]) & 0xC0) == 0x80)
    --bytes;
  status->code = code;
  std::transform(message.begin(), message.begin() + ptrdiff_t(bytes), status->message,
                 [](char byte) { return uint8_t(byte) < 0x20 || byte == 0x7F ? ' ' : byte; });
  status->message[bytes] = 0;
  return code;
}

/// Calls `function` and returns its code, or the code of the error that it throws.
template <typename Function> static attn_code guarded(attn_status *status, Function function) {
  try {
    function();
    return finish(status, ATTN_OK);
  } catch (const FileError &error) {
    return finish(status, ATTN_BAD_FILE, error.what());
  } catch (const TextError &error) {
    return finish(status, ATTN_UNSUPPORTED, error.what());
  } catch (const std::bad_alloc &) {
    return finish(status, ATTN_NO_MEMORY, "no memory for a tokenizer or a text");
  } catch (const std::exception &error) { // std::length_error of a container
    return finish(status, ATTN_NO_MEMORY, error.what());
  }
}

/// Copies at most `capacity` elements, and sets the number of all.
template <typename Element>
static void copyOut(const Element *from, size_t number, Element *to, size_t capacity, size_t *count) {
  if (size_t copied = std::min(number, capacity))
    std::memcpy(to, from, copied * sizeof(Element));
  *count = number;
}

attn_code attn_tokenizer_open(const char *path, attn_tokenizer **tokenizer, attn_status *status) {
  if (tokenizer)
    *tokenizer = nullptr;
  if (!path || !tokenizer)
    return finish(status, ATTN_BAD_ARGUMENT, "attn_tokenizer_open: a null pointer");
  return guarded(status, [&] { *tokenizer = new attn_tokenizer(path, readFile(path)); });
}

attn_code attn_tokenizer_open_memory(const char *name, const void *content, size_t bytes, attn_tokenizer **tokenizer,
                                     attn_status *status) {
  if (tokenizer)
    *tokenizer = nullptr;
  if (!name || !content || !tokenizer)
    return finish(status, ATTN_BAD_ARGUMENT, "attn_tokenizer_open_memory: a null pointer");
  std::string_view text(static_cast<const char *>(content), bytes);
  return guarded(status, [&] { *tokenizer = new attn_tokenizer(name, text); });
}

void attn_tokenizer_close(attn_tokenizer *tokenizer) { delete tokenizer; }

int32_t attn_tokenizer_size(const attn_tokenizer *tokenizer) { return tokenizer ? tokenizer->size() : 0; }

int32_t attn_tokenizer_id(const attn_tokenizer *tokenizer, const char *token) {
  return tokenizer && token ? tokenizer->id(token) : TokenTable::none;
}

const char *attn_tokenizer_token(const attn_tokenizer *tokenizer, int32_t id) {
  const std::string *text = tokenizer ? tokenizer->token(id) : nullptr;
  return text ? text->c_str() : nullptr;
}

int32_t attn_tokenizer_is_special(const attn_tokenizer *tokenizer, int32_t id) {
  return tokenizer && tokenizer->isSpecial(id);
}

attn_code attn_tokenizer_encode(const attn_tokenizer *tokenizer, const char *text, size_t bytes, int32_t flags,
                                int32_t *ids, size_t capacity, size_t *count, attn_status *status) {
  if (count)
    *count = 0;
  if (!tokenizer || !count || (!text && bytes > 0) || (!ids && capacity > 0))
    return finish(status, ATTN_BAD_ARGUMENT, "attn_tokenizer_encode: a null pointer");
  return guarded(status, [&] {
    std::vector<int32_t> all;
    tokenizer->encode({text, bytes}, flags & ATTN_SPECIAL_TOKENS, all);
    copyOut(all.data(), all.size(), ids, capacity, count);
  });
}

attn_code attn_tokenizer_decode(const attn_tokenizer *tokenizer, const int32_t *ids, size_t count, int32_t flags,
                                char *text, size_t capacity, size_t *bytes, attn_status *status) {
  if (bytes)
    *bytes = 0;
  if (!tokenizer || !bytes || (!ids && count > 0) || (!text && capacity > 0))
    return finish(status, ATTN_BAD_ARGUMENT, "attn_tokenizer_decode: a null pointer");
  return guarded(status, [&] {
    std::string all = tokenizer->decode({ids, count}, flags & ATTN_SPECIAL_TOKENS);
    copyOut(all.data(), all.size(), text, capacity, bytes);
  });
}

const char *attn_chat_family(const char *chat_template) {
  const ChatTemplate *found = chat_template ? ChatTemplate::recognised(chat_template) : nullptr;
  return found ? found->name : nullptr;
}

const char *attn_chat_families(void) { return ChatTemplate::names; }

attn_code attn_tokenizer_encode_chat(const attn_tokenizer *tokenizer, const char *family,
                                     const attn_chat_message *messages, size_t message_count, int32_t *ids,
                                     size_t capacity, size_t *count, attn_status *status) {
  if (count)
    *count = 0;
  bool hasNull = std::any_of(messages, messages + (messages ? message_count : 0), [](const attn_chat_message &message) {
    return !message.role || (!message.text && message.bytes > 0);
  });
  if (!tokenizer || !family || !count || (!messages && message_count > 0) || hasNull || (!ids && capacity > 0))
    return finish(status, ATTN_BAD_ARGUMENT, "attn_tokenizer_encode_chat: a null pointer");
  const ChatTemplate *found = ChatTemplate::named(family);
  if (!found)
    return finish(status, ATTN_BAD_ARGUMENT, "attn_tokenizer_encode_chat: unknown family of chat templates");
  return guarded(status, [&] {
    std::vector<ChatMessage> conversation;
    for (const attn_chat_message *message = messages; message != messages + message_count; ++message)
      conversation.push_back({message->role, {message->text, message->bytes}});
    std::vector<int32_t> all;
    tokenizer->encode(found->render(conversation, ChatTemplate::today()), /*withSpecial=*/false, all);
    copyOut(all.data(), all.size(), ids, capacity, count);
  });
}

attn_code attn_token_stream_open(const attn_tokenizer *tokenizer, int32_t flags, attn_token_stream **stream,
                                 attn_status *status) {
  if (stream)
    *stream = nullptr;
  if (!tokenizer || !stream)
    return finish(status, ATTN_BAD_ARGUMENT, "attn_token_stream_open: a null pointer");
  return guarded(status, [&] {
    *stream = new attn_token_stream{TokenStream(*tokenizer, flags & ATTN_SPECIAL_TOKENS), ""};
  });
}

/// Sets the result of a stream to the text that `function` returns.
template <typename Function>
static attn_code advance(attn_token_stream *stream, const char **text, size_t *bytes, attn_status *status,
                         Function function) {
  if (!stream || !text || !bytes)
    return finish(status, ATTN_BAD_ARGUMENT, "attn_token_stream: a null pointer");
  stream->text.clear();
  attn_code code = guarded(status, [&] { stream->text = function(stream->tokens); });
  *text = stream->text.c_str();
  *bytes = stream->text.size();
  return code;
}

attn_code attn_token_stream_add(attn_token_stream *stream, int32_t id, const char **text, size_t *bytes,
                                attn_status *status) {
  return advance(stream, text, bytes, status, [&](TokenStream &tokens) { return tokens.add(id); });
}

attn_code attn_token_stream_finish(attn_token_stream *stream, const char **text, size_t *bytes, attn_status *status) {
  return advance(stream, text, bytes, status, [](TokenStream &tokens) { return tokens.finish(); });
}

void attn_token_stream_close(attn_token_stream *stream) { delete stream; }
