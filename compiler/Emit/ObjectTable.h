//===- ObjectTable.h - the model's table of an object, read as data -----------------------------------------------===//
//
// Reads `const attn_model <prefix>_model` out of an object file without linking it into the process: nothing of the
// file is executed. Sections become memory that is not executable, and the pointers between them are resolved as a
// linker does, so that the table is read by the records of attn/model.h themselves, whichever their layout.
//
// The file may hold anything. Each pointer, count, text and number of the table is checked before anybody else reads
// it; the error is a phrase about the file: "is not an object file", "holds a malformed table of its model: entry
// point 2: ...". A table whose pointers share what they point to more often than in any compiled object is malformed
// too, so that time and memory are in proportion to the file's size. Functions of the table are addresses of data:
// calling them faults.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace attnc {

class ObjectImage;

class ObjectTable {
public:
  /// The file has to outlive the table.
  static llvm::Expected<ObjectTable> read(llvm::StringRef file);
  /// The same of a file that has to be as it was compiled (Seal.h): damage is found before the table is read.
  static llvm::Expected<ObjectTable> readSealed(llvm::StringRef file);

  ObjectTable(ObjectTable &&);
  ~ObjectTable();

  const attn_model &model() const { return *table; }

private:
  /// `checkFile` is called on an object that defines a model.
  static llvm::Expected<ObjectTable> read(llvm::StringRef file,
                                          llvm::function_ref<llvm::Error(llvm::StringRef)> checkFile);
  ObjectTable(std::unique_ptr<ObjectImage> image, const attn_model *table);

  std::unique_ptr<ObjectImage> image;
  const attn_model *table;
};

} // namespace attnc
