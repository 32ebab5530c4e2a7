from . import attention, functional
