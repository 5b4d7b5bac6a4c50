/* A firmware in one file: weights, an arena, and a buffer that tests let grow. */
#define BUFFER_BYTES 1024

__asm__(".pushsection .rodata.model_weights, \"a\", %progbits\n"
        ".balign 16\n"
        ".global g_model\n"
        ".type g_model, %object\n"
        "g_model: .incbin \"@MODEL@\"\n"
        ".size g_model, . - g_model\n"
        ".popsection\n");

extern const unsigned char g_model[];
__attribute__((aligned(16))) unsigned char tensor_arena[4096];
unsigned char buffer[BUFFER_BYTES];

void reset_handler(void)
{
    for (unsigned i = 0; i < sizeof tensor_arena; i++)
        tensor_arena[i] = g_model[i] + buffer[i % sizeof buffer]++;
}

__attribute__((section(".isr_vector"), used)) void (*const vectors[])(void) = {0, reset_handler};
