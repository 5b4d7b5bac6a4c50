"""The names by which functions and variables are told to allocate, to guard, to be for DMA."""

import re
from typing import Final

# What hands out heap memory: the C libraries newlib, picolibc and glibc; what RTOSes and their
# chips' libraries call theirs, in the manuals of FreeRTOS, Zephyr, ESP-IDF, ThreadX, RT-Thread,
# ChibiOS, and of the allocators TLSF and umm_malloc.
ALLOCATORS: Final = frozenset(
    {
        "malloc",
        "calloc",
        "realloc",
        "memalign",
        "aligned_alloc",
        "posix_memalign",
        "_malloc_r",
        "_calloc_r",
        "_realloc_r",
        "_memalign_r",
        "pvPortMalloc",
        "pvPortCalloc",
        "k_malloc",
        "k_heap_alloc",
        "k_aligned_alloc",
        "heap_caps_malloc",
        "heap_caps_calloc",
        "multi_heap_malloc",
        "tx_byte_allocate",
        "_tx_byte_allocate",
        "rt_malloc",
        "chHeapAlloc",
        "chHeapAllocAligned",
        "tlsf_malloc",
        "umm_malloc",
    }
)
OPERATOR_NEW: Final = re.compile(r"_Zn[aw][jmy]\w*")  # Itanium C++ ABI: new, new[], their kin
SBRK: Final = frozenset({"sbrk", "_sbrk", "_sbrk_r"})

# Stack protectors, and the functions by which RTOSes and vendors' libraries set up an MPU region,
# a stack limit register or a watch below a stack.
GUARDS: Final = frozenset(
    {
        "__stack_chk_fail",
        "vApplicationStackOverflowHook",
        "HAL_MPU_ConfigRegion",
        "ARM_MPU_SetRegion",
        "z_arm_configure_static_mpu_regions",
        "z_arm_configure_dynamic_mpu_regions",
        "z_riscv_pmp_stackguard_enable",
        "vPortStoreTaskMPUSettings",
        "esp_set_watchpoint",
        "esp_cpu_set_watchpoint",
        "_tx_thread_stack_error_handler",
        "rt_hw_stack_guard_init",
        "__set_MSPLIM",
        "mpu_init",
    }
)

# State of the C library that is initialised and written: newlib's reent.c, locale.c, mallocr.c.
LIBRARY_STATE: Final = re.compile(r"_?impure_data\w*|__global_locale|__malloc_av_|__sf\w*")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BUFFERS: Final = frozenset({"buf", "buff", "buffer", "bufs", "buffers", "mem", "memory", "ring"})
_DIRECTIONS: Final = frozenset({"rx", "tx", "in", "out"})
_ABOUT: Final = frozenset(
    {"count", "idx", "index", "len", "length", "pos", "ptr", "size", "sizes", "used"}
)


def is_dma_buffer(name: str) -> bool:
    """Return whether a variable's name says that it is a buffer for DMA.

    >>> [is_dma_buffer(name) for name in ("adcDmaBuffer", "DMA_RX_Buf", "hdma_usart1_rx")]
    [True, True, False]
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if "dma" not in words or _ABOUT.intersection(words):
        return False
    words = [word for word in words if word not in _DIRECTIONS]
    at = words.index("dma")
    return bool(_BUFFERS.intersection(words[max(0, at - 1) : at + 2]))
