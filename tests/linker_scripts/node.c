/* What a TinyML firmware brings to a linker script, and nothing else. */
#ifndef ARENA_BYTES
#define ARENA_BYTES 4096
#endif

__attribute__((section(".rodata.model_weights"), aligned(16))) const unsigned char model[5000] = {1};
__attribute__((aligned(16))) unsigned char tensor_arena[ARENA_BYTES];
const unsigned char look_up[100] = {2};
unsigned char calibration[24] = {3};

__attribute__((section(".RamFunc"), noinline)) void from_ram(void)
{
    tensor_arena[0]++;
}

void reset_handler(void)
{
    from_ram();
    for (unsigned i = 0; i < sizeof model; i++)
        tensor_arena[i & 1023] = model[i] + look_up[i & 63] + calibration[i & 15];
}

__attribute__((section(".isr_vector"), used)) void (*const vectors[])(void) = {0, reset_handler};
