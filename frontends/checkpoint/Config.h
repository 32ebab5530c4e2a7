//===- Config.h - reader of a checkpoint's config.json ------------------------------------------------------------===//
//
// A family of models reads the keys that it knows. The functions return the value of a key, or a default if the key is
// missing or null, since published files omit keys that have the default of the family. A value of another type, or one
// that the family does not support, is recorded as a problem, and the default is returned, so that one import reports
// all problems of a file. Keys that no function has read are unread(): they may change what the model computes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// Reads a file of keys and values. The error is one of the user.
llvm::Expected<llvm::json::Object> readConfigFile(const std::string &path);

class Config {
public:
  /// Reads `values`, which must outlive this object. Messages begin with `place`, such as "config.json: ". Problems are
  /// appended to `problems`.
  Config(const llvm::json::Object &values, std::string place, std::vector<std::string> &problems)
      : values(values), place(std::move(place)), problems(problems) {}

  bool has(llvm::StringRef key) const;    ///< the key has a value that is not null
  bool isNull(llvm::StringRef key) const; ///< the key is present, and null
  /// A positive whole number. Without a default, a missing key is a problem, and the result is 1.
  int64_t size(llvm::StringRef key, std::optional<int64_t> otherwise = std::nullopt);
  int64_t count(llvm::StringRef key, int64_t otherwise); ///< a whole number from 0 up
  double real(llvm::StringRef key, std::optional<double> otherwise = std::nullopt);
  double positive(llvm::StringRef key, std::optional<double> otherwise = std::nullopt); ///< a number above 0
  bool flag(llvm::StringRef key, bool otherwise);
  std::string text(llvm::StringRef key, llvm::StringRef otherwise);
  /// The whole number of a key, or the elements of its list of whole numbers; empty if the key is missing.
  std::vector<int64_t> numbers(llvm::StringRef key);
  /// The elements of a list of numbers, which may be infinite; empty if the key is missing. Newer files of the
  /// published library have {"__float__": "Infinity"} for infinity.
  std::vector<double> reals(llvm::StringRef key);
  /// The elements of a list of texts; empty if the key is missing.
  std::vector<std::string> texts(llvm::StringRef key);
  /// The number of keys of an object; null if the key is missing.
  std::optional<int64_t> entries(llvm::StringRef key);
  /// The object of a key; null if the key is missing.
  std::optional<Config> object(llvm::StringRef key);
  /// The object of a key; one without keys if the key is missing.
  Config part(llvm::StringRef key);

  /// Marks keys as read that do not change what the model computes.
  void ignore(llvm::ArrayRef<llvm::StringRef> keys);
  /// Records a problem if the key is present, and its value is not `only`, the one that is supported.
  void expectOnly(llvm::StringRef key, const llvm::json::Value &only);
  /// Records the problem that the value of a key is not supported; `expected` says which values are.
  void refuse(llvm::StringRef key, llvm::StringRef expected);

  /// The keys with values that were not read, each with its value, in alphabetical order: "foo = 3", and those of the
  /// objects that were read: "text_config.foo = 3".
  std::vector<std::string> unread() const;

private:
  /// A whole number of at least `least`; `expected` describes it.
  int64_t whole(llvm::StringRef key, std::optional<int64_t> otherwise, int64_t least, llvm::StringRef expected);
  /// The keys that were read, also those of objects.
  struct Marks {
    llvm::StringSet<> read;
    llvm::StringMap<std::shared_ptr<Marks>> objects;
  };

  const llvm::json::Value *find(llvm::StringRef key);
  Config inside(llvm::StringRef key, const llvm::json::Object &object);

  const llvm::json::Object &values;
  std::string place;
  std::vector<std::string> &problems;
  std::shared_ptr<Marks> marks = std::make_shared<Marks>();
};

} // namespace attnc
