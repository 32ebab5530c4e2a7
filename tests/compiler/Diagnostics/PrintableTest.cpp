#include "compiler/Diagnostics/Printable.h"
#include <gtest/gtest.h>

using attnc::printable;
using attnc::printableLines;

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("h.0.w 'é€😀' \\"), "h.0.w 'é€😀' \\");
}

TEST(Printable, ShowsEveryControlCharacter) {
  for (int byte = 0; byte < 0x20; ++byte)
    EXPECT_EQ(printable(std::string(1, char(byte))).size(), 4u) << byte;
  EXPECT_EQ(printable("\x1b[31m\n\x7f"), "\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x85\xc2\x9f\xc2\xa0"), "\\xc2\\x85\\xc2\\x9f\xc2\xa0") << "U+0085, U+009F, U+00A0";
}

TEST(Printable, ShowsBytesThatAreNoCharacters) {
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
}

TEST(Printable, CutsTheMiddleBetweenCharacters) {
  EXPECT_EQ(printable("0123456789", 10), "0123456789");
  EXPECT_EQ(printable("0123456789a", 10), "0123...89a");
  EXPECT_EQ(printable("éééééééééé", 11), "éé...éé");
  EXPECT_EQ(printable(std::string(100, '\x01'), 20).size(), 8u + 3 + 8);
}

TEST(Printable, LinesKeepTheirEnds) { EXPECT_EQ(printableLines("a\n\tb\r\x1b"), "a\n\tb\\x0d\\x1b"); }
