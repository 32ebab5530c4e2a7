#include "compiler/Codegen/Schedule/KernelForms.h"
#include "tests/support/ParsedModule.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

TEST(KernelForms, AreThoseOfTheDocs) {
  auto page = llvm::MemoryBuffer::getFile(ATTNC_ROOT "/docs/gpu.md");
  ASSERT_TRUE(page);
  llvm::StringRef section = (*page)->getBuffer().split("## Forms of kernels").second.split("\n## ").first;
  for (KernelForm form : allForms())
    EXPECT_NE(section.split("| form | meaning |").second.find(("`" + nameOf(form) + "`").str()), llvm::StringRef::npos)
        << nameOf(form).str();
}

TEST(KernelForms, AreWhatWasRecorded) {
  ParsedModule module("func.func private @k() attributes {attn.kernel = \"attend\"}");
  mlir::func::FuncOp kernel = module.function();
  EXPECT_TRUE(formsOf(kernel).empty());
  EXPECT_TRUE(refusedFormsOf(kernel).empty());
  recordForm(kernel, "k$few", KernelForm::SplitKeys,
             {{"products", llvm::StringRef("f32")}, {"decode_rows", int64_t(8)}});
  recordForm(kernel, "k$few$merge", KernelForm::Merge);
  for (int phase = 0; phase < 2; ++phase)
    recordRefusal(kernel, KernelForm::TensorCores, Verdict::no("its keys are computed"));
  recordRefusal(kernel, KernelForm::WarpGroups, Verdict::yes());
  std::string text;
  llvm::raw_string_ostream stream(text);
  printForms(kernel, stream);
  EXPECT_EQ(text, "on a device, variants of kernels, and variants left out:\n"
                  "  k$few                            split-keys, decode_rows = 8, products = f32\n"
                  "  k$few$merge                      merge\n"
                  "  k                                no tensor-cores: its keys are computed\n");
}

} // namespace
} // namespace attnc
