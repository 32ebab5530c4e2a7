#include "tests/compiler/Codegen/GPU/TestKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace attnc {

namespace {

std::string typeOf(const std::vector<int64_t> &shape, std::string_view element) {
  std::string sizes;
  for (int64_t size : shape)
    sizes += ShapedType::isDynamic(size) ? "?x" : fmt::format("{}x", size);
  return fmt::format("tensor<{}{}>", sizes, element);
}

std::string signatureOf(const TestKernel &kernel) {
  std::vector<std::string> arguments;
  for (const std::vector<int64_t> &shape : kernel.inputs)
    arguments.push_back(fmt::format("%{}: {}", static_cast<char>('a' + arguments.size()), typeOf(shape, "i32")));
  return fmt::format(R"(func.func private @k({}) -> {} attributes {{attn.kernel = "loops"}} {{
      %e = tensor.empty() : {}
      return %e : {}
    }})",
                     fmt::join(arguments, ", "), typeOf(kernel.result, "f32"), typeOf(kernel.result, "f32"),
                     typeOf(kernel.result, "f32"));
}

class TestEmitter : public Emitter {
public:
  TestEmitter(const TestKernel &kernel, Mutation mutate) : kernel(kernel), mutate(std::move(mutate)) {}
  std::string_view name() const override { return "test"; }
  Verdict supports(func::FuncOp, const Target &) const override { return Verdict::yes(); }
  FailureOr<KernelCode> emit(func::FuncOp function, const Target &, ModuleOp code) const override {
    DeviceFrame frame(function, "k", code, kernel.threads);
    TileBuilder tiles(frame.builder, frame.location);
    int64_t bytes = kernel.fill(frame, tiles);
    KernelCode made{{{"k", 1, kernel.threads, bytes}}, 0, 0, {}};
    if (TensorMaps maps(kernel.mapped); !kernel.mapped.empty()) {
      made.phases.insert(made.phases.begin(), maps.emit(function, "k$maps", code));
      made.sharedBytes = maps.bytes();
    }
    if (mutate)
      mutate(code);
    return made;
  }

private:
  const TestKernel &kernel;
  Mutation mutate;
};

} // namespace

Found run(const TestKernel &kernel, const std::vector<HostArray> &inputs, bool reversed, Mutation mutate,
          std::string_view target) {
  bool isMutant = bool(mutate);
  KernelRunner runner(signatureOf(kernel), TestEmitter(kernel, std::move(mutate)), target);
  if (!runner)
    return {runner.message(), "", {}};
  RunOptions options;
  options.reversed = reversed;
  HostArray result = runner.run(inputs, {kernel.result}, options)[0];
  return {runner.message(), isMutant ? "" : runner.ptx(), std::vector(result.f32(), result.f32() + result.size())};
}

static float asFloat(MatrixType type, uint16_t bits) {
  if (type == MatrixType::BF16)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}

TestMatrix::TestMatrix(MatrixType type, int64_t rows, int64_t columns, uint64_t seed)
    : rows(rows), columns(columns), words({rows, columns * elementBytes(type) / 4}, ElementKind::I32) {
  HostArray numbers = HostArray::random({rows, columns}, seed);
  for (int64_t at = 0; at < rows * columns; ++at) {
    uint32_t bits = std::bit_cast<uint32_t>(numbers.f32()[at]);
    if (is32Bit(type)) {
      uint32_t kept = type == MatrixType::TF32 ? bits & 0xffffe000u : bits;
      reinterpret_cast<uint32_t *>(words.i32())[at] = kept;
      values.push_back(std::bit_cast<float>(kept));
      continue;
    }
    uint16_t narrow = type == MatrixType::BF16 ? static_cast<uint16_t>(bits >> 16)
                                               : std::bit_cast<uint16_t>(static_cast<_Float16>(numbers.f32()[at]));
    reinterpret_cast<uint16_t *>(words.i32())[at] = narrow;
    values.push_back(asFloat(type, narrow));
  }
}

void removeOp(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (auto member = dyn_cast<LLVM::ExtractValueOp>(user)) {
      member.replaceAllUsesWith(op->getOperand(member.getPosition().front()));
      member.erase();
    }
  if (op->getNumResults() > 0 && !op->use_empty())
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  op->erase();
}

bool isText(Operation *op, StringRef part) {
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  return text && text.getAsmString().contains(part);
}

Mutant withoutText(StringRef part) {
  return {"without " + part.str(), [part](Operation *op) { return isText(op, part); }, removeOp};
}

Mutant withBit(unsigned fromEnd, unsigned bit) {
  return {fmt::format("bit {} of a descriptor", bit), [](Operation *op) { return isText(op, "mma_async"); },
          [=](Operation *op) {
            OpBuilder b(op);
            OpOperand &operand = op->getOpOperand(op->getNumOperands() - fromEnd);
            Value mask = arith::ConstantIntOp::create(b, op->getLoc(), int64_t(1) << bit, 64);
            operand.set(arith::XOrIOp::create(b, op->getLoc(), operand.get(), mask));
          }};
}

static void expectChangesAreSeen(const Mutant &mutant, const std::function<bool(const Mutation &)> &isSeen) {
  size_t count = 1;
  for (size_t number = 0; number < count; ++number) {
    Mutation mutate = [&](ModuleOp code) {
      SmallVector<Operation *> ops;
      code.walk([&](Operation *op) {
        if (mutant.isPicked(op))
          ops.push_back(op);
      });
      count = ops.size();
      if (number < count)
        mutant.change(ops[number]);
    };
    EXPECT_TRUE(isSeen(mutate)) << mutant.name << ", number " << number << " of " << count;
  }
  EXPECT_GT(count, 0u) << mutant.name;
}

void expectEachIsSeen(const std::vector<Mutant> &mutants, const std::function<bool(const Mutation &)> &isSeen) {
  ASSERT_FALSE(isSeen(nullptr)) << "the kernel is wrong as it is";
  for (const Mutant &mutant : mutants)
    expectChangesAreSeen(mutant, isSeen);
}

} // namespace attnc
