#include "TokenizerFile.h"

using namespace attnc::tokenizer;

static std::string normalise(const std::string &entry, std::string text) {
  nlohmann::json value = nlohmann::json::parse(entry);
  MatchMemory memory;
  Normalizer::read(JsonEntry(value, "t.json"))->normalize(text, memory);
  return text;
}

TEST(Normalizer, ComposesAndDecomposes) {
  EXPECT_EQ(normalise(R"({"type": "NFD"})", "x\xC3\xA9y"), "xe\xCC\x81y");
  EXPECT_EQ(normalise(R"({"type": "NFC"})", "xe\xCC\x81ye"), "x\xC3\xA9ye");
  EXPECT_EQ(normalise(R"({"type": "NFKC"})", "\xEF\xAC\x81"), "fi");
  EXPECT_EQ(normalise(R"({"type": "NFKD"})", "\xC2\xBD"), "1\xE2\x81\x84"
                                                          "2");
  EXPECT_EQ(normalise(R"({"type": "NFC"})", std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Normalizer, LowersLetters) {
  EXPECT_EQ(normalise(R"({"type": "Lowercase"})", "A\xC3\x89\xC4\xB0"), "a\xC3\xA9i\xCC\x87");
}

TEST(Normalizer, StripsWhiteSpaceAndAccents) {
  EXPECT_EQ(normalise(R"({"type": "Strip", "strip_left": true, "strip_right": false})", " \xE3\x80\x80"
                                                                                        "a "),
            "a ");
  EXPECT_EQ(normalise(R"({"type": "Strip", "strip_left": true, "strip_right": true})", "  "), "");
  EXPECT_EQ(normalise(R"({"type": "StripAccents"})", "e\xCC\x81\xC3\xA9"), "e\xC3\xA9");
}

TEST(Normalizer, ReplacesText) {
  EXPECT_EQ(normalise(R"({"type": "Replace", "pattern": {"Regex": " +"}, "content": "_$1"})", "a  b"), "a_$1b");
  EXPECT_EQ(normalise(R"({"type": "Replace", "pattern": {"String": "."}, "content": ""})", "a.b"), "ab");
  EXPECT_EQ(normalise(R"({"type": "Prepend", "prepend": "_"})", "a"), "_a");
  EXPECT_EQ(normalise(R"({"type": "Prepend", "prepend": "_"})", ""), "");
  EXPECT_EQ(normalise(R"({"type": "Nmt"})", "a\tb\x01\xE2\x80\x8B"), "a b ");
  EXPECT_EQ(normalise(R"({"type": "ByteLevel"})", "a \n"), "a\xC4\xA0\xC4\x8A");
}

TEST(Normalizer, CleansTextForBert) {
  const char *entry = R"({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                          "strip_accents": null, "lowercase": true})";
  EXPECT_EQ(normalise(entry, "A\tB\x02"
                             "C"),
            "a bc");
  EXPECT_EQ(normalise(entry, "\xC3\x89\xE4\xB8\xAD\xEF\xBF\xBD\xC2\xA0\x01z"), "e \xE4\xB8\xAD  z");
  EXPECT_EQ(normalise(entry, std::string("a\0b", 3)), "ab");
  EXPECT_EQ(normalise(entry, "\xDF\xBD"), "\xDF\xBD"); // U+07FD is no mark in the tables of the Rust library
}

TEST(Normalizer, AppliesASequence) {
  EXPECT_EQ(
      normalise(R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]})", "\xC3\xA9"),
      "e");
}

/// A map of SentencePiece that replaces "A" by the text at `place` of "b\0xy\0\u00e9\0", and "\u00e9" (two bytes) by "xy".
static std::string smallMap(uint32_t place = 0) {
  // Unit: label in bits 0 to 7, leaf in bit 8, offset in bits 10 to 30. The root leads to the units of first bytes.
  std::vector<uint32_t> units(1024, 0xFF);
  auto node = [&](size_t place, uint8_t label, uint32_t offset, bool isLeaf) {
    units[place] = label | uint32_t(isLeaf) << 8 | offset << 10;
  };
  node(0, 0, 0x100, false);
  node(0x100 ^ 'A', 'A', 0x300 ^ 0x100 ^ 'A', true);
  units[0x300] = 0x80000000 | place;
  node(0x100 ^ 0xC3, 0xC3, 0x200 ^ 0x100 ^ 0xC3, false);
  node(0x200 ^ 0xA9, 0xA9, 0x301 ^ 0x200 ^ 0xA9, true);
  units[0x301] = 0x80000002; // the value 2: "xy"
  std::string bytes, text;
  uint32_t size = uint32_t(units.size() * 4);
  bytes.append(reinterpret_cast<const char *>(&size), 4);
  bytes.append(reinterpret_cast<const char *>(units.data()), size);
  bytes.append("b\0xy\0\xC3\xA9\0", 8);
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? uint8_t(bytes[at + i]) : 0);
    for (int i = 0; i < 4; ++i)
      text += at + size_t(i) > bytes.size() ? '=' : digits[group >> (18 - 6 * i) & 63];
  }
  return text;
}

TEST(PrecompiledMap, ReplacesClusters) {
  std::string entry = R"({"type": "Precompiled", "precompiled_charsmap": ")" + smallMap() + "\"}";
  EXPECT_EQ(normalise(entry, "AaA"), "bab");
  EXPECT_EQ(normalise(entry, "\xC3\xA9"
                             "A\xC3\xAA"),
            "xyb\xC3\xAA");
  EXPECT_EQ(normalise(entry, "A\xCC\x81!"), "b!"); // the whole cluster: its first character has a replacement
  EXPECT_EQ(normalise(entry, "A\xE2\x80\x8D\xE2\x80\x8D"), "b\xE2\x80\x8D\xE2\x80\x8D"); // too long for one
}

TEST(PrecompiledMap, PlacesWithinACharacterAreNotText) {
  auto entry = [](uint32_t place) {
    return R"({"type": "Precompiled", "precompiled_charsmap": ")" + smallMap(place) + "\"}";
  };
  EXPECT_EQ(normalise(entry(5), "AaA"), "\xC3\xA9"
                                        "a\xC3\xA9");
  EXPECT_EQ(normalise(entry(6), "AaA"), "a"); // the second byte of the character
  EXPECT_EQ(normalise(entry(8), "AaA"), "a"); // the end
}

TEST(PrecompiledMap, RefusesDamagedMaps) {
  for (const char *map : {"AAA", "AAAAAA==", "////", "*", "BAAAAA==", "AwAAAAAA"})
    EXPECT_NE(messageOf(fileOf(characterModel("a"), "\"normalizer\": {\"type\": \"Precompiled\", "
                                                    "\"precompiled_charsmap\": \"" +
                                                        std::string(map) + "\"}")),
              "ok")
        << map;
}
