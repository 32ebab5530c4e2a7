"""Writes the .npy files of tests of `--input`: samples and tables for tables.attn, some of them with wrong shapes."""
import random
import struct


def write(path, dtype, shape, values):
    code = {"<f4": "f", "<i4": "i"}[dtype]
    header = repr({"descr": dtype, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{code}", *values)
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def draw(count):
    return [random.gauss(0, 1) for _ in range(count)]


random.seed(1)
write("x.npy", "<f4", [40, 3], draw(120))
write("weights.npy", "<f4", [4], [1, 2, 3, 4])
write("keys.npy", "<f4", [5, 3], draw(15))
write("labels.npy", "<i4", [5], [1, 2, 3, 0, 1])
write("wide.npy", "<f4", [5, 4], draw(20))
write("six.npy", "<i4", [6], [0, 1, 2, 3, 0, 1])
write("outside.npy", "<i4", [5], [1, 2, 4, 0, 1])
write("batch.npy", "<f4", [8, 3], draw(24))
