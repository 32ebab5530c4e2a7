// Tests that the checker of certificates accepts the compiler's statements and rejects many wrong ones.
#include "compiler/Verify/Verify.h"
#include "compiler/Emit/Certificate.h"
#include "compiler/Pipeline/Compile.h"
#include "compiler/Verify/MemoryTrace.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace attnc;

namespace {

/// A compiled model and the certificate of its object.
class Compiled {
public:
  explicit Compiled(const std::string &model) {
    CompileOptions options;
    options.input = ATTNC_SOURCE_ROOT "/" + model;
    options.target = "x86-64-v3";
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    EXPECT_EQ(compile(options, compilation, stream), Outcome::Done) << messages;
    stated = *llvm::cantFail(llvm::json::parse(certificateText(compilation.program, ""))).getAsObject();
  }

  llvm::json::Object stated;

  /// Returns the faults in the statements about one entry point.
  std::vector<std::string> faultsOf(llvm::json::Object entry) {
    std::string name = entry.getString("name")->str(), text;
    llvm::json::Object statement{{"compiler", ""}, {"module", ""}};
    statement["entries"] = llvm::json::Array{std::move(entry)};
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(statement));
    llvm::Expected<verify::Certificate> certificate = verify::Certificate::parse(text);
    if (!certificate)
      return {toString(certificate.takeError())};
    verify::EntryFindings found = verify::verifyMemory(*compilation.module, *certificate).front();
    EXPECT_EQ(found.name, name);
    isProved &= found.isProved;
    return found.faults;
  }
  bool isProved = true;

  func::FuncOp function(const llvm::json::Object &entry) {
    return compilation.module->lookupSymbol<func::FuncOp>(*entry.getString("name"));
  }

private:
  Compilation compilation;
};

/// Returns the objects of a list of an entry point.
std::vector<llvm::json::Object *> objectsOf(llvm::json::Object &entry, llvm::StringRef key) {
  std::vector<llvm::json::Object *> all;
  for (llvm::json::Value &each : *entry.getArray(key))
    all.push_back(each.getAsObject());
  return all;
}

std::vector<llvm::json::Object *> entriesOf(llvm::json::Object &statement) { return objectsOf(statement, "entries"); }

class VerifyTest : public ::testing::TestWithParam<const char *> {
protected:
  Compiled &model = compiled(GetParam());

  /// Compiles each model once.
  static Compiled &compiled(const std::string &path) {
    static std::map<std::string, std::unique_ptr<Compiled>> all;
    std::unique_ptr<Compiled> &model = all[path];
    if (!model)
      model = std::make_unique<Compiled>(path);
    return *model;
  }

  /// Calls `change` on a copy of each object of the lists `key` and expects a fault in each changed copy. Returns the
  /// number of changed copies.
  int expectFound(llvm::StringRef key, llvm::function_ref<bool(llvm::json::Object &entry, size_t number)> change) {
    int changed = 0;
    for (llvm::json::Object *entry : entriesOf(model.stated))
      for (size_t number = 0; number < objectsOf(*entry, key).size(); ++number) {
        llvm::json::Object mutated = *entry;
        if (!change(mutated, number))
          continue;
        ++changed;
        EXPECT_FALSE(model.faultsOf(std::move(mutated)).empty())
            << GetParam() << ", " << entry->getString("name")->str() << ", " << key.str() << " " << number;
      }
    return changed;
  }
};

TEST_P(VerifyTest, WhatTheCompilerStatesHolds) {
  for (llvm::json::Object *entry : entriesOf(model.stated))
    EXPECT_EQ(model.faultsOf(*entry), std::vector<std::string>());
  EXPECT_TRUE(model.isProved);
}

TEST_P(VerifyTest, SmallerSlots) {
  EXPECT_GT(expectFound("slots",
                        [](llvm::json::Object &entry, size_t number) {
                          llvm::json::Object &slot = *objectsOf(entry, "slots")[number];
                          slot["bytes"] = slot.getString("bytes")->str() + " - 64";
                          return true;
                        }),
            0);
}

TEST_P(VerifyTest, MissingCopies) {
  expectFound("copies", [](llvm::json::Object &entry, size_t number) {
    llvm::json::Array &copies = *entry.getArray("copies");
    copies.erase(copies.begin() + number);
    return true;
  });
}

TEST_P(VerifyTest, MissingLocations) {
  expectFound("values", [&](llvm::json::Object &entry, size_t number) {
    llvm::json::Array &values = *entry.getArray("values");
    verify::Steps steps(model.function(entry));
    llvm::json::Object &value = *values[number].getAsObject();
    if (isa<tensor::EmptyOp>(steps.ops()[*value.getInteger("step")]))
      return false; // no kernel reads it
    values.erase(values.begin() + number);
    return true;
  });
}

/// Moves a result of a kernel to the slot of another operand that a kernel reads together with it.
TEST_P(VerifyTest, OperandsInOneLocation) {
  expectFound("values", [&](llvm::json::Object &entry, size_t number) {
    verify::Steps steps(model.function(entry));
    std::vector<llvm::json::Object *> values = objectsOf(entry, "values");
    auto stepOf = [&](llvm::json::Object *value) { return steps.ops()[*value->getInteger("step")]; };
    if (!values[number]->get("slot") || !isa<func::CallOp>(stepOf(values[number])))
      return false;
    Value value = stepOf(values[number])->getResult(*values[number]->getInteger("result"));
    // Another value that the same kernel reads.
    for (Operation *user : value.getUsers())
      for (Value other : user->getOperands())
        for (llvm::json::Object *each : values)
          if (isa<func::CallOp>(user) && other != value && each->get("slot") && other.getDefiningOp() == stepOf(each) &&
              isa<func::CallOp>(stepOf(each)) &&
              cast<OpResult>(other).getResultNumber() == *each->getInteger("result") &&
              *each->getInteger("slot") != *values[number]->getInteger("slot")) {
            (*values[number])["slot"] = *each->getInteger("slot");
            return true;
          }
    return false;
  });
}

TEST_P(VerifyTest, ScratchOverOperands) {
  expectFound("scratch", [&](llvm::json::Object &entry, size_t number) {
    verify::Steps steps(model.function(entry));
    llvm::json::Object &scratch = *objectsOf(entry, "scratch")[number];
    Operation *call = steps.ops()[*scratch.getInteger("step")];
    for (llvm::json::Object *value : objectsOf(entry, "values"))
      if (value->get("slot") &&
          llvm::is_contained(call->getOperands(),
                             steps.ops()[*value->getInteger("step")]->getResult(*value->getInteger("result")))) {
        scratch["slot"] = *value->getInteger("slot");
        return true;
      }
    return false;
  });
}

INSTANTIATE_TEST_SUITE_P(Models, VerifyTest,
                         ::testing::Values("examples/gpt2/gpt2.attn", "tests/tools/Inputs/decoder.attn",
                                           "tests/tools/Inputs/recurrent.attn", "tests/e2e/models/cached.attn"),
                         [](const auto &each) { return llvm::sys::path::stem(each.param).str(); });

/// Returns the messages of `compileAgain` for a changed module of a compiled model.
std::string refusalOf(llvm::function_ref<void(RecordedModule &)> change) {
  CompileOptions options;
  options.input = ATTNC_SOURCE_ROOT "/tests/tools/Inputs/decoder.attn";
  options.target = "x86-64-v3";
  Compilation compilation, again;
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  EXPECT_EQ(compile(options, compilation, stream), Outcome::Done) << messages;
  RecordedModule recorded = llvm::cantFail(readModule(compilation.record, again.context));
  change(recorded);
  EXPECT_EQ(compileAgain("changed.o", std::move(recorded), "", again, stream), Outcome::UserError);
  return messages;
}

TEST(CompileAgain, AModuleThatFailsIsTheObjectsFault) {
  auto forgetKernels = [](RecordedModule &recorded) {
    for (auto function : recorded.module->getOps<func::FuncOp>())
      function->removeAttr(kernelAttrName);
  };
  EXPECT_EQ(refusalOf(forgetKernels), "attnc: error: changed.o: section .attn.module can't be compiled again: phase "
                                      "'generate' fails; expected the module from which the object was compiled\n");
  EXPECT_EQ(refusalOf([](RecordedModule &recorded) { recorded.options.emitter = "nobody"; }),
            "attnc: error: changed.o: section .attn.module names the emitter 'nobody', expected auto, cpu, halide\n");
}

/// The memory that the reader allocates is bounded by the section's size, not by the size that the section states.
TEST(Record, ReadsDamagedSections) {
  auto isReadable = [](std::string section) {
    llvm::Expected<std::string> content = decompressed(section);
    llvm::consumeError(content ? llvm::Error::success() : content.takeError());
    return bool(content);
  };
  for (size_t bytes = 0; bytes < 20; ++bytes)
    EXPECT_FALSE(isReadable(std::string(bytes, char(bytes)))) << bytes;
  EXPECT_FALSE(isReadable(std::string(7, '\xff') + '\x7f' + std::string(100, 'x')));
}

TEST(Certificate, SaysWhatIsWrongWithAText) {
  auto reason = [](llvm::StringRef text) {
    llvm::Expected<verify::Certificate> certificate = verify::Certificate::parse(text);
    return certificate ? "" : toString(certificate.takeError());
  };
  EXPECT_EQ(reason("{"), "is not JSON");
  EXPECT_EQ(reason("{}"), "lacks `compiler`, `module` or `entries`");
  std::string head = R"({"compiler": "", "module": "", "entries": [{"name": "f", "symbols": ["n", "workers"],)";
  EXPECT_EQ(reason(head + R"("arena_bytes": "4*m", "alignment": 64}]})"),
            "has `4*m`, expected a size over the dimensions (entry point 'f')");
  EXPECT_EQ(reason(head + R"("arena_bytes": "64*n", "alignment": 64}]})"), "lacks the list `slots` (entry point 'f')");
  EXPECT_EQ(reason(head + R"("arena_bytes": "64*n", "alignment": 64, "slots": [{"bytes": "64*n", "within": 0}]}]})"),
            "names slot 0, but there are 0 (entry point 'f')");
  EXPECT_EQ(reason(head + R"("arena_bytes": "64*n", "alignment": 64, "slots": [{"bytes": "64*n", "behind": 0}]}]})"),
            "names slot 0, but there are 0 (entry point 'f')");
  EXPECT_EQ(reason(std::string(1'000'000, '[')), "is not JSON");
}

} // namespace
