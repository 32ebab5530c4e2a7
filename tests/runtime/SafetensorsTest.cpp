#include "attn/safetensors.h"
#include <gtest/gtest.h>
#include <string>

namespace {

std::string file(const std::string &header, size_t dataBytes) {
  std::string result(8, '\0');
  for (int i = 0; i < 8; ++i)
    result[i] = char(header.size() >> (8 * i));
  return result + header + std::string(dataBytes, '\x01');
}

std::string messageOf(const std::string &bytes) {
  attn_safetensors *opened;
  attn_status status;
  if (attn_safetensors_open_memory("f.safetensors", bytes.data(), bytes.size(), &opened, &status) == ATTN_OK) {
    attn_safetensors_close(opened);
    return "ok";
  }
  EXPECT_EQ(opened, nullptr);
  EXPECT_EQ(status.code, ATTN_BAD_FILE);
  return status.message;
}

const char *const a = R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})";

} // namespace

TEST(Safetensors, ReadsNamesTypesShapesAndPlaces) {
  std::string bytes = file("{\"__metadata__\":{\"format\":\"pt\",\"n\":[1,{\"x\":null}]}," + std::string(a) +
                               R"(, "b\u00e9\n" : {"data_offsets":[24,26],"shape":[],"dtype":"BF16"}} )",
                           26);
  attn_safetensors *opened;
  attn_status status;
  ASSERT_EQ(attn_safetensors_open_memory("f", bytes.data(), bytes.size(), &opened, &status), ATTN_OK) << status.message;
  ASSERT_EQ(attn_safetensors_count(opened), 2);
  const attn_file_tensor *first = attn_safetensors_at(opened, 0);
  EXPECT_STREQ(first->name, "a");
  EXPECT_EQ(first->rank, 2);
  EXPECT_EQ(first->shape[1], 3);
  EXPECT_EQ(first->dtype, ATTN_FILE_F32);
  const attn_file_tensor *second = attn_safetensors_find(opened, "b\xc3\xa9\n");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->rank, 0);
  EXPECT_EQ(static_cast<const char *>(second->data) - static_cast<const char *>(first->data), 24);
  EXPECT_EQ(attn_safetensors_find(opened, "c"), nullptr);
  EXPECT_EQ(attn_safetensors_at(opened, 2), nullptr);
  attn_safetensors_close(opened);
}

TEST(Safetensors, RefusesWhatIsNotOne) {
  EXPECT_EQ(messageOf("abc"), "f.safetensors: 3 bytes are too few for a safetensors file");
  EXPECT_EQ(messageOf("PK\x03\x04zzzzzzzz"),
            "f.safetensors: not a safetensors file: its header would take 8825501084257831760 bytes");
  EXPECT_EQ(messageOf(file("{}", 0).substr(0, 9)),
            "f.safetensors: truncated: the header takes 2 bytes, the file holds 9");
  EXPECT_EQ(messageOf(file("[]", 0)), "f.safetensors: the header is corrupt at byte 8: expected '{'");
  EXPECT_EQ(messageOf(file("{} x", 0)),
            "f.safetensors: the header is corrupt at byte 11: expected nothing after the header's object");
}

TEST(Safetensors, RefusesTensorsThatDoNotFitTheFile) {
  EXPECT_EQ(messageOf(file("{" + std::string(a) + "}", 20)),
            "f.safetensors: tensor 'a' lies at bytes 0 to 24 of the data, but the file holds 20");
  EXPECT_EQ(messageOf(file("{" + std::string(a) + "}", 30)), "f.safetensors: 6 bytes at the end belong to no tensor");
  EXPECT_EQ(messageOf(file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)),
            "f.safetensors: tensor 'a' of type F32[2] needs 8 bytes, but has 4");
  EXPECT_EQ(messageOf(file("{" + std::string(a) + "," + a + "}", 24)), "f.safetensors: tensor 'a' overlaps another");
  EXPECT_EQ(messageOf(file(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8)),
            "f.safetensors: tensor 'a' leaves a hole before it");
  EXPECT_EQ(messageOf(file(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                           R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                           0)),
            "f.safetensors: tensor 'a' appears twice");
}

TEST(Safetensors, RefusesHugeShapesWithoutOverflow) {
  std::string huge = R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})";
  EXPECT_NE(messageOf(file(huge, 0)).find("expected a smaller shape"), std::string::npos) << messageOf(file(huge, 0));
  std::string number = R"({"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,0]}})";
  EXPECT_NE(messageOf(file(number, 0)).find("expected an integer of 64 bits"), std::string::npos);
}

TEST(Safetensors, EveryTruncationIsAnError) {
  std::string whole = file("{" + std::string(a) + "}", 24);
  ASSERT_EQ(messageOf(whole), "ok");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(messageOf(whole.substr(0, size)), "ok") << size;
}

TEST(Safetensors, MissingFilesAndFoldersAreErrors) {
  attn_safetensors *opened;
  attn_status status;
  EXPECT_EQ(attn_safetensors_open("/nonexistent/x", &opened, &status), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "/nonexistent/x: can't be read: No such file or directory");
  EXPECT_EQ(attn_safetensors_open("/", &opened, &status), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "/: can't be read: Is a directory");
}
