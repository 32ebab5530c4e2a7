"""The safetensors format: a writer of whole and sharded checkpoints, and a reader.

A file is: 8 bytes, the little-endian length of the header; the header, JSON with the type, shape and byte range of each
tensor; the values, packed, row-major and little-endian. Byte ranges count from the end of the header.
"""
import json
import struct

import numpy as np

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "?",
         "F8_E4M3": "u1"}
SIZES = {name: np.dtype(code).itemsize for name, code in TYPES.items()}


def to_bf16(values):
    """The bits of values rounded to bfloat16, ties to even."""
    bits = np.asarray(values, np.float32, order="C").view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def float8_values():
    """The values of the 256 codes of E4M3: a sign, 4 bits of exponent biased by 7, 3 bits of fraction, no infinity."""
    code = np.arange(256)
    exponent, fraction = code >> 3 & 15, (code & 7) / 8
    size = np.where(exponent == 0, fraction * 2.0 ** -6, (1 + fraction) * 2.0 ** (exponent - 7.0))
    return np.where(code & 127 == 127, np.nan, np.where(code < 128, size, -size)).astype(np.float32)


def to_float8(values):
    """The nearest code of each value, of two equally near ones the even one, at most 448."""
    sizes = float8_values()[:127]
    middles = (sizes[1:] + sizes[:-1]) / 2
    size = np.abs(np.asarray(values, np.float32))
    code = np.searchsorted(middles, size)  # a middle belongs to the code below it
    is_middle = np.isin(size, middles) & (code % 2 == 1)
    return (code + is_middle + 128 * np.signbit(values)).astype(np.uint8)


def encode(values, dtype):
    """The bytes of an array in a type of the format."""
    if dtype in ("BF16", "F8_E4M3"):
        return (to_bf16 if dtype == "BF16" else to_float8)(values).tobytes()
    return np.asarray(values).astype(TYPES[dtype]).tobytes()


def decode(data, dtype, shape):
    values = np.frombuffer(data, TYPES[dtype])
    if dtype in ("BF16", "F8_E4M3"):
        values = from_bf16(values) if dtype == "BF16" else float8_values()[values]
    return values.reshape(shape)


def round_to(values, dtype):
    """Values as float64 (integers unchanged) after storage in a type of the format."""
    stored = decode(encode(values, dtype), dtype, np.shape(values))
    return stored.astype(np.float64) if stored.dtype.kind == "f" else stored


def write(path, tensors, dtypes):
    """Writes one file. Wide types come first and the header ends at a multiple of 8, so that values are aligned."""
    names = sorted(tensors, key=lambda name: (-SIZES[dtypes[name]], name))
    header, chunks, begin = {"__metadata__": {"format": "pt"}}, [], 0
    for name in names:
        chunks.append(encode(tensors[name], dtypes[name]))
        end = begin + len(chunks[-1])
        header[name] = {"dtype": dtypes[name], "shape": list(np.shape(tensors[name])), "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def write_shards(folder, tensors, dtypes, count):
    """Writes a checkpoint of `count` files. More than one file has an index from names of tensors to files."""
    if count == 1:
        write(folder / "model.safetensors", tensors, dtypes)
        return
    sizes = {name: np.size(value) * SIZES[dtypes[name]] for name, value in tensors.items()}
    total, before, shards = sum(sizes.values()), 0, [{} for _ in range(count)]
    for name, value in tensors.items():
        shards[min(before * count // total, count - 1)][name] = value
        before += sizes[name]
    files = [f"model-{number:05}-of-{count:05}.safetensors" for number in range(1, count + 1)]
    for file, shard in zip(files, shards):
        write(folder / file, shard, dtypes)
    places = {name: file for file, shard in zip(files, shards) for name in shard}
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(places.items()))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def read(path):
    """The tensors of one file, by name."""
    data = path.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: decode(data[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]],
                         entry["dtype"], entry["shape"]) for name, entry in header.items()}


def read_folder(folder):
    """The tensors of all files of a checkpoint, by name."""
    return {name: value for path in sorted(folder.glob("*.safetensors")) for name, value in read(path).items()}
