import contextlib
from types import SimpleNamespace

SDPBackend = SimpleNamespace(FLASH_ATTENTION="flash", CUDNN_ATTENTION="cudnn")
chosen = []


@contextlib.contextmanager
def sdpa_kernel(backend):
    chosen.append(backend)
    yield
    chosen.pop()
