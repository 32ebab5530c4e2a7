// Fuzzes tokenizer.json: arbitrary bytes give an error with the file's name, or a tokenizer whose ids are in its
// vocabulary, and whose decoders accept all ids.
#include "attn/tokenizer.h"
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

static void require(bool condition) {
  if (!condition)
    abort();
}

static constexpr std::string_view texts[] = {
    "",
    "The cat's hat, 1234 times!\n\n  x",
    "caf\xC3\xA9 \xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x99\x82 e\xCC\x81",
    "\xFF<s>\xE2\x96\x81 </s>\xC3",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
};

static void decode(const attn_tokenizer *tokenizer, const std::vector<int32_t> &ids) {
  attn_status status;
  char text[256];
  size_t bytes;
  attn_tokenizer_decode(tokenizer, ids.data(), ids.size(), 0, text, sizeof text, &bytes, &status);
  attn_token_stream *stream;
  require(attn_token_stream_open(tokenizer, ATTN_SPECIAL_TOKENS, &stream, &status) == ATTN_OK);
  const char *next;
  for (int32_t id : ids)
    attn_token_stream_add(stream, id, &next, &bytes, &status);
  attn_token_stream_finish(stream, &next, &bytes, &status);
  attn_token_stream_close(stream);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  attn_tokenizer *tokenizer;
  attn_status status;
  if (attn_tokenizer_open_memory("fuzz.json", data, size, &tokenizer, &status) != ATTN_OK) {
    require(!tokenizer && std::string_view(status.message).starts_with("fuzz.json: "));
    return 0;
  }
  for (std::string_view text : texts) {
    std::vector<int32_t> ids(1024);
    size_t count;
    if (attn_tokenizer_encode(tokenizer, text.data(), text.size(), ATTN_SPECIAL_TOKENS, ids.data(), ids.size(), &count,
                              &status) != ATTN_OK)
      continue;
    ids.resize(std::min(count, ids.size()));
    for (int32_t id : ids)
      require(id >= 0 && id < attn_tokenizer_size(tokenizer) && attn_tokenizer_token(tokenizer, id));
    decode(tokenizer, ids);
  }
  attn_tokenizer_close(tokenizer);
  return 0;
}
