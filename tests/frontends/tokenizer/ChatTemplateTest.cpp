#include "frontends/tokenizer/ChatTemplate.h"
#include "TokenizerFile.h"
#include "attn/tokenizer.h"

using namespace attnc::tokenizer;

/// The text of a conversation with a system's message, a question, an answer and a question.
static std::string conversation(const std::string &family) {
  ChatMessage messages[] = {{"system", "Be brief."}, {"user", " Hi\n"}, {"assistant", "Hello"}, {"user", "Bye"}};
  return ChatTemplate::named(family)->render(messages);
}

static std::string recognised(const std::string &source) {
  const ChatTemplate *found = ChatTemplate::recognised(source);
  return found ? found->name : "none";
}

TEST(ChatTemplate, WritesChatml) {
  EXPECT_EQ(recognised("{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"),
            "chatml");
  EXPECT_EQ(recognised("{{bos_token}}{{'<|im_start|>' + message['role'] + '<|im_end|>'}}"), "none"); // Hermes 2 Pro
  EXPECT_EQ(recognised("'<|im_start|>' + role + '<|im_end|>' '<think>\\n\\n</think>'"), "none");     // Qwen 3
  EXPECT_EQ(conversation("chatml"), "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n Hi\n<|im_end|>\n"
                                    "<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n"
                                    "<|im_start|>assistant\n");
}

TEST(ChatTemplate, WritesLlama3) {
  std::string source = "'<|start_header_id|>' + message['role'] + '<|end_header_id|>' + content + '<|eot_id|>'";
  EXPECT_EQ(recognised(source), "llama3");
  EXPECT_EQ(recognised(source + "Cutting Knowledge Date: December 2023"), "none");
  EXPECT_EQ(conversation("llama3"), "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
                                    "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
                                    "<|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>"
                                    "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>"
                                    "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

TEST(ChatTemplate, WritesGemma) {
  EXPECT_EQ(recognised("{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}"),
            "gemma");
  EXPECT_EQ(conversation("gemma"), "<bos><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n"
                                   "<start_of_turn>model\nHello<end_of_turn>\n<start_of_turn>user\nBye<end_of_turn>\n"
                                   "<start_of_turn>model\n");
}

TEST(ChatTemplate, WritesPhi3) {
  EXPECT_EQ(recognised("{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}"), "phi3");
  EXPECT_EQ(conversation("phi3"), "<|system|>\nBe brief.<|end|>\n<|user|>\n Hi\n<|end|>\n<|assistant|>\nHello<|end|>\n"
                                  "<|user|>\nBye<|end|>\n<|assistant|>\n");
}

TEST(ChatTemplate, WritesMistral) {
  std::string question = "{{ '[INST] ' + message['content'] + ' [/INST]' }}";
  EXPECT_EQ(recognised(question + "{{ message['content'] + eos_token}}"), "mistral");
  EXPECT_EQ(recognised(question + "{{ message['content'] + eos_token + ' ' }}"), "none"); // v0.1
  EXPECT_EQ(conversation("mistral"), "<s>[INST] Be brief.\n\n Hi\n [/INST]Hello</s>[INST] Bye [/INST]");
}

TEST(ChatTemplate, ReportsRoles) {
  const ChatTemplate *chatml = ChatTemplate::named("chatml");
  EXPECT_EQ(ChatTemplate::named("alpaca"), nullptr);
  EXPECT_EQ(recognised("{{ message }}"), "none");
  EXPECT_EQ(recognised("<|im_start|>user<|im_sep|>x<|im_end|>"), "none");        // Phi-4
  EXPECT_EQ(recognised("<|user|>\n' + message['content'] + eos_token"), "none"); // Zephyr
  EXPECT_EQ(chatml->render({}), "<|im_start|>assistant\n");
  ChatMessage tool[] = {{"tool", "x"}}, late[] = {{"user", "x"}, {"system", "y"}};
  EXPECT_THROW(chatml->render(tool), TextError);
  EXPECT_THROW(chatml->render(late), TextError);
}

TEST(ChatTemplate, EncodesConversations) {
  std::string file = fileOf(characterModel("aeinrstuh\n"), R"("added_tokens": [
    {"id": 11, "content": "<|im_start|>", "special": true}, {"id": 12, "content": "<|im_end|>", "special": true}])");
  attn_tokenizer *tokenizer;
  attn_status status;
  ASSERT_EQ(attn_tokenizer_open_memory("t.json", file.data(), file.size(), &tokenizer, &status), ATTN_OK)
      << status.message;
  attn_chat_message message = {"user", "hi", 2};
  int32_t ids[32];
  size_t count;
  ASSERT_STREQ(attn_chat_family("<|im_start|> <|im_end|>"), "chatml");
  EXPECT_EQ(attn_chat_family(nullptr), nullptr);
  EXPECT_STREQ(attn_chat_families(), "chatml, llama3, gemma, phi3, mistral");
  EXPECT_EQ(attn_tokenizer_encode_chat(tokenizer, "chatml", &message, 1, ids, 32, &count, &status), ATTN_OK);
  EXPECT_EQ(Ids(ids, ids + count),
            (Ids{11, 8, 6, 2, 5, 10, 9, 3, 12, 10, 11, 1, 6, 6, 3, 6, 7, 1, 4, 7, 10})); // user, \n, hi; assistant, \n
  EXPECT_EQ(attn_tokenizer_encode_chat(tokenizer, "alpaca", &message, 1, ids, 32, &count, &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(attn_tokenizer_encode_chat(tokenizer, "chatml", nullptr, 1, ids, 32, &count, &status), ATTN_BAD_ARGUMENT);
  message.role = "tool";
  EXPECT_EQ(attn_tokenizer_encode_chat(tokenizer, "chatml", &message, 1, ids, 32, &count, &status), ATTN_UNSUPPORTED);
  EXPECT_STREQ(status.message,
               "a message has the role 'tool', expected system for the first message alone, user or assistant");
  attn_tokenizer_close(tokenizer);
}
