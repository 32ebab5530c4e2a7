#include "compiler/Codegen/CPU/Gemm/WeightPacking.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/compiler/Codegen/CPU/GemmCase.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace attnc {
namespace {

/// Emits the packing of the kernel's argument, so that it runs as a kernel.
class PackingEmitter : public Emitter {
public:
  explicit PackingEmitter(PanelPacking packing) : packing(packing) {}
  std::string_view name() const override { return "packing"; }
  Verdict supports(func::FuncOp, const Target &) const override { return Verdict::yes(); }
  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    return attnc::emitPacking(cast<RankedTensorType>(kernel.getArgumentTypes()[0]), packing, "pack", target, code);
  }

private:
  PanelPacking packing;
};

void check(const std::string &right, std::map<char, int64_t> sizes, PanelPacking packing, const std::string &target) {
  GemmCase c{"bmk", right, "bmn"};
  c.sizes = sizes;
  std::string type = "tensor<";
  for (int64_t size : c.shapeOf(right))
    type += std::to_string(size) + "x";
  type += "f32>";
  KernelRunner runner("func.func private @k(%s: " + type + ") -> " + type + " { return %s : " + type + " }",
                      PackingEmitter(packing), target);
  ASSERT_TRUE(runner) << runner.message();
  HostArray source = HostArray::random(c.shapeOf(right), 1);
  HostArray expected = c.pack(source, packing.nr);
  EXPECT_EQ(runner.run({source}, {expected.shape}).front().bytes, expected.bytes) << right << " " << type;
}

TEST(WeightPacking, panelsOfEachSourceAndWidth) {
  for (const char *target : {"native", "x86-64-v3"})
    for (int64_t nr : {16, 48})
      for (int64_t n : {1, 97})
        for (int64_t k : {16, 35}) {
          std::map<char, int64_t> sizes = {{'b', 2}, {'m', 1}, {'n', n}, {'k', k}};
          check("kn", sizes, {nr, false, 0, 1}, target);
          check("nk", sizes, {nr, true, 0, 1}, target);
        }
}

TEST(WeightPacking, severalMatrices) {
  std::map<char, int64_t> sizes = {{'b', 3}, {'m', 1}, {'n', 50}, {'k', 20}};
  check("bkn", sizes, {48, false, 1, 1}, "native");
  check("bnk", sizes, {48, true, 1, 1}, "native");
}

TEST(WeightPacking, bytesAreWholePanels) {
  MLIRContext context;
  auto type = RankedTensorType::get({768, 50257}, Float32Type::get(&context));
  EXPECT_EQ(packedBytes(type, {48, false, 0, 1}), 1048ll * 48 * 768 * 4);
  auto heads = RankedTensorType::get({2, 12, 64, 100}, Float32Type::get(&context));
  EXPECT_EQ(packedBytes(heads, {16, false, 1, 2}), 2ll * 7 * 16 * 768 * 4);
}

TEST(WeightPacking, attributeIsReadAsWritten) {
  MLIRContext context;
  PanelPacking packing{48, true, 1, 2};
  EXPECT_EQ(PanelPacking::fromAttribute(packing.attribute(&context)), packing);
  EXPECT_EQ(PanelPacking::fromAttribute(UnitAttr::get(&context)), std::nullopt);
}

/// Returns the packing that a kernel of this case prefers for `right`.
std::optional<OperandPacking> preferred(const GemmCase &c) {
  struct Asks : Emitter {
    mutable std::optional<OperandPacking> answer;
    std::string_view name() const override { return "asks"; }
    Verdict supports(func::FuncOp kernel, const Target &target) const override {
      answer = attnc::preferredPacking(kernel, target);
      return Verdict::no("it only asks");
    }
    FailureOr<KernelCode> emit(func::FuncOp, const Target &, ModuleOp) const override { return failure(); }
  } asks;
  KernelRunner runner(c.text(llvm::cantFail(Target::resolve("x86-64-v4"))), asks, "x86-64-v4");
  return asks.answer;
}

TEST(WeightPacking, preferred) {
  GemmCase c{"bsk", "kn", "bsn"};
  c.sizes = {{'b', 1}, {'s', 9}, {'k', 20}, {'n', 96}};
  ASSERT_TRUE(preferred(c));
  EXPECT_EQ(preferred(c)->argument, 1u);
  EXPECT_EQ(preferred(c)->packing, (PanelPacking{48, false, 0, 1}));
  c.right = "nk";
  ASSERT_TRUE(preferred(c));
  EXPECT_EQ(preferred(c)->packing, (PanelPacking{48, true, 0, 1}));
  c.sizes['s'] = 1;
  EXPECT_FALSE(preferred(c)) << "one row reads an N x K matrix as it lies";
  c.right = "kn";
  EXPECT_TRUE(preferred(c));
  c.dynamic = "n";
  EXPECT_FALSE(preferred(c));
}

} // namespace
} // namespace attnc
