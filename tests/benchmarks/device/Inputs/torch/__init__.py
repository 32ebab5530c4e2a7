"""A stub of PyTorch for peers.py, without a device: the flash backend rejects causal masks, and cuDNN's aborts."""
import contextlib
import time
from types import SimpleNamespace

from . import nn

__version__ = "of the test"
bfloat16 = "bf16"


class Tensor:
    def __init__(self, *shape):
        self.shape = shape

    def __getitem__(self, _):
        return Tensor(*self.shape[1:])

    def __matmul__(self, _):
        return self


def randn(*shape, device, dtype):
    return Tensor(*shape)


cuda = SimpleNamespace(is_available=lambda: True, set_device=lambda number: None, synchronize=lambda: time.sleep(0.1),
                       empty_cache=lambda: None, CUDAGraph=lambda: SimpleNamespace(replay=lambda: None),
                       graph=lambda graph: contextlib.nullcontext())
