#include "tools/attnc/Data/SampleRows.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>

using namespace attnc;
using testing::ElementsAre;

namespace {

class SampleRowsTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("rows", path)); }
  void TearDown() override { llvm::sys::fs::remove_directories(path); }

  std::string write(const std::string &name, std::vector<int64_t> shape, attn_dtype dtype,
                    const std::vector<double> &values) const {
    HostTensor tensor(dtype, std::move(shape));
    for (size_t at = 0; at < values.size(); ++at)
      tensor.set(int64_t(at), values[at]);
    std::string file = (path + "/" + name).str();
    llvm::cantFail(writeTensors(file, {{"rows", tensor}}));
    return file;
  }
  std::string write(const std::string &name, const std::string &text) const {
    std::string file = (path + "/" + name).str();
    std::error_code code;
    llvm::raw_fd_ostream(file, code) << text;
    return file;
  }
  SampleRows read(const std::string &file) const { return llvm::cantFail(SampleRows::read("x", file, vocabularies)); }

  llvm::SmallString<128> path;
  Vocabularies vocabularies;
};

std::vector<double> numbersOf(const HostTensor &tensor) {
  std::vector<double> numbers;
  for (int64_t at = 0; at < tensor.count(); ++at)
    numbers.push_back(tensor.at(at));
  return numbers;
}

} // namespace

TEST_F(SampleRowsTest, OfATensorHaveOneWidth) {
  SampleRows rows = read(write("x.npy", {3, 2}, ATTN_F32, {1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(rows.isRagged());
  EXPECT_EQ(rows.count(), 3);
  EXPECT_EQ(rows.rank(), 2);
  EXPECT_EQ(rows.size(1), 2);
  EXPECT_THAT(numbersOf(rows.gather({2, 0}, 0)), ElementsAre(5, 6, 1, 2));
}

TEST_F(SampleRowsTest, WithOffsetsArePaddedWithZeros) {
  SampleRows rows = read(write("x.npy", {4, 2}, ATTN_F32, {1, 2, 3, 4, 5, 6, 7, 8}));
  ASSERT_FALSE(bool(rows.readOffsets(write("offsets.npy", {4}, ATTN_I32, {0, 1, 1, 4}))));
  EXPECT_TRUE(rows.isRagged());
  EXPECT_EQ(rows.count(), 3);
  EXPECT_EQ(rows.rank(), 3);
  EXPECT_EQ(rows.size(1), std::nullopt);
  EXPECT_EQ(rows.size(2), 2);
  EXPECT_THAT((std::vector<int64_t>{rows.length(0), rows.length(1), rows.length(2)}), ElementsAre(1, 0, 3));
  EXPECT_EQ(rows.widthOf(2), 3);
  EXPECT_EQ(rows.placeOf(1), "row 1 of " + rows.path());
  EXPECT_EQ(rows.typeText(), "f32[4, 2] with offsets");
  HostTensor batch = rows.gather({0, 2, 1}, 3);
  EXPECT_THAT(batch.shape, ElementsAre(3, 3, 2));
  EXPECT_THAT(numbersOf(batch), ElementsAre(1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0));
}

TEST_F(SampleRowsTest, WithOffsetsMayBeBooleansAndEmpty) {
  SampleRows rows = read(write("x.npy", {3}, ATTN_BOOL, {1, 0, 1}));
  ASSERT_FALSE(bool(rows.readOffsets(write("offsets.npy", {3}, ATTN_I32, {0, 2, 3}))));
  EXPECT_THAT(numbersOf(rows.gather({1, 0}, 2)), ElementsAre(1, 0, 1, 0));
  SampleRows none = read(write("none.npy", {0, 2}, ATTN_F32, {}));
  ASSERT_FALSE(bool(none.readOffsets(write("zeros.npy", {3}, ATTN_I32, {0, 0, 0}))));
  EXPECT_EQ(none.count(), 2);
  EXPECT_THAT(numbersOf(none.gather({1}, 1)), ElementsAre(0, 0));
  SampleRows nothing = read(write("nothing.npy", {0, 2}, ATTN_F32, {}));
  ASSERT_FALSE(bool(nothing.readOffsets(write("one.npy", {1}, ATTN_I32, {0}))));
  EXPECT_EQ(nothing.count(), 0);
  EXPECT_EQ(nothing.gather({}, 1).count(), 0);
}

TEST_F(SampleRowsTest, OfLinesEndWithAZero) {
  SampleRows rows = read(write("x.txt", "abc\n\na\n"));
  EXPECT_TRUE(rows.isRagged() && rows.isOfCharacters());
  EXPECT_EQ(rows.length(0), 3);
  EXPECT_EQ(rows.widthOf(0), 4);
  EXPECT_THAT(numbersOf(rows.gather({2, 1}, 2)), ElementsAre(97, 0, 0, 0));
  EXPECT_THAT(numbersOf(rows.gather({2}, 6)), ElementsAre(97, 0, 0, 0, 0, 0));
  EXPECT_EQ(rows.placeOf(1), rows.path() + ":2");
  EXPECT_EQ(toString(rows.readOffsets("offsets.npy")),
            "offsets.npy: has offsets for " + rows.path() + ", whose rows are lines");
}

TEST_F(SampleRowsTest, HaveAFingerprintOfValuesAndOffsets) {
  std::string values = write("x.npy", {2}, ATTN_F32, {1, 2});
  SampleRows one = read(values), two = read(values);
  EXPECT_EQ(one.fingerprint(3), two.fingerprint(3));
  ASSERT_FALSE(bool(one.readOffsets(write("one.npy", {3}, ATTN_I32, {0, 1, 2}))));
  EXPECT_NE(one.fingerprint(3), two.fingerprint(3));
  ASSERT_FALSE(bool(two.readOffsets(write("two.npy", {3}, ATTN_I32, {0, 2, 2}))));
  EXPECT_NE(one.fingerprint(3), two.fingerprint(3));
}
