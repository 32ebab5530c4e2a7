#include "frontends/tokenizer/ChatTemplate.h"
#include "TokenizerFile.h"
#include "attn/tokenizer.h"
#include <regex>
#include <sstream>

using namespace attnc::tokenizer;

static constexpr std::string_view date = "03 Feb 2026";

/// The text of a conversation with a system's message, a question, an answer and a question.
static std::string conversation(const std::string &family) {
  ChatMessage messages[] = {{"system", "Be brief."}, {"user", " Hi\n"}, {"assistant", "Hello "}, {"user", "Bye"}};
  return ChatTemplate::named(family)->render(messages, date);
}

/// The text of a question without a system's message.
static std::string question(const std::string &family) {
  ChatMessage message = {"user", "Hi"};
  return ChatTemplate::named(family)->render({&message, 1}, date);
}

/// The text after an answer with a thought, and a further question.
static std::string afterThought(const std::string &family) {
  ChatMessage messages[] = {{"user", "Hi"}, {"assistant", "<think>\nSo.\n</think>\n\nHello"}, {"user", "Bye"}};
  return ChatTemplate::named(family)->render(messages, date).substr(question(family).size());
}

static std::string recognised(const std::string &source) {
  const ChatTemplate *found = ChatTemplate::recognised(source);
  return found ? found->name : "none";
}

TEST(ChatTemplate, WritesChatml) {
  EXPECT_EQ(recognised("{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"),
            "chatml");
  EXPECT_EQ(recognised("{{bos_token}}{{'<|im_start|>' + message['role'] + '<|im_end|>'}}"), "none"); // Hermes 2 Pro
  EXPECT_EQ(conversation("chatml"), "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n Hi\n<|im_end|>\n"
                                    "<|im_start|>assistant\nHello <|im_end|>\n<|im_start|>user\nBye<|im_end|>\n"
                                    "<|im_start|>assistant\n");
  EXPECT_EQ(question("chatml"), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, WritesDefaultTextsOfTheSystem) {
  const std::pair<std::string, std::string> families[] = {
      {"qwen2", "You are a helpful assistant."},
      {"qwen2.5", "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."},
      {"smollm2", "You are a helpful AI assistant named SmolLM, trained by Hugging Face"}};
  for (const auto &[family, text] : families) {
    EXPECT_EQ(recognised("{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\n" + text +
                         "<|im_end|>\\n' }}{% endif %}{{'<|im_start|>' + message['role']}}"),
              family);
    EXPECT_EQ(question(family), "<|im_start|>system\n" + text + "<|im_end|>\n" + question("chatml"));
    EXPECT_EQ(conversation(family), conversation("chatml"));
  }
}

TEST(ChatTemplate, WritesQwen3) {
  std::string answer = "{%- set content = content.split('</think>')[-1].lstrip('\\n') %}"
                       "{{- '<|im_start|>' + message.role + '\\n' + content }}{{- '<|im_end|>\\n' }}";
  EXPECT_EQ(recognised(answer +
                       "{{- '<|im_start|>assistant\\n' }}{%- if enable_thinking is defined and enable_thinking "
                       "is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"),
            "qwen3");
  EXPECT_EQ(recognised(answer +
                       "{{- '<|im_start|>assistant\\n' }}{%- if enable_thinking is defined and enable_thinking "
                       "is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- else %}{{- '<think>\\n' }}{%- endif %}"),
            "none"); // Qwen 3.5
  EXPECT_EQ(conversation("qwen3"), conversation("chatml"));
  EXPECT_EQ(question("qwen3"), question("chatml"));
  std::string rest = "Hello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n";
  EXPECT_EQ(afterThought("qwen3"), rest);
  EXPECT_EQ(recognised(answer + "{{- '<|im_start|>assistant\\n<think>\\n' }}"), "qwen3-thinking");
  EXPECT_EQ(question("qwen3-thinking"), question("chatml") + "<think>\n");
  ChatMessage messages[] = {{"user", "Hi"}, {"assistant", "So.\n</think>\n\nHello"}, {"user", "Bye"}};
  EXPECT_EQ(ChatTemplate::named("qwen3-thinking")->render(messages, date), question("chatml") + rest + "<think>\n");
}

TEST(ChatTemplate, WritesPhi4) {
  EXPECT_EQ(recognised("{{'<|im_start|>user<|im_sep|>' + message['content'] + '<|im_end|>'}}"
                       "{{ '<|im_start|>assistant<|im_sep|>' }}"),
            "phi4");
  EXPECT_EQ(conversation("phi4"), "<|im_start|>system<|im_sep|>Be brief.<|im_end|>"
                                  "<|im_start|>user<|im_sep|> Hi\n<|im_end|>"
                                  "<|im_start|>assistant<|im_sep|>Hello <|im_end|>"
                                  "<|im_start|>user<|im_sep|>Bye<|im_end|><|im_start|>assistant<|im_sep|>");
  EXPECT_EQ(recognised("{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{{ '<|assistant|>' }}"),
            "phi4-mini");
  EXPECT_EQ(conversation("phi4-mini"),
            "<|system|>Be brief.<|end|><|user|> Hi\n<|end|><|assistant|>Hello <|end|><|user|>Bye<|end|><|assistant|>");
}

TEST(ChatTemplate, WritesLlama3) {
  std::string source = "'<|start_header_id|>' + message['role'] + '<|end_header_id|>' + content + '<|eot_id|>'";
  EXPECT_EQ(recognised(source), "llama3");
  std::string conversationAfterSystem = "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
                                        "<|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>"
                                        "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>"
                                        "<|start_header_id|>assistant<|end_header_id|>\n\n";
  std::string system = "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n";
  EXPECT_EQ(conversation("llama3"), system + "Be brief.<|eot_id|>" + conversationAfterSystem);
  std::string questionAfterSystem = "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
                                    "<|start_header_id|>assistant<|end_header_id|>\n\n";
  EXPECT_EQ(question("llama3"), "<|begin_of_text|>" + questionAfterSystem);

  std::string dates =
      "{{- \"Cutting Knowledge Date: December 2023\\n\" }}{{- \"Today Date: \" + date_string + \"\\n\\n\" }}";
  EXPECT_EQ(recognised(source + "{%- set date_string = \"26 Jul 2024\" %}" + dates), "llama3.1");
  system += "Cutting Knowledge Date: December 2023\nToday Date: ";
  EXPECT_EQ(conversation("llama3.1"), system + "26 Jul 2024\n\nBe brief.<|eot_id|>" + conversationAfterSystem);
  EXPECT_EQ(question("llama3.1"), system + "26 Jul 2024\n\n<|eot_id|>" + questionAfterSystem);

  EXPECT_EQ(recognised(source +
                       "{%- set date_string = strftime_now(\"%d %b %Y\") %}{%- else %}{%- set date_string = "
                       "\"26 Jul 2024\" %}" +
                       dates),
            "llama3.2");
  EXPECT_EQ(conversation("llama3.2"), system + "03 Feb 2026\n\nBe brief.<|eot_id|>" + conversationAfterSystem);
  EXPECT_EQ(question("llama3.2"), system + "03 Feb 2026\n\n<|eot_id|>" + questionAfterSystem);
  EXPECT_TRUE(std::regex_match(ChatTemplate::today(), std::regex("[0-3][0-9] [A-Z][a-z][a-z] [0-9]{4}")));
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
  EXPECT_EQ(conversation("phi3"), "<|system|>\nBe brief.<|end|>\n<|user|>\n Hi\n<|end|>\n<|assistant|>\nHello <|end|>\n"
                                  "<|user|>\nBye<|end|>\n<|assistant|>\n");
}

TEST(ChatTemplate, WritesLlama2) {
  std::string source = "{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}"
                       "{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}";
  EXPECT_EQ(recognised(source), "llama2");
  EXPECT_EQ(recognised(source + "{% elif true == true %}"), "none");
  EXPECT_EQ(conversation("llama2"), "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\n Hi [/INST] Hello </s>"
                                    "<s>[INST] Bye [/INST]");
}

TEST(ChatTemplate, WritesMistral) {
  std::string question = "{{ '[INST] ' + message['content'] + ' [/INST]' }}";
  EXPECT_EQ(recognised(question + "{{ message['content'] + eos_token}}"), "mistral");
  EXPECT_EQ(recognised(question + "{{ message['content'] + eos_token + ' ' }}"), "none"); // v0.1, as first published
  EXPECT_EQ(conversation("mistral"), "<s>[INST] Be brief.\n\n Hi\n [/INST]Hello </s>[INST] Bye [/INST]");
  EXPECT_EQ(recognised("{{- ' [INST] ' + message['content'] + ' [/INST]' }}{{- ' ' + message['content'] + eos_token}}"),
            "mistral-v1");
  EXPECT_EQ(conversation("mistral-v1"), "<s> [INST] Be brief.\n\n Hi\n [/INST] Hello </s> [INST] Bye [/INST]");
  EXPECT_EQ(recognised("{{- \"[INST] \" + message[\"content\"] + \"[/INST]\" }}"
                       "{{- \" \" + message[\"content\"]|trim + eos_token}}"),
            "mistral-v3");
  EXPECT_EQ(conversation("mistral-v3"), "<s>[INST]  Hi\n[/INST] Hello</s>[INST] Be brief.\n\nBye[/INST]");
  EXPECT_EQ(recognised("{{- \"[INST]\" + message[\"content\"] + \"[/INST]\" }}{{- message[\"content\"] + eos_token}}"),
            "mistral-nemo");
  EXPECT_EQ(conversation("mistral-nemo"), "<s>[INST] Hi\n[/INST]Hello </s>[INST]Be brief.\n\nBye[/INST]");
}

TEST(ChatTemplate, WritesDeepseek) {
  EXPECT_EQ(
      recognised("{{ 'User: ' + message['content'] + '\\n\\n' }}{{ 'Assistant: ' + message['content'] + eos_token }}"),
      "deepseek2");
  EXPECT_EQ(conversation("deepseek2"), "<｜begin▁of▁sentence｜>Be brief.\n\nUser:  Hi\n\n\n"
                                       "Assistant: Hello <｜end▁of▁sentence｜>User: Bye\n\nAssistant:");
  std::string question = "{{'<｜User｜>' + message['content']}}", end = "'<｜end▁of▁sentence｜>'}}";
  EXPECT_EQ(recognised(question + "{{'<｜Assistant｜>' + message['content'] + " + end), "deepseek3");
  EXPECT_EQ(conversation("deepseek3"), "<｜begin▁of▁sentence｜>Be brief.<｜User｜> Hi\n"
                                       "<｜Assistant｜>Hello <｜end▁of▁sentence｜><｜User｜>Bye<｜Assistant｜>");
  std::string answer = "{% set content = content.split('</think>')[-1] %}{{'<｜Assistant｜>' + content + " + end;
  EXPECT_EQ(recognised(question + answer + "{{'<｜Assistant｜>'}}"), "deepseek-r1-first");
  EXPECT_EQ(recognised(question + answer + "{{'<｜Assistant｜><think>\\n'}}"), "deepseek-r1");
  EXPECT_EQ(recognised("{% if not thinking is defined %}" + question + answer), "none"); // V3.1
  EXPECT_EQ(conversation("deepseek-r1-first"), conversation("deepseek3"));
  EXPECT_EQ(conversation("deepseek-r1"), conversation("deepseek3") + "<think>\n");
  std::string rest = "\n\nHello<｜end▁of▁sentence｜><｜User｜>Bye<｜Assistant｜>";
  EXPECT_EQ(afterThought("deepseek-r1-first"), rest);
  EXPECT_EQ(afterThought("deepseek3"), "<think>\nSo.\n</think>" + rest);
}

TEST(ChatTemplate, WritesZephyr) {
  EXPECT_EQ(recognised("{{ '<|user|>\n' + message['content'] + eos_token }}"), "zephyr");
  EXPECT_EQ(conversation("zephyr"), "<|system|>\nBe brief.</s>\n<|user|>\n Hi\n</s>\n<|assistant|>\nHello </s>\n"
                                    "<|user|>\nBye</s>\n<|assistant|>\n");
}

TEST(ChatTemplate, KeepsTextsWithSignsOfForms) {
  ChatMessage message = {"user", "$5 @home"};
  EXPECT_EQ(ChatTemplate::named("llama3")->render({&message, 1}, date),
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n$5 @home<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

/// Each row is recognised by its own marks alone, so no earlier row hides it.
TEST(ChatTemplate, HasNoFamilyThatAnotherHides) {
  std::istringstream names(ChatTemplate::names);
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    const ChatTemplate *family = ChatTemplate::named(name);
    ASSERT_NE(family, nullptr) << name;
    EXPECT_EQ(recognised(std::string(family->mark) + " " + family->also), name);
  }
}

TEST(ChatTemplate, ReportsRoles) {
  const ChatTemplate *chatml = ChatTemplate::named("chatml");
  EXPECT_EQ(ChatTemplate::named("alpaca"), nullptr);
  EXPECT_EQ(recognised("{{ message }}"), "none");
  EXPECT_EQ(chatml->render({}, date), "<|im_start|>assistant\n");
  ChatMessage tool[] = {{"tool", "x"}}, late[] = {{"user", "x"}, {"system", "y"}};
  EXPECT_THROW(chatml->render(tool, date), TextError);
  EXPECT_THROW(chatml->render(late, date), TextError);
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
  EXPECT_EQ(attn_chat_families(), ChatTemplate::names);
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
