// Tests the memory planner with an interpreter of its plans: memory maps locations to tokens, every launch checks that
// its operands still have their tokens, and scratch is overwritten. Programs are random and have loops.
#include "compiler/Memory/Plan.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <set>

using namespace attnc;

namespace {

/// Kernels of one, two and three operands; @over may write its result over operand 0. @flag gives the condition of a
/// loop.
const std::string kernelText = R"(
  func.func private @one(%a: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {attn.kernel = "loops"} {
    return %a : tensor<?x8xf32>
  }
  func.func private @over(%a: tensor<?x8xf32> {attn.in_place = 0}, %b: tensor<?x8xf32>) -> tensor<?x8xf32>
      attributes {attn.kernel = "loops"} {
    return %a : tensor<?x8xf32>
  }
  func.func private @scratch(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
      attributes {attn.kernel = "loops"} {
    return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
  }
  func.func private @flag(%a: tensor<?x8xf32>) -> tensor<i32> attributes {attn.kernel = "loops"} {
    %c = arith.constant dense<0> : tensor<i32>
    return %c : tensor<i32>
  }
)";
const std::string signature =
    R"((%n0: tensor<?x8xf32> {model.shape = ["batch", "8"]}, %n1: tensor<?x8xf32> {model.shape = ["batch", "8"]}) )";
const std::string shape = R"( {model.shape = ["batch", "8"]})";
const std::string attributes = R"( attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>]} )";

llvm::StringMap<KernelCode> kernelCodes() {
  llvm::StringMap<KernelCode> codes;
  codes["one"] = {};
  codes["over"] = {};
  codes["flag"] = {};
  codes["scratch"].sharedBytes = SizeExpr::symbol(0) * 4 + 20;
  codes["scratch"].workerBytes = SizeExpr(100);
  return codes;
}

struct Planned {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::FailureOr<EntryPlan> plan = mlir::failure();

  explicit Planned(const std::string &entry) {
    context.loadDialect<mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::arith::ArithDialect,
                        mlir::tensor::TensorDialect, mlir::attn::AttnDialect, mlir::model::ModelDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kernelText + entry, &context);
    if (module)
      plan = planEntry(module->lookupSymbol<mlir::func::FuncOp>("entry"), kernelCodes());
  }
};

/// Runs a plan on tokens. `fault` is empty if every value was found where the plan stores it.
class Machine {
public:
  explicit Machine(EntryPlan &plan) : plan(plan) {
    for (auto [number, argument] : llvm::enumerate(plan.entry.getArguments()))
      write({ValueLocation::Kind::Input, unsigned(number)}, values[argument] = fresh());
    runBlock(plan.entry.getBody().front());
  }
  std::string fault;

private:
  using Address = std::pair<ValueLocation::Kind, unsigned>;
  EntryPlan &plan;
  std::map<Address, int> memory;
  llvm::DenseMap<mlir::Value, int> values;
  int tokens = 0;

  int fresh() { return ++tokens; }
  /// Stores a token, and removes the tokens of overlapping slots.
  void write(ValueLocation location, int token) {
    if (location.kind == ValueLocation::Kind::Slot)
      std::erase_if(memory, [&](const auto &entry) {
        auto [kind, number] = entry.first;
        return kind == ValueLocation::Kind::Slot && overlap(number, location.number);
      });
    memory[{location.kind, location.number}] = token;
  }
  bool overlap(unsigned a, unsigned b) {
    const std::vector<int64_t> sizes = {70, 3};
    auto begin = [&](unsigned slot) { return plan.offset(slot).evaluate(sizes); };
    auto end = [&](unsigned slot) { return begin(slot) + plan.slots[slot].bytes.evaluate(sizes); };
    return begin(a) < end(b) && begin(b) < end(a);
  }
  int read(mlir::Value value) {
    mlir::Value root = EntryPlan::root(value);
    if (root.getDefiningOp<mlir::model::GetOp>())
      return values[root];
    ValueLocation location = plan.location(value);
    return memory[{location.kind, location.number}];
  }
  void expect(mlir::Value value, const std::string &where) {
    if (!EntryPlan::root(value).getDefiningOp<mlir::tensor::EmptyOp>() && read(value) != values[EntryPlan::root(value)])
      fault += "lost at " + where + "\n";
  }
  void runCopies(mlir::Operation *before) {
    for (const Copy &copy : plan.copies.lookup(before)) {
      int token = copy.source ? memory[{copy.source->kind, copy.source->number}] : read(copy.value);
      write(copy.target, token);
    }
  }

  void launch(mlir::func::CallOp call) {
    for (mlir::Value operand : call.getOperands())
      expect(operand, call.getCallee().str());
    std::set<unsigned> touched;
    LaunchScratch scratch = plan.launches.find(call)->second;
    for (std::optional<unsigned> slot : {scratch.shared, scratch.workers})
      if (slot && !touched.insert(*slot).second)
        fault += "scratch meets scratch\n";
    for (mlir::Value operand : call.getOperands())
      if (ValueLocation location = plan.location(operand);
          location.kind == ValueLocation::Kind::Slot && touched.contains(location.number))
        fault += "scratch meets an operand\n";
    for (unsigned slot : touched)
      write({ValueLocation::Kind::Slot, slot}, fresh());
    for (mlir::Value result : call.getResults()) {
      if (plan.location(result).kind == ValueLocation::Kind::Slot &&
          !touched.insert(plan.location(result).number).second)
        fault += "result meets scratch or another result\n";
      write(plan.location(result), values[result] = fresh());
    }
  }

  void loop(mlir::scf::ForOp loop) {
    runCopies(loop);
    for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInits())) {
      values[argument] = values[EntryPlan::root(init)];
      if (!EntryPlan::root(init).getDefiningOp<mlir::tensor::EmptyOp>())
        expect(argument, "loop begin");
    }
    for (int iteration = 0; iteration < 3; ++iteration) {
      runBlock(*loop.getBody());
      llvm::SmallVector<int> next;
      for (mlir::Value value : loop.getYieldedValues())
        next.push_back(values[EntryPlan::root(value)]);
      for (auto [argument, token] : llvm::zip(loop.getRegionIterArgs(), next)) {
        values[argument] = token;
        expect(argument, "next iteration");
      }
    }
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      values[result] = values[argument];
      expect(result, "loop result");
    }
  }

  void runBlock(mlir::Block &block) {
    for (mlir::Operation &op : block) {
      if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
        launch(call);
      else if (auto nested = llvm::dyn_cast<mlir::scf::ForOp>(op))
        loop(nested);
      else if (auto get = llvm::dyn_cast<mlir::model::GetOp>(op))
        values[get] = fresh();
      else if (auto end = llvm::dyn_cast<mlir::model::EndIfOp>(op))
        expect(end.getDone(), "end_if");
      else if (llvm::isa<mlir::scf::YieldOp, mlir::func::ReturnOp>(op))
        finish(&op);
    }
  }

  void finish(mlir::Operation *op) {
    for (mlir::Value operand : op->getOperands())
      expect(operand, "end of a block");
    runCopies(op);
    if (llvm::isa<mlir::func::ReturnOp>(op))
      for (auto [number, operand] : llvm::enumerate(op->getOperands()))
        if (memory[{ValueLocation::Kind::Result, unsigned(number)}] != values[EntryPlan::root(operand)])
          fault += "a result is not in the caller's buffer\n";
  }
};

/// Writes random programs.
struct ProgramWriter {
  std::string text;
  int next = 0;
  std::string type = "tensor<?x8xf32>";

  std::string fresh() { return "%v" + std::to_string(next++); }

  void statements(std::vector<std::string> &live, int depth) {
    int count = *rc::gen::inRange(1, 6);
    for (int each = 0; each < count; ++each) {
      std::string a = *rc::gen::elementOf(live), b = *rc::gen::elementOf(live), result = fresh();
      switch (*rc::gen::inRange(0, depth < 2 ? 5 : 3)) {
      case 0:
        text += result + " = func.call @one(" + a + ") : (" + type + ") -> " + type + "\n";
        break;
      case 1:
        text += result + " = func.call @over(" + a + ", " + b + ") : (" + type + ", " + type + ") -> " + type + "\n";
        break;
      case 2:
        text += result + ":2 = func.call @scratch(" + a + ", " + b + ") : (" + type + ", " + type + ") -> (" + type +
                ", " + type + ")\n";
        live.push_back(result + "#1");
        result += "#0";
        break;
      default:
        loop(live, result, a, b, depth);
        live.push_back(result + "#1");
        result += "#0";
      }
      live.push_back(result);
    }
  }

  void loop(const std::vector<std::string> &outer, const std::string &result, const std::string &a,
            const std::string &b, int depth) {
    std::string x = fresh(), y = fresh(), done = *rc::gen::arbitrary<bool>() ? fresh() : "";
    text += result + ":2 = scf.for %i" + std::to_string(next++) + " = %c0 to %c4 step %c1 iter_args(" + x + " = " + a +
            ", " + y + " = " + b + ") -> (" + type + ", " + type + ") {\n";
    std::vector<std::string> live = outer;
    // Chooses inner values more often than outer ones, as in networks.
    for (int copy = 0; copy < 4; ++copy)
      live.insert(live.end(), {x, y});
    if (!done.empty())
      text += done + " = func.call @flag(" + x + ") : (" + type + ") -> tensor<i32>\n";
    statements(live, depth + 1);
    if (!done.empty())
      text += "model.end_if " + done + " : tensor<i32>\n";
    text += "scf.yield " + *rc::gen::elementOf(live) + ", " + live.back() + " : " + type + ", " + type + "\n}\n";
  }

  std::string write() {
    std::vector<std::string> live = {"%n0", "%n1"};
    statements(live, 0);
    std::string first = live.back(), second = *rc::gen::elementOf(live);
    return "func.func @entry" + signature + "-> (" + type + shape + ", " + type + shape + ")" + attributes +
           "{\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n" +
           text + "return " + first + ", " + second + " : " + type + ", " + type + "\n}\n";
  }
};

std::string one(const std::string &result, const std::string &operand) {
  return result + " = func.call @one(" + operand + ") : (tensor<?x8xf32>) -> tensor<?x8xf32>\n";
}

std::string entry(const std::string &body) {
  return "func.func @entry" + signature + "-> (tensor<?x8xf32>" + shape + ")" + attributes +
         "{\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n" + body +
         "}\n";
}

} // namespace

TEST(PlanProperties, EveryValueIsWhereThePlanSays) {
  auto outcome = rc::check([] {
    ProgramWriter writer;
    std::string program = writer.write();
    Planned planned(program);
    RC_ASSERT(succeeded(planned.plan));
    EntryPlan &plan = *planned.plan;
    Machine machine(plan);
    RC_LOG() << program;
    RC_ASSERT(machine.fault == "");

    std::vector<int64_t> sizes = {*rc::gen::inRange<int64_t>(0, 5000), *rc::gen::inRange<int64_t>(1, 65)};
    for (const SlotMember &member : plan.members) {
      int64_t end = plan.offset(member.slot).evaluate(sizes) + member.storage.bytes.evaluate(sizes);
      RC_ASSERT(plan.offset(member.slot).evaluate(sizes) % arenaAlignment == 0);
      RC_ASSERT(end <= plan.offset(member.slot).evaluate(sizes) + plan.slots[member.slot].bytes.evaluate(sizes));
      RC_ASSERT(end <= plan.arenaBytes.evaluate(sizes));
    }
  });
  EXPECT_TRUE(outcome);
}

TEST(Plan, ChainInALoopNeedsTwoSlots) {
  Planned planned(entry(one("%x", "%n0") +
                        "%r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<?x8xf32> {\n" +
                        one("%a", "%y") + one("%b", "%a") + one("%c", "%b") +
                        "scf.yield %c : tensor<?x8xf32>\n}\nreturn %r : tensor<?x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  // The caller's buffer is one of the two, as the carried value is the result.
  EXPECT_EQ(planned.plan->slots.size(), 2u);
  EXPECT_TRUE(planned.plan->copies.empty());
}

/// A loop that stores `@one` of the carried value into a list, and reads the list in its body as `reads` specifies.
std::string keepingLoop(const std::string &reads) {
  return one("%x", "%n0") +
         "%b = tensor.dim %n0, %c0 : tensor<?x8xf32>\n%e = tensor.empty(%b) : tensor<4x?x8xf32>\n"
         "%r, %l = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x, %k = %e) -> (tensor<?x8xf32>, "
         "tensor<4x?x8xf32>) {\n" +
         one("%a", "%y") + reads + "%n = model.with_element %a into %k[%i] : tensor<?x8xf32> into tensor<4x?x8xf32>\n" +
         one("%c", "%a") +
         "scf.yield %c, %n : tensor<?x8xf32>, tensor<4x?x8xf32>\n}\n"
         "%last = model.element %l[%c1] : tensor<4x?x8xf32> -> tensor<?x8xf32>\n" +
         one("%z", "%last") + "return %z : tensor<?x8xf32>\n";
}

TEST(Plan, ElementIsComputedInItsList) {
  Planned planned(entry(keepingLoop("")));
  ASSERT_TRUE(succeeded(planned.plan));
  EXPECT_EQ(planned.plan->elements.size(), 1u);
}

TEST(Plan, ElementIsComputedInAListOfADynamicLength) {
  Planned planned(entry("%b = tensor.dim %n0, %c0 : tensor<?x8xf32>\n%e = tensor.empty(%b, %b) : tensor<?x?x8xf32>\n"
                        "%y, %l = scf.for %i = %c0 to %b step %c1 iter_args(%h = %n0, %k = %e) -> (tensor<?x8xf32>, "
                        "tensor<?x?x8xf32>) {\n%last = arith.subi %b, %c1 : index\n"
                        "%place = arith.subi %last, %i : index\n" +
                        one("%a", "%h") +
                        "%n = model.with_element %a into %k[%place] : tensor<?x8xf32> into tensor<?x?x8xf32>\n" +
                        one("%c", "%a") +
                        "scf.yield %c, %n : tensor<?x8xf32>, tensor<?x?x8xf32>\n}\n"
                        "%z = model.element %l[%c0] : tensor<?x?x8xf32> -> tensor<?x8xf32>\n" +
                        one("%r", "%z") + "return %r : tensor<?x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  EXPECT_EQ(planned.plan->elements.size(), 1u);
}

TEST(Plan, ElementOfAListThatIsReadIsCopied) {
  Planned planned(
      entry(keepingLoop("%old = model.element %k[%c1] : tensor<4x?x8xf32> -> tensor<?x8xf32>\n" + one("%o", "%old"))));
  ASSERT_TRUE(succeeded(planned.plan));
  EXPECT_TRUE(planned.plan->elements.empty());
}

TEST(Plan, ResultIsComputedInTheCallersBuffer) {
  Planned planned(entry(one("%x", "%n0") + one("%y", "%x") + "return %y : tensor<?x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  EXPECT_EQ(planned.plan->slots.size(), 1u);
  EXPECT_EQ(planned.plan->arenaBytes, (SizeExpr::symbol(0) * 32).alignTo(64));
}

TEST(Plan, DyingOperandIsWrittenOver) {
  Planned planned(entry(one("%x", "%n0") +
                        "%y = func.call @over(%x, %n1) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>\n"
                        "return %y : tensor<?x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  EXPECT_TRUE(planned.plan->slots.empty());
}

TEST(Plan, InputIsNeverWrittenOver) {
  Planned planned(entry("%y = func.call @over(%n0, %n1) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>\n"
                        "%r = scf.for %i = %c0 to %c4 step %c1 iter_args(%z = %n0) -> tensor<?x8xf32> {\n"
                        "%a = func.call @over(%z, %y) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>\n"
                        "scf.yield %a : tensor<?x8xf32>\n}\nreturn %r : tensor<?x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  EXPECT_EQ(Machine(*planned.plan).fault, "");
  EXPECT_EQ(planned.plan->slots.size(), 1u); // for %y; %z and %a use the caller's buffer
  EXPECT_EQ(planned.plan->copies.size(), 1u);
}

TEST(Plan, SwappedCarriedValuesGoThroughAThirdPlace) {
  Planned planned(entry(one("%x", "%n0") + one("%y", "%n1") +
                        "%r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?x8xf32>, "
                        "tensor<?x8xf32>) {\nscf.yield %b, %a : tensor<?x8xf32>, tensor<?x8xf32>\n}\n"
                        "return %r#0 : tensor<?x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  EXPECT_EQ(Machine(*planned.plan).fault, "");
}

/// An entry point with a ring, to which `body` appends.
static std::string keepingEntry(const std::string &body) {
  return R"(
  func.func @entry(%x: tensor<?x8xf32> {model.shape = ["batch", "8"]}, %length: tensor<i32> {model.shape = []},
                   %count: tensor<i32> {model.shape = []}, %ring: tensor<4x8xf32> {model.shape = ["4", "8"], model.state})
      -> (tensor<?x8xf32> {model.shape = ["batch", "8"]}, tensor<4x8xf32> {model.shape = ["4", "8"], model.state})
      attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>]} {
)" + body +
         "}\n";
}

static const std::string appended = R"(
    %r = model.append %x to %ring at %length count %count : tensor<i32> along 0 ring
        : tensor<?x8xf32> to tensor<4x8xf32> at tensor<i32>
)";

TEST(Plan, StatesAreAppendedToInTheCallersMemory) {
  Planned planned(keepingEntry(one("%y", "%x") + appended + "return %y, %r : tensor<?x8xf32>, tensor<4x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  auto append = *planned.plan->entry.getOps<mlir::model::AppendOp>().begin();
  EXPECT_EQ(planned.plan->location(append).kind, ValueLocation::Kind::Input);
  EXPECT_EQ(planned.plan->location(append).number, 3u);
  EXPECT_TRUE(planned.plan->copies.empty());
  EXPECT_TRUE(planned.plan->slots.empty());
}

TEST(Plan, StatesThatAreReadAsTheyWereAreRefused) {
  Planned planned(keepingEntry(appended + R"(
    %c0 = arith.constant 0 : index
    %s = tensor.cast %ring : tensor<4x8xf32> to tensor<?x8xf32>
)" + one("%y", "%s") + "return %y, %r : tensor<?x8xf32>, tensor<4x8xf32>\n"));
  EXPECT_TRUE(failed(planned.plan));
}

TEST(Plan, ScratchCountsWorkers) {
  Planned planned(entry("%x:2 = func.call @scratch(%n0, %n1) : (tensor<?x8xf32>, tensor<?x8xf32>) -> "
                        "(tensor<?x8xf32>, tensor<?x8xf32>)\nreturn %x#0 : tensor<?x8xf32>\n"));
  ASSERT_TRUE(succeeded(planned.plan));
  SizeExpr batch = SizeExpr::symbol(0), workers = SizeExpr::symbol(1);
  EXPECT_EQ(planned.plan->arenaBytes, workers * 128 + (batch * 32).alignTo(64) + (batch * 4 + 20).alignTo(64));
}

TEST(Plan, UnknownSizeIsReported) {
  Planned planned("func.func @entry(%n0: tensor<?x8xf32>) attributes {model.entry} { return }");
  EXPECT_TRUE(failed(planned.plan));
}
