//===- Fragment.h - matrix fragments in the registers of a warp (mma.sync, ldmatrix) ------------------------------===//
//
// The 32 lanes of a warp together compute D[16 x 8] += A[16 x k] * B[k x 8] on the tensor core (mma.sync). The depth k
// is 16 for 16-bit elements and 8 for tf32. The sums D are f32. Each lane holds a few elements of A, B and D, its part
// of the three fragments. Let g = lane / 4, t = lane % 4, and p = the number of elements of a 32-bit register of A or B
// (two neighbours along the depth, or one tf32). The registers of a lane hold
//
//   A   0: row g,     k = p*t ..       B   0: k = p*t ..,         column g      D   0, 1: row g,     columns 2t, 2t + 1
//       1: row g + 8, k = p*t ..           1: k = p*t + k/2 ..                      2, 3: row g + 8, columns 2t, 2t + 1
//       2: row g,     k = p*t + k/2 ..
//       3: row g + 8, k = p*t + k/2 ..
//
// The unit of ldmatrix is called an 8x8 matrix: eight rows of 16 bytes. A consists of four 8x8 matrices, and B of two.
// One ldmatrix reads four 8x8 matrices, each of which is the same 16-byte vector of eight rows of a SharedTile. A tile
// of B may have a row for each column of B (then a row runs along the depth) or a row for each k. In the second case
// ldmatrix transposes 16-bit elements; 32-bit elements are read one by one (TransposedReader).
//
// Attention multiplies a D further, as the left operand A of a second product. The registers of two neighbouring D,
// rounded to 16 bits in pairs, are a fragment of A. For 32-bit elements, the registers of one D are a fragment of A
// with permuted columns: k = t is column 2t, and k = t + 4 is column 2t + 1. The rows of B must then be permuted in the
// same way.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/SharedTile.h"
#include <array>
#include <optional>

namespace attnc {

/// Type of the operands of a product. TF32: f32 in memory, rounded to tf32 when read. F32: f32 in memory, with full f32
/// accuracy by three tf32 products (OperandFragment.h).
enum class MatrixType { F16, BF16, TF32, F32 };

/// F16 or BF16 if `stored` is f16 or bf16; null for other types.
std::optional<MatrixType> matrixTypeOf(mlir::Type stored);
int64_t elementBytes(MatrixType type); ///< bytes of an element in memory: 2 or 4
inline bool is32Bit(MatrixType type) { return elementBytes(type) == 4; }
/// Depth k of one product: 16 or 8.
inline int64_t productDepth(MatrixType type) { return 2 * vectorBytes / elementBytes(type); }
/// Rows of A and D, and columns of B and D, of one product.
inline constexpr int64_t productRows = 16, productColumns = 8;

// The registers of a lane, in the order above.
using FragmentA = std::array<mlir::Value, 4>; ///< i32: two 16-bit elements, or one tf32
using FragmentB = std::array<mlir::Value, 2>; ///< i32, as FragmentA
using FragmentD = std::array<mlir::Value, 4>; ///< f32

// All functions below emit code for the executing lane. Where a function emits mma.sync or ldmatrix, all lanes of the
// warp must execute the code together.

/// d + a * b by one mma.sync. For TF32 and F32 the registers of `a` and `b` are already rounded to tf32.
FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const FragmentB &b, const FragmentD &d);
FragmentD zeroFragment(TileBuilder &tiles);
/// Rounds two f32 to F16 or BF16, whichever `type` is, and packs them into a register of A or B (i32); `low` has the
/// smaller k.
mlir::Value packPair(TileBuilder &tiles, MatrixType type, mlir::Value low, mlir::Value high);
/// Rounds the f32 whose bits are `element` (i32) to the nearest tf32, and returns its bits (i32). mma.sync itself would
/// truncate.
mlir::Value roundToTf32(TileBuilder &tiles, mlir::Value element);

/// Coordinates in D of register 0 of a lane; register e is at (row + e / 2 * 8, column + e % 2).
struct FragmentPosition {
  mlir::Value row, column; ///< i32
};
/// The position of lane number `lane` (i32).
FragmentPosition fragmentPosition(TileBuilder &tiles, mlir::Value lane);

/// Origin of a warp's part of a tile: numbers of a row and of a 16-byte vector of it (i32, the same in all lanes; null
/// for 0). `row` is a multiple of 8; `vector` is a multiple of 8, or of a power of two above all vector numbers that
/// the constructor and pointer() of TileAddress receive. If the tile has several panels, `vector` is null.
struct WarpTileStart {
  mlir::Value row, vector;
};

/// Address of a 16-byte vector in a warp's part of a tile. The vector's coordinates are the sum of three: `start`; a
/// (row, vector) that varies over the lanes, of the constructor (i32); and a constant (row, vector) of pointer(). The
/// swizzle is computed once, in the constructor.
class TileAddress {
public:
  TileAddress(TileBuilder &tiles, const SharedTile &tile, const WarpTileStart &start, mlir::Value row,
              mlir::Value vector);
  /// !llvm.ptr<3> into the stage at offset `stage` (i32, SharedTile::stageOffset). `row` is a multiple of 8; `vector`
  /// is a multiple of a power of two above the vector numbers that the constructor received.
  mlir::Value pointer(TileBuilder &tiles, mlir::Value stage, int64_t row, int64_t vector) const;

private:
  const SharedTile tile;
  mlir::Value rowOffset, swizzledVector; ///< i32: in bytes; a vector number
};

/// Reads fragments from a tile by ldmatrix. 32-bit elements are read as they are in memory, and require
/// `columnsAreDepth`. `tiles` outlives the object.
class FragmentReader {
public:
  /// The content of the four registers that a read returns.
  enum class Matrix {
    A,    ///< 16 rows of A: a FragmentA
    B,    ///< 16 columns of B: two FragmentB, for the first and the last 8 columns
    DeepB ///< 8 columns of B and twice the depth k: two FragmentB, for the first and the second half of the depth
  };
  /// `columnsAreDepth`: a column of the tile is a k, and a row is a row of A or a column of B; DeepB requires it.
  /// Otherwise a row of the tile is a k, and the read transposes. `lane` (i32) is the thread's number in its warp.
  FragmentReader(TileBuilder &tiles, const SharedTile &tile, Matrix matrix, bool columnsAreDepth, mlir::Value lane,
                 const WarpTileStart &start);

  /// The four registers (i32) of this lane, for four 8x8 matrices of the stage at offset `stage` (i32,
  /// SharedTile::stageOffset). The first of them starts at (row, vector) of the warp's part: `row` is a multiple of 8,
  /// `vector` of 2 or, for DeepB, of 4.
  std::array<mlir::Value, 4> read(mlir::Value stage, int64_t row, int64_t vector);

private:
  TileBuilder &tiles;
  const SharedTile tile;
  bool isTransposed;
  TileAddress address;
};

/// Reads B by ordinary loads from a tile of 32-bit elements that has a row for each k. The depth is permuted to match
/// an A whose registers were a D: k = t is row 2t, and k = t + 4 is row 2t + 1. If rows are a multiple of 128 bytes,
/// the lanes of a warp read from distinct banks. `tiles` outlives the object.
class TransposedReader {
public:
  /// `lane` (i32) is the thread's number in its warp.
  TransposedReader(TileBuilder &tiles, const SharedTile &tile, mlir::Value lane, const WarpTileStart &start);
  /// The fragment for eight rows and eight columns of the stage at offset `stage` (i32), from (row, vector) of the
  /// warp's part on, multiples of 8 and of 2.
  FragmentB read(mlir::Value stage, int64_t row, int64_t vector);

private:
  TileBuilder &tiles;
  const SharedTile tile;
  mlir::Value elementOffset; ///< bytes in a 16-byte vector
  std::array<TileAddress, 2> addresses;
};

} // namespace attnc
