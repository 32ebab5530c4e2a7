// Runs host code in this process: entry points with handwritten kernels, between guard pages.
#include "attn/attn.h"
#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Codegen/Host/HostCode.h"
#include "compiler/Codegen/Host/ModelTable.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tests/support/GuardedBuffer.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "llvm/IR/Module.h"
#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// @add: one row per chunk; returns x + bias. @copy: copies by scratch of the worker and of the launch, in two phases.
/// @fail: reports data out of range. @tick: returns the remaining iterations, and whether this was the last.
const char *fusedModule = R"(
  model.parameter @bias [3] : tensor<4xf32> checkpoint "h.{0}.bias" init <"normal", 0.0, 2.0>
  func.func private @add(%x: tensor<?x4xf32>, %bias: tensor<4xf32>) -> tensor<?x4xf32>
      attributes {attn.kernel = "loops"} {
    return %x : tensor<?x4xf32>
  }
  func.func private @copy(%x: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {attn.kernel = "loops"} {
    return %x : tensor<?x4xf32>
  }
  func.func private @fail(%x: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {attn.kernel = "loops"} {
    return %x : tensor<?x4xf32>
  }
  func.func private @tick(%left: tensor<i32>) -> (tensor<i32>, tensor<i32>) attributes {attn.kernel = "loops"} {
    return %left, %left : tensor<i32>, tensor<i32>
  }
  func.func @sum(%x: tensor<?x4xf32> {model.name = "x", model.shape = ["rows", "4"]})
      -> (tensor<?x4xf32> {model.name = "y", model.shape = ["rows", "4"]},
          tensor<?x2x2xf32> {model.name = "again", model.shape = ["rows", "2", "2"]})
      attributes {model.entry, model.dimensions = [#model.dimension<"rows", 100>]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %rows = tensor.dim %x, %c0 : tensor<?x4xf32>
    %r = scf.for %l = %c0 to %c3 step %c1 iter_args(%v = %x) -> tensor<?x4xf32> {
      %b = model.get @bias[%l] : tensor<4xf32>
      %a = func.call @add(%v, %b) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
      %t = func.call @copy(%a) : (tensor<?x4xf32>) -> tensor<?x4xf32>
      scf.yield %t : tensor<?x4xf32>
    }
    %e = tensor.expand_shape %r [[0], [1, 2]] output_shape [%rows, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
    return %r, %e : tensor<?x4xf32>, tensor<?x2x2xf32>
  }
  func.func @bad(%x: tensor<?x4xf32> {model.name = "x", model.shape = ["rows", "4"]})
      -> (tensor<?x4xf32> {model.name = "y", model.shape = ["rows", "4"]})
      attributes {model.entry, model.dimensions = [#model.dimension<"rows", -1, 1>]} {
    %r = func.call @fail(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    return %r : tensor<?x4xf32>
  }
  func.func @until(%x: tensor<?x4xf32> {model.name = "x", model.shape = ["rows", "4"]},
                   %turns: tensor<i32> {model.name = "turns", model.shape = []})
      -> (tensor<?x4xf32> {model.name = "y", model.shape = ["rows", "4"]},
          tensor<i32> {model.name = "left", model.shape = []})
      attributes {model.entry, model.dimensions = [#model.dimension<"rows", -1>]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r:2 = scf.for %l = %c0 to %c3 step %c1 iter_args(%v = %x, %n = %turns) -> (tensor<?x4xf32>, tensor<i32>) {
      %left:2 = func.call @tick(%n) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
      model.end_if %left#1 : tensor<i32>
      %b = model.get @bias[%l] : tensor<4xf32>
      %a = func.call @add(%v, %b) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
      scf.yield %a, %left#0 : tensor<?x4xf32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<?x4xf32>, tensor<i32>
  }
  func.func @keep(%x: tensor<?x?x2xf32> {model.name = "x", model.shape = ["rows", "chunk", "2"]},
                  %length: tensor<?xi32> {model.name = "length", model.shape = ["rows"]},
                  %count: tensor<?xi32> {model.name = "count", model.shape = ["rows"]},
                  %ring: tensor<?x3x2xf32> {model.name = "ring", model.shape = ["rows", "3", "2"], model.state})
      -> (tensor<?x3x2xf32> {model.name = "ring", model.shape = ["rows", "3", "2"], model.state})
      attributes {model.entry, model.take_back = 1 : i64,
                  model.dimensions = [#model.dimension<"rows", -1>, #model.dimension<"chunk", -1>]} {
    %r = model.append %x to %ring at %length count %count : tensor<?xi32> along 1 row 0 ring
        : tensor<?x?x2xf32> to tensor<?x3x2xf32> at tensor<?xi32>
    return %r : tensor<?x3x2xf32>
  }
)";

const char *kernelPhases = R"(
  func.func @add_phase(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
    %second = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %bias = llvm.load %second : !llvm.ptr -> !llvm.ptr
    %third = llvm.getelementptr %buffers[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %result = llvm.load %third : !llvm.ptr -> !llvm.ptr
    %from = llvm.getelementptr %x[%chunk, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    %to = llvm.getelementptr %result[%chunk, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    %a = llvm.load %from {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %b = llvm.load %bias {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    %c = arith.addf %a, %b : vector<4xf32>
    llvm.store %c, %to {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    return
  }
  func.func @copy_in(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) {
    %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
    %field = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %shared = llvm.load %field : !llvm.ptr -> !llvm.ptr
    %from = llvm.getelementptr %x[%chunk, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    %to = llvm.getelementptr %shared[%chunk, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    %a = llvm.load %from {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %a, %scratch {alignment = 64 : i64} : vector<4xf32>, !llvm.ptr
    %b = llvm.load %scratch {alignment = 64 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %b, %to {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    return
  }
  func.func @copy_out(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) {
    %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %second = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %result = llvm.load %second : !llvm.ptr -> !llvm.ptr
    %field = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %shared = llvm.load %field : !llvm.ptr -> !llvm.ptr
    %from = llvm.getelementptr %shared[%chunk, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    %to = llvm.getelementptr %result[%chunk, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
    %a = llvm.load %from {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %a, %to {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    return
  }
  func.func @fail_phase(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) {
    %field = llvm.getelementptr %args[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %status = llvm.load %field : !llvm.ptr -> !llvm.ptr
    %code = llvm.mlir.constant(5 : i32) : i32
    llvm.store %code, %status : i32, !llvm.ptr
    return
  }
  func.func @tick_phase(%args: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %buffers = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %n = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
    %second = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %left = llvm.load %second : !llvm.ptr -> !llvm.ptr
    %third = llvm.getelementptr %buffers[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %done = llvm.load %third : !llvm.ptr -> !llvm.ptr
    %before = llvm.load %n : !llvm.ptr -> i32
    %after = arith.subi %before, %one : i32
    %last = arith.cmpi eq, %after, %zero : i32
    %flag = arith.extui %last : i1 to i32
    llvm.store %after, %left : i32, !llvm.ptr
    llvm.store %flag, %done : i32, !llvm.ptr
    return
  }
)";

class HostCode : public testing::Test {
protected:
  void SetUp() override {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    registry.insert<mlir::attn::AttnDialect, mlir::model::ModelDialect, mlir::tensor::TensorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(fusedModule, &context);
    code = mlir::parseSourceString<mlir::ModuleOp>(kernelPhases, &context);
    ASSERT_TRUE(module && code);
    compile();
  }

  void compile() {
    SizeExpr rows = SizeExpr::symbol(0);
    addKernel("add", {{{"add_phase", rows}}, {}, {}, {}});
    addKernel("copy", {{{"copy_in", rows}, {"copy_out", rows}}, rows * 16, SizeExpr(16), {}});
    addKernel("fail", {{{"fail_phase", SizeExpr(1)}}, {}, {}, {}});
    addKernel("tick", {{{"tick_phase", SizeExpr(1)}}, {}, {}, {}});
    program.prefix = "m";
    program.parameters = *ParameterTable::of(*module);
    llvm::StringMap<KernelCode> codes;
    for (CompiledKernel &kernel : program.kernels)
      codes[kernel.function.getName()] = kernel.code;
    for (const char *entry : {"sum", "bad", "until", "keep"})
      program.entries.push_back(*planEntry(module->lookupSymbol<mlir::func::FuncOp>(entry), codes));
    certify(program);
    emitHostCode(program, *code);
    ASSERT_TRUE(succeeded(mlir::verify(*code)));
    Target target = llvm::cantFail(Target::resolve("native"));
    ASSERT_TRUE(succeeded(lowerToLlvmDialect(*code, target)));
    auto llvmCode = translateToLlvm(*code, target);
    ASSERT_TRUE(succeeded(llvmCode));
    addModelTable(program, {}, target, *llvmCode->module);
    optimise(*llvmCode, target);
    auto object = emit(*llvmCode, target, OutputKind::Object);
    ASSERT_TRUE(succeeded(object));
    ASSERT_TRUE(succeeded(verifyUndefinedSymbols(*code, *object)));
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object->data(), object->size()), "m.o");
    llvm::Expected<LoadedModel> model = LoadedModel::fromObject(std::move(buffer));
    ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
    loaded.emplace(std::move(*model));
  }

  void addKernel(const char *name, KernelCode code) {
    program.kernels.push_back({module->lookupSymbol<mlir::func::FuncOp>(name), "test", std::move(code), {}});
  }

  /// Calls entry point `entry` on `rows` rows of x[i] = i, with an arena of exactly the promised size, filled with NaN.
  int32_t run(int64_t entry, int64_t rows, std::vector<std::vector<float>> &results) {
    std::vector<float> x(rows * 4);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i);
    results.assign(loaded->model().entries[entry].result_count, std::vector<float>(rows * 4, -1));
    std::vector<void *> tensors = {x.data()};
    for (std::vector<float> &result : results)
      tensors.push_back(result.data());
    return call(entry, {rows}, tensors);
  }

  int32_t call(int64_t entry, std::vector<int64_t> dimensions, std::vector<void *> tensors) {
    const attn_executor *executor = attn_serial_executor();
    int64_t bytes = loaded->model().entries[entry].arena_bytes(dimensions.data(), executor->workers);
    GuardedBuffer arena(bytes, Placement::AgainstEnd, ATTN_ALIGNMENT);
    attn_frame frame = {tensors.data(), dimensions.data(), table.data(), arena.data(), executor};
    return loaded->model().entries[entry].run(&frame);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module, code;
  Program program;
  std::optional<LoadedModel> loaded;
  float bias[3][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {100, 200, 300, 400}};
  std::vector<const void *> table = {bias[0], bias[1], bias[2]};
};

} // namespace

TEST_F(HostCode, RunsLoopsOverLists) {
  for (int64_t rows : {0, 1, 7, 100}) {
    std::vector<std::vector<float>> results;
    ASSERT_EQ(run(0, rows, results), ATTN_OK);
    for (size_t i = 0; i < results[0].size(); ++i) {
      EXPECT_EQ(results[0][i], float(i) + 111 * (i % 4 + 1));
      EXPECT_EQ(results[1][i], results[0][i]);
    }
  }
}

TEST_F(HostCode, LoopsEndAfterTheirIterations) {
  for (int32_t iterations : {1, 2, 3, 0, 5}) {
    int64_t rows = 5, done = iterations == 0 ? 3 : std::min(iterations, 3);
    std::vector<float> x(rows * 4, 1), y(rows * 4, -1);
    int32_t left = -1;
    ASSERT_EQ(call(2, {rows}, {x.data(), &iterations, y.data(), &left}), ATTN_OK);
    EXPECT_EQ(left, iterations - done);
    for (int64_t i = 0; i < rows * 4; ++i) {
      float expected = 1;
      for (int64_t iteration = 0; iteration < done; ++iteration)
        expected += bias[iteration][i % 4];
      EXPECT_EQ(y[i], expected) << iterations;
    }
  }
}

TEST_F(HostCode, RingsKeepTheLastPositionsThatCount) {
  // Position p of a row is {p, -p}; the call contains the positions from `length` on.
  const int32_t lengths[] = {0, 2, 4, 7}, counts[] = {2, 0, 3, 5};
  constexpr int64_t rows = 4, chunk = 5, capacity = 3;
  std::vector<float> x, ring(rows * capacity * 2, 100), expected = ring;
  for (int64_t row = 0; row < rows; ++row)
    for (int32_t i = 0; i < chunk; ++i) {
      float position = float(lengths[row] + i);
      x.insert(x.end(), {position, -position});
      float *target = &expected[(row * capacity + (lengths[row] + i) % capacity) * 2];
      if (i < counts[row])
        target[0] = position, target[1] = -position;
    }
  std::vector<int32_t> length(lengths, lengths + rows), count(counts, counts + rows);
  ASSERT_EQ(call(3, {rows, chunk}, {x.data(), length.data(), count.data(), ring.data()}), ATTN_OK);
  EXPECT_EQ(ring, expected);
  const std::pair<int32_t, int32_t> bad[] = {{-1, 1}, {0, -1}, {0, 6}};
  for (auto [badLength, badCount] : bad) {
    length[2] = badLength;
    count[2] = badCount;
    EXPECT_EQ(call(3, {rows, chunk}, {x.data(), length.data(), count.data(), ring.data()}), ATTN_FULL);
    EXPECT_EQ(ring, expected) << "something was written";
  }
}

TEST_F(HostCode, DimensionsOutOfRangeAreRefused) {
  const attn_entry_info &entry = loaded->model().entries[0];
  for (int64_t rows : {int64_t(-1), int64_t(101)}) {
    EXPECT_EQ(entry.arena_bytes(&rows, 1), -1);
    std::vector<void *> tensors(3);
    char arena[64];
    attn_frame frame = {tensors.data(), &rows, table.data(), arena, attn_serial_executor()};
    EXPECT_EQ(entry.run(&frame), ATTN_BAD_ARGUMENT);
  }
  int64_t none = 0;
  EXPECT_GE(entry.arena_bytes(&none, 1), 0);
  const attn_entry_info &other = loaded->model().entries[1];
  EXPECT_EQ(other.arena_bytes(&none, 1), -1);
  attn_frame empty = {nullptr, &none, table.data(), nullptr, attn_serial_executor()};
  EXPECT_EQ(other.run(&empty), ATTN_BAD_ARGUMENT);
  int64_t rows = 3;
  EXPECT_GT(entry.arena_bytes(&rows, 1), 0);
  EXPECT_EQ(entry.arena_bytes(&rows, 0), -1);
  EXPECT_EQ(entry.arena_bytes(&rows, INT64_MAX), -1);
}

TEST_F(HostCode, NullArenaIsRefused) {
  int64_t rows = 1;
  std::vector<void *> tensors(3);
  attn_frame frame = {tensors.data(), &rows, table.data(), nullptr, attn_serial_executor()};
  EXPECT_EQ(loaded->model().entries[0].run(&frame), ATTN_BAD_ARENA);
}

TEST_F(HostCode, AFunctionComputesOffsetsThatDependOnDimensions) {
  auto function = code->lookupSymbol<mlir::LLVM::LLVMFuncOp>("m_sum_slots");
  ASSERT_TRUE(function);
  EXPECT_NE(llvm::find(*function.getPassthrough(), mlir::StringAttr::get(&context, "noinline")),
            function.getPassthrough()->end());
  EXPECT_FALSE(code->lookupSymbol("m_keep_slots")) << "this entry point has no slots";
}

TEST_F(HostCode, StatusOfAKernelIsReturned) {
  std::vector<std::vector<float>> results;
  EXPECT_EQ(run(1, 2, results), ATTN_OUT_OF_RANGE);
}

TEST_F(HostCode, TableDescribesTheModel) {
  const attn_model &model = loaded->model();
  EXPECT_EQ(model.abi_version, uint32_t(ATTN_ABI_VERSION));
  EXPECT_STREQ(model.name, "m");
  ASSERT_EQ(model.entry_count, 4);
  const attn_entry_info &entry = model.entries[0];
  EXPECT_STREQ(entry.name, "sum");
  ASSERT_EQ(entry.input_count, 1);
  ASSERT_EQ(entry.result_count, 2);
  EXPECT_STREQ(entry.dimensions[0].name, "rows");
  EXPECT_EQ(entry.dimensions[0].max, 100);
  EXPECT_EQ(entry.dimensions[0].min, 0);
  EXPECT_EQ(model.entries[1].dimensions[0].max, -1);
  EXPECT_EQ(model.entries[1].dimensions[0].min, 1);
  EXPECT_STREQ(entry.tensors[2].name, "again");
  ASSERT_EQ(entry.tensors[2].rank, 3);
  ASSERT_EQ(entry.tensors[2].shape[0].term_count, 1);
  EXPECT_EQ(entry.tensors[2].shape[0].terms[0].factors[0], 0);
  EXPECT_EQ(entry.tensors[2].shape[1].terms[0].coefficient, 2);
  EXPECT_EQ(entry.state_count, 0);
  EXPECT_EQ(model.entries[3].state_count, 1);
  EXPECT_EQ(model.entries[3].result_count, 0);
  EXPECT_EQ(model.entries[3].take_back, 1);
  ASSERT_EQ(model.parameter_count, 1);
  EXPECT_EQ(model.loaded_count, 3);
  EXPECT_STREQ(model.parameters[0].checkpoint, "h.{0}.bias");
  EXPECT_EQ(model.parameters[0].init, ATTN_INIT_NORMAL);
  EXPECT_EQ(model.parameters[0].init_b, 2.0);
  EXPECT_EQ(model.prepare, nullptr);
  ASSERT_EQ(model.kernel_count, 4);
  EXPECT_EQ(model.kernels[1].phase_count, 2);
  const attn_kernel_info &kernel = model.kernels[1];
  ASSERT_EQ(kernel.operand_count + kernel.result_count,
            int32_t(program.kernels[1].function.getNumArguments() + program.kernels[1].function.getNumResults()));
  EXPECT_EQ(kernel.tensors[0].dtype, ATTN_F32);
  EXPECT_EQ(kernel.tensors[0].shape[0], -1);
  int64_t rows = 5;
  EXPECT_EQ(entry.flops(&rows), program.certificates[0].flops.evaluate({5, 1}));
}

TEST_F(HostCode, CertificateIsOverTheEntrysDimensions) {
  const KernelLaunch &launch = program.kernels[1].launches.front();
  EXPECT_EQ(launch.entry, "sum");
  EXPECT_EQ(launch.times, 3);
  EXPECT_EQ(launch.largestIntermediate.text(launch.symbols), "max(16*rows, 64*workers)");
  EXPECT_FALSE(launch.holdsAllPairs);
  ASSERT_EQ(program.certificates.size(), 4u);
  EXPECT_TRUE(program.certificates[0].allPairs.empty());
}
