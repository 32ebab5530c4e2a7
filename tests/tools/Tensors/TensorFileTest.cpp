#include "tools/attnc/Tensors/TensorFile.h"
#include "tools/attnc/Tensors/TextFile.h"
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace attnc;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <class T> std::string bytesOf(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T));
}

std::string npy(const std::string &descr, const std::string &shape, const std::string &values) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  auto length = static_cast<uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + bytesOf({length}) + header + values;
}

/// Returns the numbers of the file, or an empty list and a message.
std::vector<double> numbersOf(const std::string &bytes, std::string &message, const std::string &path = "a.npy") {
  InputFile file = InputFile::inMemory(path, bytes);
  auto tensor = readTensor(file);
  if (!tensor) {
    message = toString(tensor.takeError());
    return {};
  }
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor->count(); ++i)
    numbers.push_back(tensor->at(i));
  message = "ok";
  return numbers;
}

std::string messageOf(const std::string &bytes, const std::string &path = "a.npy") {
  std::string message;
  numbersOf(bytes, message, path);
  return message;
}

} // namespace

TEST(TensorFile, ReadsEveryStoredType) {
  std::string message;
  EXPECT_THAT(numbersOf(npy("<f8", "(2,)", bytesOf({1.5, -2.0})), message), ElementsAre(1.5, -2)) << message;
  EXPECT_THAT(numbersOf(npy("<f4", "(1, 2)", bytesOf({1.5f, -2.0f})), message), ElementsAre(1.5, -2)) << message;
  EXPECT_THAT(numbersOf(npy("<f2", "(1,)", bytesOf<uint16_t>({0x3C00})), message), ElementsAre(1)) << message;
  EXPECT_THAT(numbersOf(npy("<i8", "(2,)", bytesOf<int64_t>({-7, 2147483647})), message), ElementsAre(-7, 2147483647));
  EXPECT_THAT(numbersOf(npy("<i4", "(1,)", bytesOf<int32_t>({-7})), message), ElementsAre(-7)) << message;
  EXPECT_THAT(numbersOf(npy("|i1", "(1,)", bytesOf<int8_t>({-7})), message), ElementsAre(-7)) << message;
  EXPECT_THAT(numbersOf(npy("<u2", "(1,)", bytesOf<uint16_t>({65535})), message), ElementsAre(65535)) << message;
  EXPECT_THAT(numbersOf(npy("|b1", "(2,)", bytesOf<char>({0, 2})), message), ElementsAre(0, 1)) << message;
  EXPECT_THAT(numbersOf(npy("<f4", "()", bytesOf({4.0f})), message), ElementsAre(4)) << message;
}

TEST(TensorFile, ReadsLargeFilesInPieces) {
  std::string values;
  for (int i = 0; i < 200000; ++i)
    values += bytesOf<int64_t>({i});
  std::string message;
  std::vector<double> numbers = numbersOf(npy("<i8", "(200000,)", values), message);
  ASSERT_EQ(message, "ok");
  for (int i = 0; i < 200000; ++i)
    ASSERT_EQ(numbers[i], i);
}

TEST(TensorFile, NamesNumbersThatDoNotFit) {
  EXPECT_EQ(messageOf(npy("<f8", "(3,)", bytesOf({1.0, 2.0, 1e300}))),
            "a.npy: element 2 is 1.0000000000000001e+300, which an f32 can't represent");
  EXPECT_EQ(messageOf(npy("<f8", "(1,)", bytesOf({-3.5e38}))),
            "a.npy: element 0 is -3.5e+38, which an f32 can't represent");
  EXPECT_EQ(messageOf(npy("<u8", "(1,)", bytesOf({~uint64_t(0)}))),
            "a.npy: element 0 is 9223372036854775807, which an i32 can't represent");
  std::string message;
  std::vector<double> numbers = numbersOf(npy("<f8", "(3,)", bytesOf({HUGE_VAL, -HUGE_VAL, 3.4028234e38})), message);
  EXPECT_THAT(numbers, ElementsAre(HUGE_VAL, -HUGE_VAL, testing::DoubleNear(3.4028234e38, 1e31))) << message;
}

TEST(TensorFile, NamesStatesThatDoNotFit) {
  HostTensor tensor(ATTN_F32, {2});
  tensor.set(0, 65504);
  tensor.set(1, 70000);
  EXPECT_EQ(toString(tensor.narrowedTo(ATTN_F16, "s.npy").takeError()),
            "s.npy: element 1 is 70000, which f16 can't represent");
  auto narrow = tensor.narrowedTo(ATTN_BF16, "s.npy");
  ASSERT_TRUE(bool(narrow));
  EXPECT_EQ(narrow->at(1), 70144);
}

TEST(TensorFile, RefusesMalformedHeaders) {
  std::string good = npy("<f4", "(2,)", bytesOf({1.0f, 2.0f}));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(messageOf(good.substr(0, size)), "ok") << size;
  EXPECT_EQ(messageOf("this is no tensor"), "a.npy: not a .npy file: it does not begin with \\x93NUMPY");
  std::string wide = std::string("\x93NUMPY\x02\x00", 8) + bytesOf<uint32_t>({uint32_t(-1)}) + "{}";
  EXPECT_EQ(messageOf(wide), "a.npy: not a .npy file: its header is truncated");
  wide = std::string("\x93NUMPY\x02\x00", 8) + bytesOf<uint32_t>({2000000}) + std::string(2000000, ' ');
  EXPECT_EQ(messageOf(wide), "a.npy: not a .npy file: its header would take 2000000 bytes");
  EXPECT_EQ(messageOf(npy("<f4", "(2, -1)", "")), "a.npy: the header's shape is corrupt");
  EXPECT_EQ(messageOf(npy("<f4", "(4611686018427387904, 4)", "")),
            "a.npy: not a .npy file: its shape is beyond 64 bits");
  EXPECT_EQ(messageOf(npy("|u1", "(4611686018427387904, 0)", "")), "'a.npy': its size is beyond 64 bits");
  EXPECT_EQ(messageOf(npy("\x1b[31m", "(1,)", "")),
            "a.npy: elements of type '\\x1b[31m', expected little-endian floats, integers or booleans");
}

TEST(TensorFile, ReadsLinesAsCodePoints) {
  std::string message;
  EXPECT_THAT(numbersOf("ab\nc\xc3\xa9\xe2\x82\xac\r\n\n", message, "a.txt"),
              ElementsAre(97, 98, 0, 0, 99, 233, 0x20AC, 0, 0, 0, 0, 0));
  EXPECT_THAT(numbersOf("\xEF\xBB\xBF" "a", message, "a.txt"), ElementsAre(97, 0)) << message;
  EXPECT_THAT(numbersOf("", message, "a.txt"), ElementsAre()) << message;
  EXPECT_EQ(messageOf("a\nb\xff\n", "a.txt"), "a.txt:2: not UTF-8");
  EXPECT_EQ(messageOf(std::string("a\0", 2), "a.txt"), "a.txt:1: has the character 0, which marks the end of a line");
  // A long line beside many short lines would make a table larger than memory.
  EXPECT_THAT(messageOf(std::string(10000000, '\n') + std::string(10000000, 'a'), "a.txt"),
              HasSubstr("'a.txt': no memory for "));
}

TEST(TensorFile, WritesEveryCodePoint) {
  EXPECT_EQ(character('a'), "a");
  EXPECT_EQ(character(0xFEFF), "\xEF\xBB\xBF");
  EXPECT_EQ(character(0x1F600), "\xF0\x9F\x98\x80");
  for (int32_t none : {-1, 0xD800, 0x110000})
    EXPECT_EQ(character(none), "\xEF\xBF\xBD") << none;
}

TEST(TensorFile, WritesNoNameTwice) {
  std::vector<std::pair<std::string, HostTensor>> tensors(2, {"y\n", HostTensor(ATTN_F32, {1})});
  EXPECT_EQ(toString(writeTensors("twice.safetensors", tensors)),
            "twice.safetensors: not written: two tensors have the name 'y\\x0a'");
}
