#include "compiler/Codegen/Halide/AttendBitcode.h"
#include "compiler/Codegen/Halide/CompileModule.h"
#include "compiler/Codegen/Halide/Declarations.h"
#include "compiler/Codegen/Halide/Formulas.h"
#include <limits>

namespace attnc::halide {

namespace H = Halide;

using Exprs = std::vector<H::Expr>;
using Vars = std::vector<H::Var>;

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr float log2e = 1.4426950408889634f, ln2 = 0.6931471805599453f;
static constexpr int32_t bitsOfMinusInfinity = static_cast<int32_t>(0xff800000);

static H::Expr called(const char *name, const H::Expr &x) {
  return H::Internal::Call::make(H::Float(32), name, {x}, H::Internal::Call::PureExtern);
}

// Halide decides comparisons of floats as if there were no NaN: bits are compared.
static H::Expr bitsOf(const H::Expr &x) { return H::reinterpret<int32_t>(x); }
static H::Expr isDropped(const H::Expr &score) { return bitsOf(score) == bitsOfMinusInfinity; }
static H::Expr isNan(const H::Expr &x) { return (bitsOf(x) & 0x7fffffff) > 0x7f800000; }
/// What scores are compared with: a row that keeps nothing has no difference of infinities.
static H::Expr reference(const H::Expr &largest) { return H::select(isDropped(largest), 0.0f, largest); }

namespace {

/// A pair, where a Func is defined: its query in the tile, its key as Funcs have it and as a place in the range.
struct Pair {
  H::Expr query;
  Exprs keyArguments;
  H::Expr place;
};

class AttendCompiler {
public:
  AttendCompiler(const AttendPipeline &pipeline, const AttendTile &tile, const AttendVariant &variant,
                 unsigned arguments)
      : pipeline(pipeline), stage(pipeline.formulas), tile(tile), variant(variant) {
    for (unsigned number = 0; number < arguments; ++number)
      sizes.emplace_back("size" + std::to_string(number));
    for (unsigned loop = 0; loop < pipeline.outer; ++loop)
      firsts.emplace_back("first" + std::to_string(loop));
    addBuffers();
    int64_t last = sizeOf(pipeline.values.back());
    paddedValues = (last + tile.values - 1) / tile.values * tile.values;
    for (unsigned loop : pipeline.values)
      v.emplace_back("v" + std::to_string(loop));
  }

  H::Module compile(const H::Target &target, const std::string &symbol) {
    defineTiles();
    if (tile.form == AttendTile::Form::TwoPass)
      defineTwoPass();
    else
      defineOnline();
    defineResults();
    std::vector<H::Argument> arguments(buffers.begin(), buffers.end());
    for (const auto &parameters : {sizes, firsts, {firstKey, keys, queries}})
      arguments.insert(arguments.end(), parameters.begin(), parameters.end());
    return H::Pipeline(outputs).compile_to_module(arguments, symbol, target);
  }

private:
  //===---------------------------------------- formulas ----------------------------------------------------------===//

  int64_t sizeOf(unsigned loop) const { return stage.loops[loop].size.number; }

  H::Expr valueOf(const Size &size) const {
    H::Expr number = static_cast<int>(size.number);
    return size.isConstant() ? number : number + static_cast<int>(size.factor) * sizes[size.argument];
  }

  void addBuffers() {
    bufferOf.assign(stage.buffers.size(), -1);
    std::vector<bool> isOwn(stage.buffers.size(), false);
    for (const AttendPipeline::Tile &each : pipeline.tiles)
      isOwn[each.buffer] = true;
    for (const AttendPipeline::Product &each : pipeline.products)
      isOwn[each.buffer] = true;
    for (size_t number = 0; number < stage.buffers.size(); ++number) {
      if (isOwn[number])
        continue;
      const Buffer &buffer = stage.buffers[number];
      bufferOf[number] = static_cast<int>(buffers.size());
      buffers.emplace_back(typeOf(buffer.element), buffer.shape.size(), "operand" + std::to_string(number));
      H::Expr stride = 1;
      for (size_t dimension = 0; dimension < buffer.shape.size(); ++dimension) {
        H::Expr extent = valueOf(buffer.shape[buffer.shape.size() - 1 - dimension]);
        buffers.back().dim(dimension).set_bounds(0, extent).set_stride(stride);
        stride = stride * extent;
      }
    }
  }

  /// An element of an operand, of a copied row, or of a product.
  H::Expr load(unsigned buffer, const Exprs &subscripts, const Pair &pair) {
    if (bufferOf[buffer] >= 0)
      return buffers[bufferOf[buffer]](subscripts);
    for (size_t number = 0; number < pipeline.tiles.size(); ++number)
      if (pipeline.tiles[number].buffer == buffer) {
        Exprs at = {pair.query};
        at.insert(at.end(), subscripts.begin(), subscripts.end());
        return tiles[number](at);
      }
    for (size_t number = 0; number < pipeline.products.size(); ++number)
      if (pipeline.products[number].buffer == buffer)
        return products[number](ofPair(pair));
    return {};
  }

  static Exprs ofPair(const Pair &pair) {
    Exprs at = {pair.query};
    at.insert(at.end(), pair.keyArguments.begin(), pair.keyArguments.end());
    return at;
  }

  /// The formulas of a pair, at iterations of other loops. Queries and keys beyond the last one are the last one.
  Formulas formulas(const Pair &pair, const std::vector<std::pair<unsigned, H::Expr>> &others = {}) {
    Exprs iterations(stage.loops.size());
    for (unsigned loop = 0; loop < pipeline.outer; ++loop)
      iterations[loop] = firsts[loop];
    if (pair.query.defined()) {
      const Size &rows = stage.loops[pipeline.row].size;
      bool isWhole = rows.isConstant() && rows.number % tile.queries() == 0;
      H::Expr row = firsts[pipeline.row] + pair.query;
      iterations[pipeline.row] = isWhole ? row : H::min(row, valueOf(rows) - 1);
    }
    if (pair.place.defined())
      iterations[pipeline.key] = firstKey + H::min(pair.place, keys - 1);
    for (const auto &[loop, at] : others)
      iterations[loop] = at;
    return {stage, iterations, {sizes.begin(), sizes.end()}, [this, pair](unsigned buffer, const Exprs &at) {
              return load(buffer, at, pair);
            }};
  }

  /// To base two; -inf where the pair is dropped.
  H::Expr scoreOf(const Pair &pair) {
    Formulas of = formulas(pair);
    H::Expr score = of.valueOf(pipeline.score) * log2e;
    return pipeline.mask ? H::select(of.valueOf(*pipeline.mask), score, -infinity) : score;
  }

  H::Expr sinkOf(const H::Expr &query) { return formulas({query, {}, {}}).valueOf(*pipeline.sink) * log2e; }

  /// weight * value, for the element of the values that `at` is.
  H::Expr termOf(const Pair &pair, const H::Expr &weight, const H::Expr &score, const Exprs &at) {
    std::vector<std::pair<unsigned, H::Expr>> others;
    for (size_t number = 0; number < at.size(); ++number) {
      bool isPadded = number + 1 == at.size() && paddedValues != sizeOf(pipeline.values.back());
      H::Expr last = static_cast<int>(sizeOf(pipeline.values[number]) - 1);
      others.emplace_back(pipeline.values[number], isPadded ? H::min(at[number], last) : at[number]);
    }
    H::Expr term = weight * formulas(pair, others).valueOf(pipeline.value);
    return variant.addsKeptAlone ? H::select(isDropped(score), 0.0f, term) : term;
  }

  //===---------------------------------------- schedules ---------------------------------------------------------===//

  template <typename Definition> void vectorise(Definition &&definition, bool unrolls = true) {
    int lanes = static_cast<int>(tile.lanes);
    if (isVector(lanes))
      definition.vectorize(i, lanes);
    if (unrolls && tile.queries() > (isVector(lanes) ? lanes : 1))
      definition.unroll(i);
  }

  /// Kept on the stack, for all queries of the tile, also those that a mask drops: where sizes are constant, Halide
  /// knows which these are, and would begin with the first that is kept.
  void keep(H::Func &func) { func.store_in(H::MemoryType::Stack).bound(i, 0, static_cast<int>(tile.queries())); }

  void keepAtRoot(H::Func &func) {
    func.compute_root();
    keep(func);
    vectorise(func);
  }

  /// A fold whose definition keeps a register tile in registers while its loops run.
  void tileRegisters(H::Func &func, const H::Var &across, int64_t number, const std::vector<H::RVar> &summed) {
    keep(func);
    func.align_bounds(across, static_cast<int>(number)).bound_extent(across, static_cast<int>(number));
    vectorise(func);
    std::vector<H::VarOrRVar> order = {i, across};
    order.insert(order.end(), summed.begin(), summed.end());
    func.update().reorder(order);
    vectorise(func.update());
    func.unroll(across);
    func.update().unroll(across);
  }

  static std::vector<H::RVar> loopsOf(const H::RDom &domain) {
    std::vector<H::RVar> loops;
    for (int dimension = 0; dimension < domain.dimensions(); ++dimension)
      loops.push_back(domain[dimension]);
    return loops;
  }

  //===---------------------------------------- what both forms have ----------------------------------------------===//

  void defineTiles() {
    for (const AttendPipeline::Tile &each : pipeline.tiles) {
      Vars features;
      std::vector<std::pair<unsigned, H::Expr>> others;
      for (unsigned loop : each.features) {
        features.insert(features.begin(), H::Var("d" + std::to_string(loop)));
        others.emplace_back(loop, features.front());
      }
      Vars all = {i};
      all.insert(all.end(), features.begin(), features.end());
      H::Func copy("tile" + std::to_string(each.buffer));
      copy(all) = formulas({i, {}, {}}, others).valueOf(each.value);
      copy.compute_root();
      keep(copy);
      std::vector<H::VarOrRVar> order(features.begin(), features.end()); // as operands lie
      order.emplace_back(i);
      copy.reorder(order);
      for (size_t number = 0; number < features.size(); ++number)
        copy.bound(features[number], 0, static_cast<int>(sizeOf(each.features[features.size() - 1 - number])));
      tiles.push_back(copy);
    }
  }

  /// The products and scores of pairs, of which `key` is the loop over the keys of a block. Computed a register tile of
  /// keys at a time.
  H::Func defineScores(const Vars &keyVars, const H::Expr &place) {
    Pair pair{i, Exprs(keyVars.begin(), keyVars.end()), place};
    Vars all = {i};
    all.insert(all.end(), keyVars.begin(), keyVars.end());
    for (const AttendPipeline::Product &each : pipeline.products)
      products.push_back(defineProduct(each, pair, all));
    H::Func scores("scores");
    H::Expr score = scoreOf(pair);
    scores(all) = tile.form == AttendTile::Form::Online ? H::select(place < keys, score, -infinity) : score;
    H::Var outer("tiles_of_keys"), inner("keys_of_tile");
    scores.split(keyVars[0], outer, inner, static_cast<int>(tile.keys), H::TailStrategy::RoundUp);
    std::vector<H::VarOrRVar> order = {i, inner, outer};
    order.insert(order.end(), keyVars.begin() + 1, keyVars.end());
    scores.reorder(order);
    vectorise(scores);
    scores.unroll(inner);
    for (size_t number = 0; number < products.size(); ++number) {
      products[number].compute_at(scores, outer);
      tileRegisters(products[number], keyVars[0], tile.keys, featuresOfProducts[number]);
    }
    return scores;
  }

  H::Func defineProduct(const AttendPipeline::Product &product, const Pair &pair, const Vars &all) {
    H::Region region;
    for (size_t number = product.features.size(); number-- > 0;) // the last one innermost
      region.push_back({0, static_cast<int>(sizeOf(product.features[number]))});
    H::RDom features(region, "features" + std::to_string(product.buffer));
    std::vector<std::pair<unsigned, H::Expr>> others;
    for (size_t number = 0; number < product.features.size(); ++number)
      others.emplace_back(product.features[number], features[product.features.size() - 1 - number]);
    H::Func func("product" + std::to_string(product.buffer));
    constexpr float starts[] = {0, 1, infinity, -infinity}; // as Fold
    func(all) = starts[static_cast<int>(product.fold)];
    func(all) = folded(product.fold, func(all), formulas(pair, others).valueOf(product.term));
    featuresOfProducts.push_back(loopsOf(features));
    return func;
  }

  Vars withValues(const Vars &first, const Vars &behind = {}) const {
    Vars all = first;
    all.insert(all.end(), v.rbegin(), v.rend());
    all.insert(all.end(), behind.begin(), behind.end());
    return all;
  }
  Exprs valuesAt() const { return Exprs(v.begin(), v.end()); }

  /// Bounds of what has all values of the tile's queries.
  void boundValues(H::Func &func) {
    func.bound(v.back(), 0, static_cast<int>(paddedValues));
    for (size_t number = 0; number + 1 < v.size(); ++number)
      func.bound(v[number], 0, static_cast<int>(sizeOf(pipeline.values[number])));
  }

  //===---------------------------------------- two passes --------------------------------------------------------===//

  void defineTwoPass() {
    H::Func scores = defineScores({j}, j), weights("weights");
    H::RDom all(0, keys, "keys");
    largest(i) = pipeline.sink ? sinkOf(i) : H::Expr(-infinity);
    largest(i) = extremum(true, largest(i), scores(i, all));
    weights(i, j) = called(exp2Name, scores(i, j) - reference(largest(i)));
    sum(i) = pipeline.sink ? called(exp2Name, sinkOf(i) - reference(largest(i))) : H::Expr(0.0f);
    sum(i) += weights(i, all);
    for (H::Func *each : {&largest, &sum}) {
      keepAtRoot(*each);
      each->update().reorder(i, all);
      vectorise(each->update());
    }
    weights.reorder(i, j);
    vectorise(weights);
    defineSums(scores, weights);
    H::Expr queriesOfTile = static_cast<int>(tile.queries()), unit = static_cast<int>(tile.keys);
    for (H::Func *each : {&scores, &weights}) {
      H::OutputImageParam memory = each->output_buffer();
      each->bound(i, 0, queriesOfTile);
      memory.dim(0).set_bounds(0, queriesOfTile).set_stride(1);
      memory.dim(1).set_bounds(0, each == &scores ? (keys + unit - 1) / unit * unit : keys).set_stride(queriesOfTile);
      held.push_back(*each);
    }
  }

  void defineSums(const H::Func &scores, const H::Func &weights) {
    int block = static_cast<int>(tile.block);
    H::Var tiles("tiles_of_values"), inner("values_of_tile");
    H::RDom keysOfBlock(0, block, "keys_of_block"), blocks(0, (keys + block - 1) / block, "blocks");
    H::Expr key = b * block + keysOfBlock;
    keysOfBlock.where(key < keys);
    H::Func part("part");
    part(withValues({i}, {b})) = 0.0f;
    part(withValues({i}, {b})) += termOf({i, {key}, key}, weights(i, key), scores(i, key), valuesAt());
    Exprs at = {i};
    at.insert(at.end(), v.rbegin(), v.rend());
    at.emplace_back(blocks);
    total(withValues({i})) = 0.0f;
    total(withValues({i})) += part(at);
    keepAtRoot(total);
    boundValues(total);
    H::Stage sums = total.update();
    sums.split(v.back(), tiles, inner, static_cast<int>(tile.values), H::TailStrategy::RoundUp);
    std::vector<H::VarOrRVar> order = {i, inner, tiles};
    order.insert(order.end(), v.rbegin() + 1, v.rend());
    order.emplace_back(blocks);
    sums.reorder(order);
    vectorise(sums);
    sums.unroll(inner);
    part.compute_at(total, tiles);
    tileRegisters(part, v.back(), tile.values, loopsOf(keysOfBlock));
  }

  //===---------------------------------------- block by block ----------------------------------------------------===//

  void defineOnline() {
    int block = static_cast<int>(tile.block);
    H::RDom blocks(0, (keys + block - 1) / block, "blocks"), keysOfBlock(0, block, "keys_of_block");
    H::Func scores = defineScores({j, b}, b * block + j), weights("weights");
    H::Func blockLargest("block_largest"), blockSum("block_sum");
    blockLargest(i, b) = -infinity;
    blockLargest(i, b) = extremum(true, blockLargest(i, b), scores(i, keysOfBlock, b));
    weights(i, j, b) = called(exp2Name, scores(i, j, b) - reference(blockLargest(i, b)));
    blockSum(i, b) = 0.0f;
    blockSum(i, b) += weights(i, keysOfBlock, b);
    H::Func part = defineBlockSums(scores, weights, keysOfBlock),
            state = defineState(blockLargest, blockSum, part, blocks);
    for (H::Func *each : {&scores, &weights, &part, &blockLargest, &blockSum}) {
      each->compute_at(state, blocks[0]);
      keep(*each);
    }
    for (H::Func *each : {&scores, &weights})
      each->bound(j, 0, block);
    vectorise(weights);
    for (H::Func *each : {&blockLargest, &blockSum}) {
      vectorise(*each);
      each->update().reorder(i, keysOfBlock);
      vectorise(each->update());
    }
  }

  /// The sums of a block's values, by its weights.
  H::Func defineBlockSums(const H::Func &scores, const H::Func &weights, const H::RDom &keysOfBlock) {
    H::Func registers("registers"), part("part");
    Pair pair{i, {keysOfBlock, b}, b * static_cast<int>(tile.block) + keysOfBlock};
    Vars all = withValues({i}, {b});
    registers(all) = 0.0f;
    registers(all) += termOf(pair, weights(i, keysOfBlock, b), scores(i, keysOfBlock, b), valuesAt());
    part(all) = registers(all);
    H::Var tiles("tiles_of_values"), inner("values_of_tile");
    part.bound(v.back(), 0, static_cast<int>(paddedValues));
    part.split(v.back(), tiles, inner, static_cast<int>(tile.values), H::TailStrategy::RoundUp);
    std::vector<H::VarOrRVar> order = {i, inner, tiles};
    order.insert(order.end(), v.rbegin() + 1, v.rend());
    order.emplace_back(b);
    part.reorder(order);
    vectorise(part);
    part.unroll(inner);
    registers.compute_at(part, tiles);
    tileRegisters(registers, v.back(), tile.values, loopsOf(keysOfBlock));
    return part;
  }

  /// Sums of values, several columns with one largest score and one sum of weights, over blocks.
  H::Func defineState(const H::Func &blockLargest, const H::Func &blockSum, const H::Func &part,
                      const H::RDom &blocks) {
    constexpr int64_t wide = 16;
    const int columns = static_cast<int>(paddedValues % wide == 0 ? wide : tile.values);
    H::Var group("columns");
    Vars all = {i, group};
    all.insert(all.end(), v.rbegin() + 1, v.rend());
    Exprs start(columns, H::Expr(0.0f)), after;
    H::Expr sink = pipeline.sink ? sinkOf(i) : H::Expr();
    // Of the same tuple Halide 14 stores one element after the other: what the others depend on comes last.
    const int ofSum = columns, ofLargest = columns + 1;
    start.push_back(sink.defined() ? called(exp2Name, sink - reference(sink)) : H::Expr(0.0f));
    start.push_back(sink.defined() ? sink : H::Expr(-infinity));
    H::Func state("state");
    state(all) = H::Tuple(start);
    H::FuncRef old = state(all);
    H::Expr larger = extremum(true, old[ofLargest], blockLargest(i, blocks));
    H::Expr before = called(exp2Name, old[ofLargest] - reference(larger));
    H::Expr added = called(exp2Name, blockLargest(i, blocks) - reference(larger));
    for (int column = 0; column < columns; ++column) {
      Exprs at = {i, group * columns + column};
      at.insert(at.end(), v.rbegin() + 1, v.rend());
      at.emplace_back(blocks);
      after.push_back(old[column] * before + part(at) * added);
    }
    after.push_back(old[ofSum] * before + blockSum(i, blocks) * added);
    after.push_back(larger);
    state(all) = H::Tuple(after);
    keepAtRoot(state);
    state.bound(group, 0, static_cast<int>(paddedValues / columns));
    for (size_t number = 0; number + 1 < v.size(); ++number)
      state.bound(v[number], 0, static_cast<int>(sizeOf(pipeline.values[number])));
    std::vector<H::VarOrRVar> order(all.begin(), all.end());
    order.emplace_back(blocks);
    state.update().reorder(order);
    vectorise(state.update(), /*unrolls=*/false);
    readState(state, columns);
    return state;
  }

  void readState(const H::Func &state, int columns) {
    Exprs at = {i, v.back() / columns}, first = {i, 0}, values;
    at.insert(at.end(), v.rbegin() + 1, v.rend());
    first.resize(at.size(), 0);
    for (int column = 0; column < columns; ++column)
      values.push_back(H::FuncRef(state(at))[column]);
    total(withValues({i})) = H::mux(v.back() % columns, values);
    sum(i) = H::FuncRef(state(first))[columns];
    largest(i) = H::FuncRef(state(first))[columns + 1];
    for (H::Func *each : {&largest, &sum, &total})
      keepAtRoot(*each);
    boundValues(total);
    H::Var outer("columns_of_state"), inner("column");
    total.split(v.back(), outer, inner, columns, H::TailStrategy::RoundUp).unroll(inner);
  }

  //===---------------------------------------- results -----------------------------------------------------------===//

  void defineResults() {
    H::Func result("result"), found("found"), suspect("suspect");
    H::RDom queriesOfTile(0, static_cast<int>(tile.queries()), "queries_of_tile");
    H::Expr isEmpty = bitsOf(sum(i)) == 0;
    H::Func factor("factor");
    factor(i) = H::select(isEmpty, 0.0f, 1.0f / sum(i));
    keepAtRoot(factor);
    Vars ofResult(v.rbegin(), v.rend());
    ofResult.push_back(i);
    result(ofResult) = total(withValues({i})) * factor(i);
    H::OutputImageParam memory = result.output_buffer();
    if (!variant.isValueInnermost)
      memory.dim(0).set_stride(H::Expr());
    for (size_t number = 0; number < v.size(); ++number)
      memory.dim(v.size() - 1 - number).set_bounds(0, static_cast<int>(sizeOf(pipeline.values[number])));
    memory.dim(v.size()).set_bounds(0, queries);
    outputs.push_back(result);
    if (pipeline.yieldsLse) {
      H::Func lse("lse");
      lse(i) = H::select(isEmpty, -infinity, (called(log2Name, sum(i)) + largest(i)) * ln2);
      keepAtRoot(lse);
      H::Func stored("stored_lse");
      stored(i) = lse(i);
      stored.output_buffer().dim(0).set_bounds(0, queries).set_stride(H::Expr());
      outputs.push_back(stored);
    }
    defineSuspect(queriesOfTile);
    outputs.insert(outputs.end(), held.begin(), held.end());
  }

  void defineSuspect(const H::RDom &queriesOfTile) {
    H::Func found("found"), suspect("suspect");
    H::Region region;
    for (size_t number = v.size(); number-- > 0;)
      region.push_back({0, static_cast<int>(sizeOf(pipeline.values[number]))});
    H::RDom values(region, "values");
    Exprs at = {i};
    for (int dimension = 0; dimension < values.dimensions(); ++dimension)
      at.emplace_back(values[dimension]);
    found(i) = 0;
    found(i) = found(i) | H::cast<int32_t>(isNan(total(at)));
    keepAtRoot(found);
    std::vector<H::VarOrRVar> order = {i};
    for (const H::RVar &loop : loopsOf(values))
      order.emplace_back(loop);
    found.update().reorder(order);
    vectorise(found.update());
    suspect() = 0;
    suspect() = suspect() | found(queriesOfTile);
    outputs.push_back(suspect);
  }

  const AttendPipeline &pipeline;
  const Stage &stage;
  const AttendTile &tile;
  const AttendVariant &variant;
  std::vector<H::ImageParam> buffers;
  std::vector<int> bufferOf; ///< of each buffer of the pipeline its place in `buffers`, or -1
  std::vector<H::Param<int>> sizes, firsts;
  H::Param<int> firstKey{"first_key"}, keys{"keys"}, queries{"queries"};
  H::Var i{"i"}, j{"j"}, b{"b"}; ///< a query of the tile, a key, a block of keys
  Vars v;                        ///< of values, outermost first
  int64_t paddedValues = 0;
  std::vector<H::Func> tiles, products, outputs, held;
  std::vector<std::vector<H::RVar>> featuresOfProducts;
  H::Func largest{"largest"}, sum{"sum"}, total{"total"};
};

} // namespace

Bitcode compileAttend(const AttendPipeline &pipeline, const AttendTile &tile, const AttendVariant &variant,
                      const Machine &machine, unsigned arguments, const std::string &symbol) {
  std::vector<uint8_t> calls = declareCalls(pipeline.formulas, machine.lanes, {exp2Name, log2Name});
  return compileModule(machine, calls, symbol, [&](const H::Target &target) {
    return AttendCompiler(pipeline, tile, variant, arguments).compile(target, symbol);
  });
}

} // namespace attnc::halide
