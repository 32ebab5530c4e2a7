#include "attn/safetensors.h"
#include "tests/support/TemporaryFolder.h"
#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

/// True if a signal interrupts the next open of a file.
static bool isInterrupted = false;

extern "C" int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
  va_end(list);
  if (!std::exchange(isInterrupted, false))
    return int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  errno = EINTR;
  return -1;
}

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
  EXPECT_EQ(first->offset, 0u);
  EXPECT_EQ(second->offset, 24u);
  char read[4] = {};
  EXPECT_EQ(attn_safetensors_read(opened, second, 0, 2, read, &status), ATTN_OK);
  EXPECT_STREQ(read, "\x01\x01");
  EXPECT_EQ(attn_safetensors_read(opened, second, 1, 2, read, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "f: tensor 'b\xc3\xa9\\x0a' has 2 bytes, expected 2 from byte 1 on");
  EXPECT_EQ(attn_safetensors_find(opened, "c"), nullptr);
  EXPECT_EQ(attn_safetensors_at(opened, 2), nullptr);
  attn_safetensors_close(opened);
}

TEST(Safetensors, RefusesWhatIsNotOne) {
  EXPECT_EQ(messageOf("abc"), "f.safetensors: 3 bytes are too few for a safetensors file");
  EXPECT_EQ(messageOf("PK\x03\x04zzzzzzzz"),
            "f.safetensors: not a safetensors file: its header would take 8825501084257831760 bytes");
  EXPECT_EQ(messageOf(file("{}", 0).substr(0, 9)),
            "f.safetensors: truncated: the header takes 2 bytes, the file has 9");
  EXPECT_EQ(messageOf(file("[]", 0)), "f.safetensors: the header is corrupt at byte 8: expected '{'");
  EXPECT_EQ(messageOf(file("{} x", 0)),
            "f.safetensors: the header is corrupt at byte 11: expected nothing after the header's object");
}

TEST(Safetensors, RefusesTensorsThatDoNotFitTheFile) {
  EXPECT_EQ(messageOf(file("{" + std::string(a) + "}", 20)),
            "f.safetensors: tensor 'a' lies at bytes 0 to 24 of the data, but the file has 20");
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
  EXPECT_STREQ(status.message,
               "/: can't be read: it is a directory with neither model.safetensors nor model.safetensors.index.json");
}

TEST(Safetensors, PipesAndDevicesAreErrorsAtOnce) {
  attn_safetensors *opened;
  attn_status status;
  EXPECT_EQ(attn_safetensors_open("/dev/zero", &opened, &status), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "/dev/zero: can't be read: it is a device or socket, expected a regular file");
  std::string path = testing::TempDir() + "pipe." + std::to_string(getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(attn_safetensors_open(path.c_str(), &opened, &status), ATTN_BAD_FILE);
  EXPECT_EQ(status.message, path + ": can't be read: it is a pipe, expected a regular file");
  unlink(path.c_str());
}

TEST(Safetensors, FilesAreOpenedAgainAfterASignal) {
  attnc::TemporaryFolder folder("safetensors");
  std::string path = folder.path() / "a.safetensors";
  std::ofstream(path) << file("{" + std::string(a) + "}", 24);
  attn_safetensors *opened;
  attn_status status;
  isInterrupted = true;
  ASSERT_EQ(attn_safetensors_open(path.c_str(), &opened, &status), ATTN_OK) << status.message;
  EXPECT_FALSE(isInterrupted);
  attn_safetensors_close(opened);
}

TEST(Safetensors, AFileThatIsTruncatedLaterIsAnError) {
  std::string path = testing::TempDir() + "truncated." + std::to_string(getpid());
  std::string bytes = file("{" + std::string(a) + "}", 24);
  std::ofstream(path, std::ios::binary) << bytes;
  attn_safetensors *opened;
  attn_status status;
  ASSERT_EQ(attn_safetensors_open(path.c_str(), &opened, &status), ATTN_OK) << status.message;
  char values[24];
  EXPECT_EQ(attn_safetensors_read(opened, attn_safetensors_at(opened, 0), 0, 24, values, &status), ATTN_OK);
  ASSERT_EQ(truncate(path.c_str(), off_t(bytes.size() - 20)), 0);
  EXPECT_EQ(attn_safetensors_read(opened, attn_safetensors_at(opened, 0), 0, 24, values, &status), ATTN_BAD_FILE);
  EXPECT_EQ(status.message, path + ": truncated since it was opened: a would end at byte " +
                                std::to_string(bytes.size()) + ", the file ends at " +
                                std::to_string(bytes.size() - 20));
  attn_safetensors_close(opened);
  unlink(path.c_str());
}

TEST(Safetensors, NamesHaveCharactersBeyondSixteenBits) {
  auto nameIn = [](const std::string &escaped) {
    std::string bytes = file("{\"" + escaped + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0);
    attn_safetensors *opened = nullptr;
    attn_status status;
    attn_safetensors_open_memory("f.safetensors", bytes.data(), bytes.size(), &opened, &status);
    std::string name = opened ? attn_safetensors_at(opened, 0)->name : status.message;
    attn_safetensors_close(opened);
    return name;
  };
  EXPECT_EQ(nameIn("x\\ud83d\\uDE00y"), "x\xf0\x9f\x98\x80y");
  EXPECT_EQ(nameIn("\\u20ac\\uffff"), "\xe2\x82\xac\xef\xbf\xbf");
  for (const char *text : {"\\ud83d", "\\ud83dx", "\\ude00", "\\ud83d\\n", "\\ud83d\\u0041", "\\ud83d\\ud83d"})
    EXPECT_NE(nameIn(text).find("expected a pair of surrogates"), std::string::npos) << text;
}

TEST(Safetensors, MessagesShowNoControlCharactersAndCutNames) {
  // Names that colour a terminal, are no UTF-8, contain a control character of two bytes, or are long.
  EXPECT_EQ(messageOf(file(R"({"\u001b[31mred\n\u0085\u00e9":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)),
            "f.safetensors: tensor '\\x1b[31mred\\x0a\\xc2\\x85\xc3\xa9' of type F32[2] needs 8 bytes, but has 4");
  EXPECT_EQ(messageOf(file("{\"\xff\xc3\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4)),
            "f.safetensors: tensor '\\xff\\xc3' of type F32[2] needs 8 bytes, but has 4");
  std::string eAcute, message;
  for (int i = 0; i < 1000; ++i)
    eAcute += "\xc3\xa9";
  message = messageOf(file("{\"" + eAcute + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4));
  EXPECT_EQ(message.find("f.safetensors: tensor '\xc3\xa9"), 0u);
  EXPECT_NE(message.find("\xc3\xa9...\xc3\xa9"), std::string::npos) << message;
  EXPECT_NE(message.find("\xc3\xa9' of type F32[2] needs 8 bytes, but has 4"), std::string::npos) << message;
  EXPECT_EQ(message.find("\\x"), std::string::npos) << "characters were cut: " << message;
}

TEST(Safetensors, LongPathsLeaveTheReasonInTheMessage) {
  attn_safetensors *opened;
  attn_status status;
  EXPECT_EQ(attn_safetensors_open(("/" + std::string(3000, 'x')).c_str(), &opened, &status), ATTN_BAD_FILE);
  std::string message = status.message;
  EXPECT_EQ(message.size(), sizeof status.message - 1);
  EXPECT_NE(message.find("xxx...xxx"), std::string::npos);
  EXPECT_TRUE(message.ends_with("x: can't be read: File name too long")) << message;
}

TEST(Safetensors, NamesNoTypeThatIsNone) {
  EXPECT_STREQ(attn_file_dtype_name(ATTN_FILE_BOOL), "BOOL");
  EXPECT_STREQ(attn_file_dtype_name(ATTN_FILE_F64), "F64");
  EXPECT_EQ(attn_file_dtype_bytes(ATTN_FILE_F64), 8);
  for (int32_t number : {-1, ATTN_FILE_F64 + 1, INT32_MIN, INT32_MAX}) {
    EXPECT_STREQ(attn_file_dtype_name(number), "unknown");
    EXPECT_EQ(attn_file_dtype_bytes(number), 0);
  }
}
