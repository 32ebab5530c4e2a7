#include "TokenizerFile.h"
#include "attn/tokenizer.h"
#include "tests/support/TemporaryFolder.h"
#include <fstream>

using namespace attnc::tokenizer;

namespace {
class CInterface : public testing::Test {
protected:
  CInterface() {
    std::string file = fileOf(characterModel("abc"), R"("decoder": {"type": "Fuse"}, "added_tokens": [
      {"id": 4, "content": "<s>", "special": true}], "post_processor": {"type": "BertProcessing", "cls": ["<s>", 4],
      "sep": ["<s>", 4]})");
    EXPECT_EQ(attn_tokenizer_open_memory("t.json", file.data(), file.size(), &tokenizer, &status), ATTN_OK)
        << status.message;
  }
  ~CInterface() { attn_tokenizer_close(tokenizer); }

  attn_tokenizer *tokenizer = nullptr;
  attn_status status;
};
} // namespace

TEST_F(CInterface, DescribesTokens) {
  EXPECT_EQ(attn_tokenizer_size(tokenizer), 5);
  EXPECT_EQ(attn_tokenizer_id(tokenizer, "<s>"), 4);
  EXPECT_EQ(attn_tokenizer_id(tokenizer, "x"), -1);
  EXPECT_STREQ(attn_tokenizer_token(tokenizer, 1), "a");
  EXPECT_EQ(attn_tokenizer_token(tokenizer, 5), nullptr);
  EXPECT_EQ(attn_tokenizer_token(tokenizer, -1), nullptr);
  EXPECT_TRUE(attn_tokenizer_is_special(tokenizer, 4));
  EXPECT_FALSE(attn_tokenizer_is_special(tokenizer, 1));
}

TEST_F(CInterface, WritesToTheCallersBuffer) {
  int32_t ids[4] = {-1, -1, -1, -1};
  size_t count = 0;
  EXPECT_EQ(attn_tokenizer_encode(tokenizer, "abc", 3, 0, ids, 2, &count, &status), ATTN_OK);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(ids[1], 2);
  EXPECT_EQ(ids[2], -1);
  EXPECT_EQ(attn_tokenizer_encode(tokenizer, "ab", 2, ATTN_SPECIAL_TOKENS, ids, 4, &count, &status), ATTN_OK);
  EXPECT_EQ(Ids(ids, ids + count), (Ids{4, 1, 2, 4}));
  EXPECT_EQ(attn_tokenizer_encode(tokenizer, nullptr, 0, 0, nullptr, 0, &count, &status), ATTN_OK);
  EXPECT_EQ(count, 0u);
  char text[8] = "-------";
  EXPECT_EQ(attn_tokenizer_decode(tokenizer, ids, 2, ATTN_SPECIAL_TOKENS, text, 3, &count, &status), ATTN_OK);
  EXPECT_EQ(std::string(text, 7), "<s>----");
  EXPECT_EQ(count, 4u);
}

TEST_F(CInterface, StreamsText) {
  attn_token_stream *stream;
  ASSERT_EQ(attn_token_stream_open(tokenizer, 0, &stream, &status), ATTN_OK);
  const char *text;
  size_t bytes;
  EXPECT_EQ(attn_token_stream_add(stream, 2, &text, &bytes, &status), ATTN_OK);
  EXPECT_EQ(std::string(text, bytes), "b");
  EXPECT_EQ(attn_token_stream_finish(stream, &text, &bytes, &status), ATTN_OK);
  EXPECT_EQ(bytes, 0u);
  attn_token_stream_close(stream);
}

TEST_F(CInterface, ReportsNullPointers) {
  attn_tokenizer *other;
  attn_token_stream *stream;
  size_t count;
  const char *text;
  EXPECT_EQ(attn_tokenizer_open(nullptr, &other, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_tokenizer_open("x", nullptr, nullptr), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_tokenizer_open_memory("x", nullptr, 0, &other, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_tokenizer_encode(nullptr, "a", 1, 0, nullptr, 0, &count, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_tokenizer_encode(tokenizer, nullptr, 1, 0, nullptr, 0, &count, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_tokenizer_decode(tokenizer, nullptr, 1, 0, nullptr, 0, &count, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_token_stream_open(nullptr, 0, &stream, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_token_stream_add(nullptr, 0, &text, &count, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_tokenizer_size(nullptr), 0);
  EXPECT_EQ(attn_tokenizer_id(nullptr, "a"), -1);
  EXPECT_EQ(attn_tokenizer_token(nullptr, 0), nullptr);
  EXPECT_EQ(attn_tokenizer_is_special(nullptr, 0), 0);
  attn_tokenizer_close(nullptr);
  attn_token_stream_close(nullptr);
}

TEST_F(CInterface, ReportsFiles) {
  attn_tokenizer *other;
  EXPECT_EQ(attn_tokenizer_open("/missing/tokenizer.json", &other, &status), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "/missing/tokenizer.json: can't be read: No such file or directory");
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(attn_tokenizer_open("/", &other, &status), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "/: can't be read: it is not a regular file");
  attnc::TemporaryFolder folder("/tmp/attnc-tokenizer");
  std::string path = (folder.path() / "tokenizer.json").string();
  std::ofstream(path) << fileOf(characterModel("a"));
  EXPECT_EQ(attn_tokenizer_open(path.c_str(), &other, &status), ATTN_OK) << status.message;
  attn_tokenizer_close(other);
}

TEST_F(CInterface, ShortensMessages) {
  attn_tokenizer *other;
  std::string name;
  for (int i = 0; i < 400; ++i)
    name += "\xC3\xA9\n";
  EXPECT_EQ(attn_tokenizer_open_memory(name.c_str(), "", 0, &other, &status), ATTN_BAD_FILE);
  EXPECT_EQ(std::string(status.message).size(), 507u);
  EXPECT_EQ(std::string(status.message).find('\n'), std::string::npos);
}
