//===- Fragment.h - matrix fragments in the registers of a warp (mma.sync, ldmatrix) ------------------------------===//
//
// The lanes of a warp together compute D[16 x 8] += A[16 x k] * B[k x 8] on the tensor core (mma.sync), with k = 16 for
// 16-bit elements and k = 8 for tf32. Sums are f32. Let g = lane / 4, t = lane % 4, and p = elements of a register (two
// neighbours along k, or one tf32). The registers of a lane hold
//
//   A   0: row g,     k = p*t ..       B   0: k = p*t ..,         column g      D   0, 1: row g,     columns 2t, 2t + 1
//       1: row g + 8, k = p*t ..           1: k = p*t + k/2 ..                      2, 3: row g + 8, columns 2t, 2t + 1
//       2: row g,     k = p*t + k/2 ..
//       3: row g + 8, k = p*t + k/2 ..
//
// So A consists of four 8x8 matrices (8 rows of 16 bytes), and B of two. One ldmatrix reads four 8x8 matrices, each of
// which is one 16-byte vector of eight rows of a SharedTile. If k runs along the columns of the tile, ldmatrix
// transposes 16-bit elements; 32-bit elements are read one by one (TransposedReader).
//
// The registers of D, rounded to 16 bits in pairs, are a fragment of A for a product with D on the left. For 32-bit
// elements they are a fragment of A with permuted columns: k = t is column 2t, and k = t + 4 is column 2t + 1. The rows
// of B must be permuted in the same way.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/SharedTile.h"
#include <array>
#include <optional>

namespace attnc {

/// Type of elements in memory. F32: full f32 accuracy by three tf32 products (OperandFragment.h).
enum class MatrixType { F16, BF16, TF32, F32 };

/// The tensor-core type of 16-bit elements; null for other types.
std::optional<MatrixType> matrixTypeOf(mlir::Type stored);
int64_t elementBytes(MatrixType type);
inline bool is32Bit(MatrixType type) { return elementBytes(type) == 4; }
/// Depth k of one product.
inline int64_t productDepth(MatrixType type) { return 2 * vectorBytes / elementBytes(type); }
inline constexpr int64_t productRows = 16, productColumns = 8;

using FragmentA = std::array<mlir::Value, 4>; ///< i32
using FragmentB = std::array<mlir::Value, 2>; ///< i32
using FragmentD = std::array<mlir::Value, 4>; ///< f32

/// d + a * b by one instruction; F32 operands are tf32 parts.
FragmentD multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const FragmentB &b, const FragmentD &d);
FragmentD zeroFragment(TileBuilder &tiles);
/// Packs two sums into a register of A or B; `low` has the smaller k.
mlir::Value packPair(TileBuilder &tiles, MatrixType type, mlir::Value low, mlir::Value high);
/// Rounds the f32 in a register (i32) to the nearest tf32; the instruction itself would truncate.
mlir::Value roundToTf32(TileBuilder &tiles, mlir::Value element);

/// Coordinates in D of element 0 of this lane's registers; element e is at (row + e / 2 * 8, column + e % 2).
struct FragmentPosition {
  mlir::Value row, column; ///< i32
};
FragmentPosition fragmentPosition(TileBuilder &tiles, mlir::Value lane);

/// Origin of a warp's part of a tile (i32; null for 0). `row` is a multiple of 8; `vector` is a multiple of 8, or of a
/// power of two above all vector numbers that are requested.
struct WarpTileStart {
  mlir::Value row, vector;
};

/// Address in a warp's part of a tile, relative to any group of eight rows: (row, vector) counts from their first one.
class TileAddress {
public:
  TileAddress(TileBuilder &tiles, const SharedTile &tile, const WarpTileStart &start, mlir::Value row,
              mlir::Value vector);
  /// Pointer into the stage at offset `stage`, moved by (row, vector). `row` is a multiple of 8; `vector` is a multiple
  /// of a power of two above the vector number of the constructor.
  mlir::Value pointer(TileBuilder &tiles, mlir::Value stage, int64_t row, int64_t vector) const;

private:
  const SharedTile tile;
  mlir::Value rowOffset, swizzledVector; ///< bytes; a vector number
};

/// Reads fragments from a tile; all lanes of a warp take part (ldmatrix).
class FragmentReader {
public:
  enum class Matrix {
    A,    ///< 16 rows
    B,    ///< 16 columns, the first two registers for the left 8 of them
    DeepB ///< 8 columns and twice the depth, the first two registers for the first half of it
  };
  /// `columnsAreDepth`: k runs along the tile's rows in memory, as DeepB requires. Otherwise k runs along its columns,
  /// and the read transposes.
  FragmentReader(TileBuilder &tiles, const SharedTile &tile, Matrix matrix, bool columnsAreDepth, mlir::Value lane,
                 const WarpTileStart &start);

  /// Four 8x8 matrices of the stage at offset `stage`, from (row, vector) on: `row` is a multiple of 8, `vector` of 2
  /// or, for DeepB, of 4.
  std::array<mlir::Value, 4> read(mlir::Value stage, int64_t row, int64_t vector);

private:
  TileBuilder &tiles;
  const SharedTile tile;
  bool isTransposed;
  TileAddress address;
};

/// Reads B from a tile of 32-bit elements whose rows are k, with k permuted to match an A that was a D. If rows are a
/// multiple of 128 bytes, the lanes of a warp read from distinct banks.
class TransposedReader {
public:
  TransposedReader(TileBuilder &tiles, const SharedTile &tile, mlir::Value lane, const WarpTileStart &start);
  /// Eight rows and eight columns of the stage at offset `stage`, from (row, vector) on, multiples of 8 and of 2.
  FragmentB read(mlir::Value stage, int64_t row, int64_t vector);

private:
  TileBuilder &tiles;
  const SharedTile tile;
  mlir::Value elementOffset; ///< bytes in a 16-byte vector
  std::array<TileAddress, 2> addresses;
};

} // namespace attnc
