#include "tools/attnc/Page/HtmlPage.h"
#include <gmock/gmock.h>

using namespace attnc;
using testing::HasSubstr;
using testing::Not;

TEST(HtmlPage, EscapesPlainTextAndKeepsBodies) {
  std::string text = htmlText({"a & b", "", {{"<first>", "<p>kept</p>"}, {"", "<i></i>"}}});
  EXPECT_THAT(text, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(text, HasSubstr("<h2>&lt;first&gt;</h2>\n<p>kept</p><i></i>"));
}

TEST(HtmlPage, FetchesNothing) {
  std::string text = htmlText({"page", "", {}});
  EXPECT_THAT(text, Not(HasSubstr("http")));
  EXPECT_THAT(text, Not(HasSubstr("src=")));
}

TEST(HtmlPage, SetsNumbersToTheRight) {
  EXPECT_THAT(table({"kernel", "time"}, {{"gemm", "1.5 ms"}, {"rows", "-"}}, {}),
              HasSubstr("<td>gemm</td><td class=\"number\">1.5 ms</td></tr>\n<tr><td>rows</td><td>-</td>"));
}

TEST(HtmlPage, ThatCannotBeWrittenIsAnError) {
  EXPECT_EQ(llvm::toString(writePage("/dev/null/page.html", {"page"})),
            "can't write /dev/null/page.html: Not a directory");
}
