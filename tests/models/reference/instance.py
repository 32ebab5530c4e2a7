"""Random instances of published architectures: configuration, tensors and inputs."""
import dataclasses
import zlib

import numpy as np

from . import safetensors

TORCH_NAMES = {"f32": "float32", "bf16": "bfloat16"}
STORED = {"f32": "F32", "bf16": "BF16"}


@dataclasses.dataclass
class Instance:
    """A small model as it would be published, and the changes of its configuration that its outputs show."""
    config: dict
    tensors: dict  # values after rounding to the stored type, as float64
    dtypes: dict  # stored type of each tensor
    inputs: dict
    features: dict  # name of a part -> changes of the configuration that leave the part out
    neutral: dict  # name of a tensor -> value that leaves the tensor out
    ignored: set  # names of tensors that a network does not read
    invisible: set  # names of tensors that cancel out: biases of keys whose scores have no positions


class Draw:
    """Draws the tensors of an instance. A stream of RandomState is the same in all versions of NumPy."""

    def __init__(self, variant, seed=0, dtype="f32"):
        self.random = np.random.RandomState((zlib.crc32(variant.encode()) + seed) % 2 ** 32)
        self.dtype, self.torch_dtype = STORED[dtype], TORCH_NAMES[dtype]
        self.tensors, self.dtypes, self.neutral = {}, {}, {}
        self.ignored, self.invisible = set(), set()

    def normal(self, name, shape, std=1.0, mean=0.0, neutral=0.0, dtype=None):
        self.store(name, mean + std * self.random.standard_normal(shape), dtype)
        self.neutral[name] = neutral

    def store(self, name, values, dtype=None):
        self.dtypes[name] = dtype or self.dtype
        self.tensors[name] = safetensors.round_to(values, self.dtypes[name])

    def ignore(self, name, values, dtype=None):
        """A tensor of published files that the network does not read."""
        self.store(name, np.asarray(values), dtype)
        self.ignored.add(name)

    def linear(self, name, rows, columns, gain=1.0, bias=0.0):
        """Inputs of order 1 give outputs of order `gain`. `bias` is the standard deviation of the bias, 0 for none."""
        self.normal(name + ".weight", (rows, columns), gain / columns ** 0.5)
        if bias:
            self.normal(name + ".bias", rows, bias)

    def quantise(self, name):
        """Stores the weight of a name as float8, with the largest of each block of 128 x 128 at 448."""
        weight = self.tensors[name + ".weight"]
        blocks = [range(0, size, 128) for size in weight.shape]
        factors = np.array([[np.max(np.abs(weight[row:row + 128, column:column + 128])) / 448 for column in blocks[1]]
                            for row in blocks[0]])
        self.store(name + ".weight_scale_inv", factors, "F32")
        spread = np.repeat(np.repeat(self.tensors[name + ".weight_scale_inv"], 128, axis=0), 128, axis=1)
        self.store(name + ".weight", weight / spread[:weight.shape[0], :weight.shape[1]], "F8_E4M3")
        self.neutral[name + ".weight_scale_inv"] = 1.0

    def norm(self, name, size, mean=1.0, bias=0.0, neutral=1.0):
        """The weight of a norm. A norm that multiplies by 1 + weight has the mean and the neutral value 0."""
        self.normal(name + ".weight", size, 0.3 * max(1.0, mean), mean, neutral)
        if bias:
            self.normal(name + ".bias", size, bias)

    def tokens(self, vocab, batch=2, length=23):
        return self.random.randint(0, vocab, (batch, length)).astype(np.int32)

    def config(self, architecture, kind, version, **keys):
        """A configuration as a version of the library writes it. Files since version 4.56 name the type `dtype`."""
        is_new = tuple(int(part) for part in version.split(".")[:2]) >= (4, 56)
        return {"architectures": [architecture], "model_type": kind, "transformers_version": version,
                "dtype" if is_new else "torch_dtype": self.torch_dtype, **keys}

    def instance(self, config, inputs, features):
        return Instance(config, self.tensors, self.dtypes, inputs, features, self.neutral, self.ignored,
                        self.invisible)


class Weights:
    """Tensors below a prefix. Notes which ones are read."""

    def __init__(self, tensors, prefix="", read=None):
        self.tensors, self.prefix = tensors, prefix
        self.read = set() if read is None else read

    def __getitem__(self, name):
        self.read.add(self.prefix + name)
        return self.tensors[self.prefix + name]

    def under(self, prefix):
        return Weights(self.tensors, self.prefix + prefix, self.read)

    def weight(self, name):
        """The weight of a name. float8 files have a factor for each block of 128 x 128."""
        weight = self[name + ".weight"]
        if self.prefix + name + ".weight_scale_inv" not in self.tensors:
            return weight
        factors = np.repeat(np.repeat(self[name + ".weight_scale_inv"], 128, axis=0), 128, axis=1)
        return weight * factors[:weight.shape[0], :weight.shape[1]]

    def linear(self, x, name, bias=False):
        """x weight^T + bias"""
        y = x @ self.weight(name).T
        return y + self[name + ".bias"] if bias else y


def changed(config, changes):
    """A copy of a configuration with changes: `a.b` names key b of the dictionary a, `...` removes a key."""
    config = {key: dict(value) if isinstance(value, dict) else value for key, value in config.items()}
    for path, value in changes.items():
        *outer, key = path.split(".")
        target = config
        for name in outer:
            target[name] = dict(target[name])
            target = target[name]
        target[key] = value
        if value is ...:
            del target[key]
    return config
