"""The names by which linker scripts, start-up code and RTOSes speak of stacks and heaps.

Source: the linker scripts and start-up files of the vendor or project that each convention is
named after. The order matters: of conventions that name the same bytes, the first one counts.
"""

import re
from dataclasses import dataclass
from typing import Final


def speaks(name: str) -> bool:
    """Return whether a name can be any of those below; the others are not looked at one by one.

    Written out, since an image has hundreds of thousands of names.
    """
    low = name.lower()
    return (
        "stack" in low
        or "heap" in low
        or "end" in low
        or "bss" in low
        or "pool" in low
        or "uninit" in low
        or "sysmem" in low
        or low.endswith("_sp")
    )


STACK, HEAP = "stack", "heap"
MAIN, CORE_0, C_LIBRARY = "main", "core 0", "C library"  # names that reports show


PICO_SDK: Final = "pico-sdk"  # conventions that others ask for


@dataclass(frozen=True, slots=True)
class Pair:
    """A reservation between two labels; the first name of each side that has a value counts."""

    convention: str
    kind: str
    name: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    elastic: bool = False


PAIRS: Final = (
    # pico-sdk before CMSIS: its __StackLimit is the heap's limit, in another bank.
    Pair(PICO_SDK, STACK, CORE_0, ("__StackBottom",), ("__StackTop",)),
    Pair(PICO_SDK, STACK, "core 1", ("__StackOneBottom",), ("__StackOneTop",)),
    Pair("CMSIS", STACK, MAIN, ("__StackLimit",), ("__StackTop",)),
    Pair("MCUXpresso", STACK, MAIN, ("_vStackBase",), ("_vStackTop",)),
    Pair("ASF, RT-Thread", STACK, MAIN, ("_sstack",), ("_estack",)),
    Pair("Infineon XMC", STACK, MAIN, ("__Xmc_stack_start",), ("__Xmc_stack_end",)),
    Pair("TI", STACK, MAIN, ("__stack",), ("__STACK_END", "__TI_STACK_END")),
    Pair("IAR", STACK, MAIN, ("CSTACK$$Base",), ("CSTACK$$Limit",)),
    Pair("NuttX", STACK, "idle", ("_ebss",), ("g_idle_topstack",)),
    Pair(
        "armlink",
        STACK,
        MAIN,
        ("Image$$ARM_LIB_STACK$$ZI$$Base", "Image$$ARM_LIB_STACK$$Base"),
        ("Image$$ARM_LIB_STACK$$ZI$$Limit", "Image$$ARM_LIB_STACK$$Limit"),
    ),
    Pair("CMSIS", HEAP, C_LIBRARY, ("__HeapBase", "__end__"), ("__HeapLimit",)),
    Pair("MCUXpresso", HEAP, C_LIBRARY, ("_pvHeapStart",), ("_pvHeapLimit",)),
    Pair("ASF", HEAP, C_LIBRARY, ("_sheap",), ("_eheap",)),
    Pair("ChibiOS", HEAP, "core", ("__heap_base__",), ("__heap_end__",), elastic=True),
    Pair("ESP-IDF: _heap_start", HEAP, C_LIBRARY, ("_heap_start",), ("_heap_end",), elastic=True),
    Pair("IAR", HEAP, C_LIBRARY, ("HEAP$$Base",), ("HEAP$$Limit",)),
    Pair(
        "armlink",
        HEAP,
        C_LIBRARY,
        ("Image$$ARM_LIB_HEAP$$ZI$$Base", "Image$$ARM_LIB_HEAP$$Base"),
        ("Image$$ARM_LIB_HEAP$$ZI$$Limit", "Image$$ARM_LIB_HEAP$$Limit"),
    ),
    Pair(
        "armlink, shared with the stack",
        HEAP,
        C_LIBRARY,
        ("Image$$ARM_LIB_STACKHEAP$$ZI$$Base", "Image$$ARM_LIB_STACKHEAP$$Base"),
        ("Image$$ARM_LIB_STACKHEAP$$ZI$$Limit", "Image$$ARM_LIB_STACKHEAP$$Limit"),
        elastic=True,
    ),
    Pair(
        "Nuclei, SiFive: _heap_end", HEAP, C_LIBRARY, ("_end", "end"), ("_heap_end",), elastic=True
    ),
    Pair("mbed, CodeWarrior", HEAP, C_LIBRARY, ("__heap_base", "__heap_addr"), ("__heap_limit",)),
)

# Where a heap may grow to, whatever least size a section or constant keeps for it.
GROWTH: Final = Pair("picolibc", HEAP, C_LIBRARY, ("__heap_start",), ("__heap_end",), True)

# ChibiOS: __main_stack_base__ and __main_stack_end__, process, irq, svc, c1_main and so on.
PATTERNED_BASE: Final = re.compile(r"__(\w+)_stack_base__")
PATTERNED_END: Final = "__{}_stack_end__"

# Output sections that are one stack or one heap. The labels inside may be more exact.
STACK_SECTION: Final = re.compile(r"\.?_?(?:[a-z0-9]+_)*c?stack1?(_dummy)?", re.IGNORECASE)
HEAP_SECTION: Final = re.compile(r"\.?_?(?:[a-z0-9]+_)*(heap(_dummy)?|sysmem)", re.IGNORECASE)
MAIN_STACK_SECTIONS: Final = (".stack", ".stack_dummy", "STACK", "CSTACK", "ARM_LIB_STACK")
MAIN_HEAP_SECTIONS: Final = (".heap", "HEAP", "ARM_LIB_HEAP", ".sysmem")

# Sections whose only purpose is that the link fails when stack or heap do not fit.
HEAP_AND_STACK_CHECKS: Final = ("._user_heap_stack", ".user_heap_stack")
STACK_CHECKS: Final = (".heap2stackfill", ".stack", ".stack_dummy", ".stack1_dummy")

# Constants that are sizes, without underscores and in lower case → the convention.
STACK_SIZES: Final = {
    "minstacksize": "STM32Cube",
    "systemstacksize": "RT-Thread",
    "tistacksize": "TI",
    "mainstacksize": "size constant",
    "stacksize": "size constant",
}
HEAP_SIZES: Final = {
    "minheapsize": "STM32Cube",
    "heapsizemin": "picolibc",
    "tisysmemsize": "TI",
    "heapsize": "size constant",
}
STACK_TOPS: Final = (
    "__initial_sp",
    "__StackTop",
    "_estack",
    "__stack",
    "__stack_top",
    "_stack_top",
    "_sp",
    "_stack",
)
ESP_HEAP_START: Final = "_heap_start"
ESP_HEAP_END: Final = "_heap_end"
HEAP_BOTTOMS: Final = (
    ESP_HEAP_START,
    "__heap_start",
    "__heap_base",
    "__heap_addr",
    "__HeapBase",
    "_end",
    "end",
    "__end__",
)

# cortex-m-rt: the stack takes what the variables leave; flip-link turns that round.
RUST_TOP: Final = ("_stack_start",)
RUST_BOTTOMS: Final = ("_stack_end", "__euninit", "__sheap", "__ebss")

# Variables that are a heap whatever else their names say.
HEAP_OBJECTS: Final = {
    "ucHeap": "FreeRTOS heap_1, heap_2 or heap_4",
    "z_malloc_heap_mem": "Zephyr malloc arena",
    "tx_app_byte_pool_buffer": "ThreadX byte pool",
}
ZEPHYR_HEAP: Final = re.compile(r"kheap_\w+")
ZEPHYR_STACK: Final = re.compile(r"z_\w+_stacks?|_k_thread_stack_\w+")
FREERTOS_STACK: Final = re.compile(r"(x|ux|pux)[A-Z]\w*Stack\w*")

# A variable's name is split into words; one of these beside "stack" or "heap" makes it no
# stack or heap but something about one.
_ABOUT = """size sizes ptr pointer top limit limits base end start bottom depth used usage free
check guard canary overflow overflows info count len length high low max min watermark mark trace
name handle lock mutex sem id idx index state stats struct desc list peak error init"""
ABOUT: Final = frozenset(_ABOUT.split())
BODY: Final = frozenset(("mem", "memory", "buf", "buffer", "area", "space", "pool", "storage"))
# Bytes; fewer hold no call with its registers, or are a heap's own records.
SMALLEST: Final = {STACK: 64, HEAP: 128}


def is_reserve_section(name: str) -> bool:
    """Return whether a section of this name holds nothing but stack and heap."""
    if name in HEAP_AND_STACK_CHECKS or name in STACK_CHECKS:
        return True
    return bool(STACK_SECTION.fullmatch(name) or HEAP_SECTION.fullmatch(name))
