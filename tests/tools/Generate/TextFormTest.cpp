#include "tools/attnc/Generate/TextForm.h"
#include <gtest/gtest.h>

using namespace attnc;

/// The output of each call of a printer, for the bytes of `text` as tokens of a call each, and for finish().
static std::vector<std::string> printed(llvm::StringRef text) {
  std::vector<std::string> calls;
  Printer printer(TextForm{});
  auto capture = [&](auto print) {
    testing::internal::CaptureStdout();
    print();
    calls.push_back(testing::internal::GetCapturedStdout());
  };
  for (int32_t byte : text.bytes())
    capture([&] { printer.print(llvm::ArrayRef(byte)); });
  capture([&] { printer.finish(); });
  return calls;
}

using Calls = std::vector<std::string>;

TEST(Printer, PrintsACharacterOfBytesAsAWhole) {
  EXPECT_EQ(printed("a\xC3\xA9"), (Calls{"a", "", "\xC3\xA9", "\n"}));
  EXPECT_EQ(printed("\xE2\x82\xAC!"), (Calls{"", "", "\xE2\x82\xAC", "!", "\n"}));
  EXPECT_EQ(printed("\xF0\x9F\x98\x80"), (Calls{"", "", "", "\xF0\x9F\x98\x80", "\n"}));
}

TEST(Printer, PrintsBytesThatAreNoCharacter) {
  EXPECT_EQ(printed("\x80z"), (Calls{"\x80", "z", "\n"}));
  EXPECT_EQ(printed("\xC3z"), (Calls{"", "\xC3z", "\n"}));
  EXPECT_EQ(printed("\xE2\x82"), (Calls{"", "", "\xE2\x82\n"}));
}

TEST(TextForm, ReadsAListOfNumbers) {
  EXPECT_TRUE(TextForm::of("1,2,3", nullptr).areNumbers);
  EXPECT_FALSE(TextForm::of("123", nullptr).areNumbers);
  EXPECT_FALSE(TextForm::of("1, 2", nullptr).areNumbers);
}
