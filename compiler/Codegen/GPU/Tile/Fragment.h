//===- Fragment.h - matrices in the registers of a warp -----------------------------------------------------------===//
//
// A tensor core multiplies what the lanes of a warp have together: D[16 x 8] += A[16 x k] * B[k x 8]. Here k is 16 for
// elements of 16 bits and 8 for tf32, and sums are f32. With g = lane / 4 and t = lane % 4, and p the elements of a
// register (two neighbours along k, or one of tf32), the registers of a lane hold
//
//   A   0: row g,     k = p*t ..       B   0: k = p*t ..,         column g      D   0, 1: row g,     columns 2t, 2t + 1
//       1: row g + 8, k = p*t ..           1: k = p*t + k/2 ..                      2, 3: row g + 8, columns 2t, 2t + 1
//       2: row g,     k = p*t + k/2 ..
//       3: row g + 8, k = p*t + k/2 ..
//
// So A is four squares of 8 rows and 16 bytes, and B two. ldmatrix reads four squares at once, each one unit of eight
// rows of a SharedTile. What lies the other way around, k along the rows, it can turn where elements have 16 bits;
// words are read one by one (TurnedWords).
//
// The registers of D, rounded to 16 bits in pairs, are those of A for a product with D on the left. Where they are
// words, those of a square are A with the columns in another order: k = t is column 2t, and k = t + 4 column 2t + 1.
// B has to have its rows in the same order then.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/SharedTile.h"
#include <array>
#include <optional>

namespace attnc {

/// Of elements in memory. F32: all of their bits count, though products are those of tf32 (Factor.h).
enum class MatrixType { F16, BF16, TF32, F32 };

/// What tensor cores take elements of 16 bits as; nothing where they do not.
std::optional<MatrixType> matrixTypeOf(mlir::Type stored);
int64_t elementBytes(MatrixType type);
inline bool areWords(MatrixType type) { return elementBytes(type) == 4; }
/// The depth of one product: k.
inline int64_t productDepth(MatrixType type) { return 2 * unitBytes / elementBytes(type); }
inline constexpr int64_t productRows = 16, productColumns = 8;

using FragmentA = std::array<mlir::Value, 4>; ///< i32
using FragmentB = std::array<mlir::Value, 2>; ///< i32
using FragmentD = std::array<mlir::Value, 4>; ///< f32

/// d + a * b, one instruction: words are numbers of tf32.
FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const FragmentB &b, const FragmentD &d);
FragmentD zeroFragment(TileBuilder &tiles);
/// Two sums as a register of A or B: `low` is the one of the smaller k.
mlir::Value packPair(TileBuilder &tiles, MatrixType type, mlir::Value low, mlir::Value high);
/// f32 in a register, rounded to tf32, which the instruction would cut off.
mlir::Value roundToTf32(TileBuilder &tiles, mlir::Value word);

/// Where element 0 of this lane's registers of D lies; the others are at (row + e / 2 * 8, column + e % 2).
struct FragmentPlace {
  mlir::Value row, column; ///< i32
};
FragmentPlace placeInFragment(TileBuilder &tiles, mlir::Value lane);

/// Where a warp's part of a tile begins (i32, or null for 0): a multiple of 8 rows; a multiple of 8 units, or of a
/// power of two that is greater than all units that are asked for.
struct PartStart {
  mlir::Value row, unit;
};

/// A place in the part of a tile, the same in any eight rows of it: (row, unit) from where the eight rows begin.
class TilePlace {
public:
  TilePlace(TileBuilder &tiles, const SharedTile &tile, const PartStart &start, mlir::Value row, mlir::Value unit);
  /// In the stage at `stage`, from (row, unit) on, a multiple of 8, and of what the place's unit is below.
  mlir::Value pointer(TileBuilder &tiles, mlir::Value stage, int64_t row, int64_t unit) const;

private:
  const SharedTile tile;
  mlir::Value rowPlace, exchanged; ///< bytes; a unit
};

/// Reads fragments from a tile, all lanes of a warp together.
class FragmentReader {
public:
  enum class Matrix {
    A,    ///< 16 rows
    B,    ///< 16 columns, the first two registers for the left 8 of them
    DeepB ///< 8 columns and twice the depth, the first two registers for the first half of it
  };
  /// `columnsAreDepth`: k runs along the tile's rows in memory, as it does for DeepB; else along its columns, and is
  /// turned while it is read.
  FragmentReader(TileBuilder &tiles, const SharedTile &tile, Matrix matrix, bool columnsAreDepth, mlir::Value lane,
                 const PartStart &start);

  /// Four squares of the stage at `stage`, from (row, unit) on: a multiple of 8, and of 2 or, for DeepB, of 4.
  std::array<mlir::Value, 4> read(mlir::Value stage, int64_t row, int64_t unit);

private:
  TileBuilder &tiles;
  const SharedTile tile;
  bool isTurned;
  TilePlace place;
};

/// Reads B from a tile of words whose rows are k, in the order of a left matrix that was D. Where rows are a multiple
/// of 128 bytes, the lanes of a warp read from all banks.
class TurnedWords {
public:
  TurnedWords(TileBuilder &tiles, const SharedTile &tile, mlir::Value lane, const PartStart &start);
  /// Eight rows and eight columns of the stage at `stage`, from (row, unit) on, a multiple of 8 and of 2.
  FragmentB read(mlir::Value stage, int64_t row, int64_t unit);

private:
  TileBuilder &tiles;
  const SharedTile tile;
  mlir::Value wordPlace; ///< bytes in a unit
  std::array<TilePlace, 2> places;
};

} // namespace attnc
