#include "frontends/tokenizer/Trie.h"
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <string>

using namespace attnc::tokenizer;

TEST(Trie, HasNoStringIfEmpty) {
  Trie trie;
  EXPECT_EQ(trie.value(Trie::root), Trie::none);
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_EQ(trie.child(Trie::root, char(byte)), Trie::none);
}

TEST(Trie, KeepsTheLargestValueOfAString) {
  Trie trie({{"a", 2}, {"a", 7}, {"ab", 1}});
  EXPECT_EQ(trie.value(trie.descend(Trie::root, "a")), 7);
  EXPECT_EQ(trie.value(trie.descend(Trie::root, "ab")), 1);
}

TEST(Trie, EqualsAMap) {
  EXPECT_TRUE(rc::check([](const std::map<std::string, uint16_t> &entries, const std::vector<std::string> &others) {
    Trie::Entries list;
    for (const auto &[text, value] : entries)
      if (!text.empty())
        list.emplace_back(text, value);
    Trie trie(list);
    for (const auto &[text, value] : list)
      RC_ASSERT(trie.value(trie.descend(Trie::root, text)) == value);
    for (const std::string &text : others) {
      int32_t node = trie.descend(Trie::root, text);
      bool isEntry = node != Trie::none && trie.value(node) != Trie::none;
      RC_ASSERT(isEntry == (!text.empty() && entries.count(text) > 0));
    }
  }));
}
