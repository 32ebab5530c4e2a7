// Checkpoints with shards: attn_safetensors_open of an index and of a folder.
#include "attn/safetensors.h"
#include "tests/runtime/TemporaryWeights.h"
#include <algorithm>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>

namespace {

/// Returns the number of open files of this process.
int64_t openFiles() {
  auto files = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

/// Opens `path` and closes it. Returns the message of the error, or "ok"; no file remains open.
std::string messageOf(const std::string &path) {
  attn_safetensors *opened;
  attn_status status;
  int64_t before = openFiles();
  attn_code code = attn_safetensors_open(path.c_str(), &opened, &status);
  EXPECT_EQ(code == ATTN_OK, opened != nullptr);
  EXPECT_EQ(code, status.code);
  attn_safetensors_close(opened);
  EXPECT_EQ(openFiles(), before);
  if (code == ATTN_OK)
    return "ok";
  EXPECT_EQ(code, ATTN_BAD_FILE);
  return status.message;
}

/// An open file, which the destructor closes; a failure to open it fails the test.
struct Opened {
  explicit Opened(const std::string &path) {
    attn_status status;
    EXPECT_EQ(attn_safetensors_open(path.c_str(), &file, &status), ATTN_OK) << status.message;
  }
  ~Opened() { attn_safetensors_close(file); }
  Opened(const Opened &) = delete;

  std::string valuesOf(const attn_file_tensor *tensor, uint64_t from, uint64_t count) const {
    std::string values(count, '\0');
    attn_status status;
    EXPECT_EQ(attn_safetensors_read(file, tensor, from, count, values.data(), &status), ATTN_OK) << status.message;
    return values;
  }
  std::string valuesOf(const std::string &name) const {
    const attn_file_tensor *tensor = attn_safetensors_find(file, name.c_str());
    return tensor ? valuesOf(tensor, 0, tensor->bytes) : "no tensor " + name;
  }

  attn_safetensors *file = nullptr;
};

/// A tensor of bytes.
Entry bytes(const std::string &name, const std::string &values) {
  return {name, "U8", "[" + std::to_string(values.size()) + "]", values};
}

/// A checkpoint with a and b in x, and c in y.
struct TwoShards : ShardedCheckpoint {
  TwoShards() {
    add("x", {bytes("a", "12"), bytes("b", "345")});
    add("y", {bytes("c", "6")});
    index = writeIndex();
  }
  std::string index;
};

/// Writes another index; returns the message after the path of the index, which every message begins with.
std::string messageOfIndex(const TwoShards &checkpoint, const std::string &text) {
  std::string message = messageOf(checkpoint.write("model.safetensors.index.json", text));
  EXPECT_TRUE(message == "ok" || message.starts_with(checkpoint.index + ": ")) << message;
  return message == "ok" ? message : message.substr(checkpoint.index.size() + 2);
}

} // namespace

TEST(Shards, HaveTheTensorsOfAllFiles) {
  ShardedCheckpoint checkpoint;
  checkpoint.add("y.safetensors", {{"c", "F32", "[1]", "cccc"}, {"none", "F32", "[0,2]", ""}});
  checkpoint.add("z.safetensors", {{"d", "BF16", "[]", "dd"}});
  checkpoint.add("x.safetensors", {{"b", "I64", "[2,1]", "bbbbbbbbBBBBBBBB"}, {"a", "BOOL", "[3]", "aAa"}});
  Opened set(checkpoint.writeIndex());
  ASSERT_EQ(attn_safetensors_count(set.file), 5);
  std::string names;
  uint64_t offset = 0;
  for (int64_t i = 0; i < 5; ++i) {
    const attn_file_tensor *tensor = attn_safetensors_at(set.file, i);
    names += std::string(tensor->name) + " ";
    EXPECT_EQ(tensor->offset, offset);
    EXPECT_EQ(tensor, attn_safetensors_at(set.file, 0) + i);
    EXPECT_EQ(tensor, attn_safetensors_find(set.file, tensor->name));
    offset += tensor->bytes;
  }
  EXPECT_EQ(names, "b a c none d ");
  EXPECT_EQ(attn_safetensors_at(set.file, 5), nullptr);
  EXPECT_EQ(attn_safetensors_find(set.file, "e"), nullptr);
  EXPECT_EQ(attn_safetensors_find(set.file, "b")->shape[0], 2);
  EXPECT_EQ(attn_safetensors_find(set.file, "d")->dtype, ATTN_FILE_BF16);
  EXPECT_EQ(set.valuesOf("a"), "aAa");
  EXPECT_EQ(set.valuesOf("b"), "bbbbbbbbBBBBBBBB");
  EXPECT_EQ(set.valuesOf("c"), "cccc");
  EXPECT_EQ(set.valuesOf("none"), "");
  EXPECT_EQ(set.valuesOf("d"), "dd");
  attn_file_tensor copy = *attn_safetensors_find(set.file, "b");
  EXPECT_EQ(set.valuesOf(&copy, 7, 2), "bB");
  attn_status status;
  EXPECT_EQ(attn_safetensors_read(set.file, &copy, 8, 9, names.data(), &status), ATTN_BAD_ARGUMENT);
  EXPECT_EQ(status.message,
            checkpoint.at("model.safetensors.index.json") + ": tensor 'b' has 16 bytes, expected 9 from byte 8 on");
}

TEST(Shards, HaveTheTensorsOfTheSingleFile) {
  std::mt19937 random(1);
  std::vector<Entry> all;
  ShardedCheckpoint checkpoint;
  for (int shard = 0; shard < 300; ++shard) {
    std::vector<Entry> some;
    for (unsigned rest = shard % 7 ? random() % 9 : 1; rest > 0; --rest) { // some shards have no data, or no tensors
      std::string values(shard % 7 ? random() % 50 : 0, '\0');
      std::generate(values.begin(), values.end(), [&] { return char(random()); });
      some.push_back(bytes("t" + std::to_string(random()) + "." + std::to_string(all.size() + rest), values));
    }
    checkpoint.add(std::to_string(random()) + ".safetensors", some);
    all.insert(all.end(), some.begin(), some.end());
  }
  checkpoint.write("single", fileOf(all));
  Opened set(checkpoint.writeIndex()), single(checkpoint.at("single"));
  ASSERT_EQ(attn_safetensors_count(set.file), int64_t(all.size()));
  uint64_t covered = 0;
  for (int64_t i = 0; i < attn_safetensors_count(set.file); ++i) {
    const attn_file_tensor *tensor = attn_safetensors_at(set.file, i);
    const attn_file_tensor *expected = attn_safetensors_find(single.file, tensor->name);
    ASSERT_NE(expected, nullptr) << tensor->name;
    EXPECT_EQ(tensor->offset, covered);
    EXPECT_EQ(tensor->rank, expected->rank);
    EXPECT_EQ(tensor->shape[0], expected->shape[0]);
    EXPECT_EQ(tensor->dtype, expected->dtype);
    EXPECT_EQ(set.valuesOf(tensor->name), single.valuesOf(tensor->name));
    covered += tensor->bytes;
  }
}

TEST(Shards, AFolderHasAFileOrAnIndex) {
  TwoShards checkpoint;
  EXPECT_EQ(attn_safetensors_count(Opened(checkpoint.path()).file), 3);
  EXPECT_EQ(attn_safetensors_count(Opened(checkpoint.path() + "/").file), 3);
  checkpoint.write("model.safetensors", fileOf({bytes("single", "1")}));
  EXPECT_STREQ(attn_safetensors_at(Opened(checkpoint.path()).file, 0)->name, "single");
  checkpoint.write("model.safetensors", "");
  EXPECT_EQ(messageOf(checkpoint.path()),
            checkpoint.at("model.safetensors") + ": 0 bytes are too few for a safetensors file");
  unlink(checkpoint.at("model.safetensors").c_str());
  ASSERT_EQ(symlink("absent", checkpoint.at("model.safetensors").c_str()), 0);
  EXPECT_EQ(messageOf(checkpoint.path()), "ok") << "a link without a file";
  unlink(checkpoint.at("model.safetensors").c_str());
  ASSERT_EQ(symlink("model.safetensors", checkpoint.at("model.safetensors").c_str()), 0);
  EXPECT_EQ(messageOf(checkpoint.path()),
            checkpoint.at("model.safetensors") + ": can't be read: Too many levels of symbolic links");
  unlink(checkpoint.at("model.safetensors").c_str());
  ASSERT_EQ(mkdir(checkpoint.at("model.safetensors").c_str(), 0700), 0);
  EXPECT_EQ(messageOf(checkpoint.path()),
            checkpoint.at("model.safetensors") + ": can't be read: it is a directory, expected a regular file");
  rmdir(checkpoint.at("model.safetensors").c_str());
  unlink(checkpoint.index.c_str());
  EXPECT_EQ(messageOf(checkpoint.path()),
            checkpoint.path() +
                ": can't be read: it is a directory with neither model.safetensors nor model.safetensors.index.json");
  checkpoint.write("diffusion_pytorch_model.safetensors", fileOf({bytes("single", "1")}));
  EXPECT_STREQ(attn_safetensors_at(Opened(checkpoint.path()).file, 0)->name, "single");
}

/// The cache of a model hub has links to files whose names are hashes.
TEST(Shards, MayBeLinks) {
  TwoShards stored;
  ShardedCheckpoint links;
  for (const char *name : {"x", "y", "model.safetensors.index.json"})
    ASSERT_EQ(symlink(std::filesystem::absolute(stored.at(name)).c_str(), links.at(name).c_str()), 0);
  EXPECT_EQ(Opened(links.path()).valuesOf("b"), "345");
}

TEST(Shards, AnIndexMayHaveOtherValuesAndNoTensors) {
  TwoShards checkpoint;
  EXPECT_EQ(messageOfIndex(checkpoint, R"({"other": [1, {"weight_map": null}], "weight_map":{"b":"x","\u0061":"x",)"
                                       R"("c":"y"}, "metadata": {"total_size": -1.5}})"),
            "ok");
  EXPECT_EQ(messageOfIndex(checkpoint, R"({"weight_map": {}})"), "ok");
  EXPECT_EQ(attn_safetensors_count(Opened(checkpoint.index).file), 0);
}

TEST(Shards, AreInTheFolderOfTheIndex) {
  TwoShards checkpoint;
  for (std::string name : {"", ".", "..", "...", "../x", "/etc/passwd", "folder/x", "./x", "x/"})
    EXPECT_EQ(messageOfIndex(checkpoint, R"({"weight_map": {"a": ")" + name + R"("}})"),
              "tensor 'a' is in the file '" + name + "', expected a file in the folder of the index");
  EXPECT_EQ(messageOfIndex(checkpoint, R"({"weight_map": {"a": "x\u002f\u001b"}})"),
            "tensor 'a' is in the file 'x/\\x1b', expected a file in the folder of the index");
}

TEST(Shards, HaveTheTensorsThatTheIndexAssignsToThem) {
  TwoShards checkpoint;
  auto message = [&](const std::string &map) { return messageOfIndex(checkpoint, "{\"weight_map\": {" + map + "}}"); };
  EXPECT_EQ(message(R"("a": "x", "b": "x", "c": "y")"), "ok");
  EXPECT_EQ(message(R"("a": "x", "c": "y")"), "tensor 'b' is in 'x', but not in weight_map");
  EXPECT_EQ(message(R"("a": "x")"), "tensor 'b' is in 'x', but not in weight_map");
  EXPECT_EQ(message(R"("a": "y", "b": "x", "c": "y")"), "tensor 'a' is in 'x', but weight_map has it in 'y'");
  EXPECT_EQ(message(R"("a": "x", "b": "x", "c": "x")") + message(R"("a": "x", "b": "x", "c": "x", "d": "y")"),
            "tensor 'c' is not in 'x', where weight_map has it"
            "tensor 'c' is in 'y', but weight_map has it in 'x'");
  EXPECT_EQ(message(R"("a": "x", "b": "x", "d": "x", "e": "x", "c": "y")"),
            "tensor 'd' is not in 'x', where weight_map has it");
  EXPECT_EQ(message(R"("a": "x", "b": "x", "c": "y", "a": "x")"), "tensor 'a' appears twice");
  EXPECT_EQ(message(R"("a": "x", "b": "x", "c": "y", "a": "y")"), "tensor 'a' is not in 'y', where weight_map has it");
  checkpoint.write("y", fileOf({bytes("c", "6"), bytes("a", "7")}));
  EXPECT_EQ(message(R"("a": "x", "b": "x", "c": "y", "a": "y")"), "tensor 'a' appears twice");
  EXPECT_EQ(message(R"("a": "x", "b": "x", "c": "y")"), "tensor 'a' is in 'y', but weight_map has it in 'x'");
}

TEST(Shards, MessagesNameTheShard) {
  TwoShards checkpoint;
  checkpoint.write("y", "short");
  EXPECT_EQ(messageOf(checkpoint.index), checkpoint.at("y") + ": 5 bytes are too few for a safetensors file");
  checkpoint.write("y", fileOf({}).replace(8, 1, "["));
  EXPECT_EQ(messageOf(checkpoint.index), checkpoint.at("y") + ": the header is corrupt at byte 8: expected '{'");
  unlink(checkpoint.at("y").c_str());
  EXPECT_EQ(messageOf(checkpoint.index), checkpoint.at("y") + ": can't be read: No such file or directory");
  ASSERT_EQ(mkdir(checkpoint.at("y").c_str(), 0700), 0);
  EXPECT_EQ(messageOf(checkpoint.index),
            checkpoint.at("y") + ": can't be read: it is a directory, expected a regular file");
}

TEST(Shards, AShardIsNoIndex) {
  TwoShards checkpoint;
  std::string name = "model.safetensors.index.json";
  checkpoint.write(name, R"({"weight_map": {"a": ")" + name + R"("}})");
  EXPECT_TRUE(messageOf(checkpoint.index).starts_with(checkpoint.index + ": not a safetensors file: its header would"))
      << messageOf(checkpoint.index);
}

TEST(Shards, CorruptIndexesAreErrors) {
  TwoShards checkpoint;
  auto message = [&](const std::string &text) { return messageOfIndex(checkpoint, text); };
  EXPECT_EQ(message(""), "the index is corrupt at byte 0: expected '{'");
  EXPECT_EQ(message("[]"), "the index is corrupt at byte 0: expected '{'");
  EXPECT_EQ(message("{}"), "the index is corrupt at byte 2: expected weight_map before here");
  EXPECT_EQ(message(R"({"weight_map": []})"), "the index is corrupt at byte 15: expected the object weight_map");
  EXPECT_EQ(message(R"({"weight_map": {"a": 1}})"), "the index is corrupt at byte 21: expected a string");
  EXPECT_EQ(message(R"({"weight_map": {"a": "x" "b": "x"}})"),
            "the index is corrupt at byte 25: expected the end of weight_map");
  EXPECT_EQ(message(R"({"weight_map": {}, "weight_map": {}})"),
            "the index is corrupt at byte 31: expected weight_map once before here");
  EXPECT_EQ(message(R"({"weight_map": {"a": "x\u0000"}})"),
            "the index is corrupt at byte 29: expected a character other than NUL");
  EXPECT_EQ(message(R"({"m": [[[[[[[[[]]]]]]]]], "weight_map": {}})"),
            "the index is corrupt at byte 14: expected less nesting");
  EXPECT_EQ(message(R"({"weight_map": {}} x)"),
            "the index is corrupt at byte 19: expected nothing after the object of the index");
  truncate(checkpoint.index.c_str(), 100'000'001);
  EXPECT_EQ(messageOf(checkpoint.index), checkpoint.index + ": not an index of shards: it has 100000001 bytes");
  unlink(checkpoint.index.c_str());
  EXPECT_EQ(messageOf(checkpoint.index), checkpoint.index + ": can't be read: No such file or directory");
  ASSERT_EQ(mkfifo(checkpoint.index.c_str(), 0600), 0);
  EXPECT_EQ(messageOf(checkpoint.index), checkpoint.index + ": can't be read: it is a pipe, expected a regular file");
}

TEST(Shards, EveryTruncationOfAnIndexIsAnError) {
  TwoShards checkpoint;
  std::string whole = R"({"metadata":{"total_size":6},"weight_map":{"a":"x","b":"x","c":"y"}})";
  ASSERT_EQ(messageOfIndex(checkpoint, whole), "ok");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(messageOfIndex(checkpoint, whole.substr(0, size)), "ok") << size;
}

/// Whatever the index is, opening it gives a message or all tensors, and leaves no file open.
TEST(Shards, MutatedIndexesAreErrorsOrComplete) {
  TwoShards checkpoint;
  std::mt19937 random(1);
  const std::string whole = R"({"metadata":{"total_size":6},"weight_map":{"a":"x","b":"x","c":"y"}})";
  const char *const pieces[] = {"\"", "{", "}", ",", ":", "\"a\":\"y\",", "\"x\"", "\\u0061", "\\", "..", "/", "[1]"};
  int64_t correct = 0;
  for (int run = 0; run < 3000; ++run) {
    std::string text = whole;
    for (unsigned rest = 1 + random() % 3; rest > 0; --rest) {
      size_t at = random() % text.size();
      std::string piece = random() % 2 ? pieces[random() % std::size(pieces)] : std::string(1, char(random()));
      text.replace(at, random() % 2 ? random() % 12 : 0, piece);
    }
    checkpoint.write("model.safetensors.index.json", text);
    correct += messageOf(checkpoint.index) == "ok";
  }
  EXPECT_GT(correct, 100);
  EXPECT_LT(correct, 1500);
}

TEST(Shards, TooManyFilesAreAnErrorThatLeavesNoneOpen) {
  ShardedCheckpoint checkpoint;
  for (int shard = 0; shard < 100; ++shard)
    checkpoint.add("s" + std::to_string(shard), {bytes(std::to_string(shard), "1")});
  std::string index = checkpoint.writeIndex();
  rlimit before, limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  limit = before;
  limit.rlim_cur = rlim_t(openFiles() + 50);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  std::string message = messageOf(index);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(message.ends_with(": can't be read: Too many open files")) << message;
  EXPECT_EQ(messageOf(index), "ok");
}

TEST(Shards, AShardThatIsTruncatedLaterIsAnError) {
  TwoShards checkpoint;
  Opened set(checkpoint.index);
  ASSERT_EQ(truncate(checkpoint.at("y").c_str(), 20), 0);
  EXPECT_EQ(set.valuesOf("b"), "345");
  char value;
  attn_status status;
  EXPECT_EQ(attn_safetensors_read(set.file, attn_safetensors_find(set.file, "c"), 0, 1, &value, &status),
            ATTN_BAD_FILE);
  EXPECT_TRUE(std::string(status.message).starts_with(checkpoint.at("y") + ": truncated since it was opened: c would"))
      << status.message;
}

TEST(Shards, OffsetsDoNotOverflow) {
  // Other file systems than tmpfs have no files of this size.
  ShardedCheckpoint checkpoint(access("/dev/shm", W_OK) == 0 ? "/dev/shm/shards" : "shards");
  for (const char *name : {"x", "y", "z"}) {
    std::string size = std::to_string(INT64_MAX - 1000);
    std::string header =
        std::string("{\"") + name + R"(":{"dtype":"U8","shape":[)" + size + R"(],"data_offsets":[0,)" + size + "]}}";
    std::string path = checkpoint.write(name, std::string{char(header.size())} + std::string(7, '\0') + header);
    checkpoint.assign(name, name);
    if (truncate(path.c_str(), off_t(8 + header.size()) + (INT64_MAX - 1000)) != 0)
      GTEST_SKIP() << "the file system has no files of 2^63 bytes";
  }
  std::string index = checkpoint.writeIndex();
  EXPECT_EQ(messageOf(index), index + ": its shards have 2^64 bytes or more");
}
