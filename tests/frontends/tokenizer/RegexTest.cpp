#include "frontends/tokenizer/Regex.h"
#include "frontends/tokenizer/Errors.h"
#include <gtest/gtest.h>
#include <stdexcept>

using namespace attnc::tokenizer;

/// The matches in square brackets, and the texts between them.
static std::string matched(const std::string &pattern, std::string_view text) {
  MatchMemory memory;
  std::string result;
  Regex(pattern).eachPart(text, memory, [&](Range part, bool isMatch) {
    std::string shown(text.substr(part.begin, part.end - part.begin));
    result += isMatch ? "[" + shown + "]" : shown;
  });
  return result;
}

static std::string refusal(const std::string &pattern) {
  try {
    Regex regex(pattern);
    return "ok";
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
}

TEST(Regex, HasWhiteSpaceOfUnicode) {
  EXPECT_EQ(matched("\\s", "a\xC2\x85\xE3\x80\x80"), "a[\xC2\x85][\xE3\x80\x80]");
  EXPECT_EQ(matched("\\s", "\xE1\xA0\x8E"), "\xE1\xA0\x8E"); // U+180E, which PCRE2 counts as a space
  EXPECT_EQ(matched("[^\\s]+", "a b"), "[a] [b]");
  EXPECT_EQ(matched("\\S+", "a b"), "[a] [b]");
}

TEST(Regex, HasWordCharactersOfUnicode) {
  EXPECT_EQ(matched("\\w+", "a_1 e\xCC\x81-"), "[a_1] [e\xCC\x81]-");
  EXPECT_EQ(matched("\\w", "\xC2\xB2\xE2\x81\xB4"), "[\xC2\xB2]\xE2\x81\xB4"); // of the superscripts, only those of Latin-1
  EXPECT_EQ(matched("[\\w-]", "\xC2\xB2-"), "\xC2\xB2[-]"); // and none in a class
  EXPECT_EQ(matched("\\W", "a b"), "a[ ]b");
}

TEST(Regex, FollowsRuby) {
  EXPECT_EQ(matched("a$", "xa\nya"), "x[a]\ny[a]");
  EXPECT_EQ(matched("^a", "a\na"), "[a]\n[a]");
  EXPECT_EQ(matched("\\h+", "xyz 0Fg"), "xyz [0F]g");
  EXPECT_EQ(matched("\\d{1,3}+", "1234567 8"), "[1234567] [8]"); // a repetition of a repetition
  EXPECT_EQ(matched("(?:ab){2}+", "ababababab"), "[abababab]ab");
  EXPECT_EQ(matched("\\d{1,3}", "1234"), "[123][4]");
}

TEST(Regex, VisitsEmptyMatches) {
  EXPECT_EQ(matched("a*", "baac"), "[]b[aa]c[]");
  EXPECT_EQ(matched("x", ""), "");
}

TEST(Regex, MatchesTextLiterally) {
  MatchMemory memory;
  EXPECT_EQ(Regex::literal("a.b").find("aXba.b", 0, memory), (Range{3, 6}));
}

TEST(Regex, RefusesSetOperations) {
  EXPECT_EQ(refusal("[a&&[^b]]"), "set operations in a class ([a&&[^b]]) are not supported");
  EXPECT_EQ(refusal("[a[b]]"), "set operations in a class ([a&&[^b]]) are not supported");
  EXPECT_EQ(refusal("[\\[[:alpha:]]"), "ok");
  EXPECT_EQ(refusal("(a"), "missing closing parenthesis");
  EXPECT_EQ(refusal("[a"), "missing terminating ] for character class");
  EXPECT_EQ(refusal("\\"), "\\ at end of pattern");
  EXPECT_EQ(refusal("a{1,"), "ok"); // a text
}

TEST(Regex, GivesUpOnTooManySteps) {
  MatchMemory memory;
  EXPECT_THROW(Regex("(?:a|aa)+[bc]").find(std::string(5000, 'a'), 0, memory), TextError);
}
