// Tests how the checker types calls of entry points that `decode` makes, and its errors.

#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns a program in which `body` is that of the function f.
Checked checkBody(const std::string &body, const std::string &types = "i32[batch]",
                  const std::string &exports = "export write = decode(next, with: choose, at_most: 4)\nexport f\n") {
  return check("model M(vocab = 5, context = 9) {\n"
               "  weight: f32[vocab, vocab] = zeros\n"
               "  fn logits(source: f32[batch, n, 2], tokens: i32[batch, seq <= context]) -> f32[batch, seq, vocab] {\n"
               "    [b, s, v] => weight[tokens[b, s], v] + sum i => source[b, i, 1] }\n"
               "  fn f(source: f32[batch, n, 2], prompt: i32[batch, m <= 6], length: i32[batch], bias: f32[5]) -> " +
               types + " {\n    " + body +
               "\n  }\n}\n"
               "fn choose(logits: f32[rows, words], bias: f32[words]) -> i32[rows] {\n"
               "  argmax([r, w] => logits[r, w] + bias[w], axis: 1) }\n"
               "export next = incremental(logits, along: seq)\n" +
               exports);
}

/// Returns the first line of the diagnostics, without the location.
std::string messageOfCall(const std::string &body) {
  std::string text = checkBody(body).firstLine();
  size_t error = text.find("error: ");
  return error == std::string::npos ? text : text.substr(error + 7);
}

TEST(DecoderCalls, ReturnTokensAndTheirNumbers) {
  Checked checked = checkBody("write(prompt, length, source, bias)", "(tokens: i32[batch, 4], length: i32[batch])");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("call write(prompt: prompt, prompt_length: length, source: source, bias: bias) -> "
                               "tokens: i32[batch, 4], length.1: i32[batch]\n"),
            std::string::npos)
      << checked.typed;
}

TEST(DecoderCalls, NameTheirArguments) {
  Checked checked = checkBody("let (tokens, count) = write(source: source, bias: bias, prompt_length: length, "
                              "prompt: prompt)\n    count");
  EXPECT_EQ(checked.diagnostics, "");
}

TEST(DecoderCalls, NeedAPositionOfThePrompt) {
  Checked checked = checkBody("let (tokens, count) = write(prompt, length, source, bias)\n    count");
  EXPECT_NE(checked.typed.find(" 1 <= m <= 6"), std::string::npos) << checked.typed;
  EXPECT_EQ(messageOfCall("let (tokens, count) = write(prompt[:, 0:0], length, source, bias)\n    count"),
            "`seq` is 0, expected at least 1 [bad-size]");
}

TEST(DecoderCalls, LeaveRoomForTheTokens) {
  EXPECT_EQ(messageOfCall("let (tokens, count) = write([b < batch, s < 7] => i32(0), length, source, bias)\n    count"),
            "`seq` is 7, expected at most 6 [bound-exceeded]");
  EXPECT_EQ(messageOfCall("let (tokens, count) = write([b < batch, s < n] => i32(0), length, source, bias)\n    count"),
            "`seq` is n, expected at most 6 [bound-exceeded]");
}

TEST(DecoderCalls, HaveTheTypesOfTheDecoder) {
  EXPECT_EQ(messageOfCall("let (tokens, count) = write(prompt, length, source)\n    count"),
            "`write` is called without `bias` [argument-count]");
  EXPECT_EQ(messageOfCall("let (tokens, count) = write(prompt, source, length, bias)\n    count"),
            "the parameter `prompt_length` is i32, but this is f32 [element-mismatch]");
  EXPECT_EQ(messageOfCall("let (tokens, count) = write(prompt[0], length, source, bias)\n    count"),
            "`prompt` is i32[batch, seq], found 1 dimension [rank-mismatch]");
  EXPECT_EQ(messageOfCall("let (tokens, count) = write(prompt, length[0:1], source, bias)\n    count"),
            "dimensions of `prompt_length` differ: batch and 1 [dim-mismatch]");
  EXPECT_EQ(messageOfCall("let (tokens, count) = write(prompt, length, source, bias[0:4])\n    count"),
            "dimensions of `bias` differ: 5 and 4 [dim-mismatch]");
  EXPECT_EQ(messageOfCall("let (tokens, count) = write(prompt, length, concat(source, source), bias)\n    count"),
            "dimensions of `source` differ: 2 and 4 [dim-mismatch]");
}

TEST(DecoderCalls, AreStatements) {
  EXPECT_EQ(messageOfCall("let x = [b] => write(prompt, length, source, bias)\n    length"),
            "a call of an entry point inside index notation is not supported yet [not-supported]");
}

TEST(DecoderCalls, FollowTheExport) {
  std::string text = checkBody("let (tokens, count) = write(prompt, length, source, bias)\n    count", "i32[batch]",
                               "export f\nexport write = decode(next, with: choose, at_most: 4)\n")
                         .diagnostics;
  EXPECT_NE(text.find("error: `write` is not known here [unknown-name]"), std::string::npos) << text;
  EXPECT_NE(text.find("hint: a function can call an entry point made by `decode`, if `write` is exported before it"),
            std::string::npos)
      << text;
}

TEST(DecoderCalls, AreNotPartOfOtherDerivations) {
  auto derived = [](const std::string &rule) {
    return checkBody("let (tokens, count) = write(prompt, length, source, bias)\n    prompt", "i32[batch, m]",
                     "export write = decode(next, with: choose, at_most: 4)\nexport g = " + rule + "\n")
        .diagnostics;
  };
  std::string text = derived("incremental(f, along: m)");
  EXPECT_NE(text.find("a call of an entry point in a function that is computed position by position is not supported"),
            std::string::npos)
      << text;
  text = derived("attention(f)");
  EXPECT_NE(text.find("a call of an entry point in a function whose attention weights are returned is not supported"),
            std::string::npos)
      << text;
}

} // namespace
