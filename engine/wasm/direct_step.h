/* A core's step as compiled WebAssembly calls a function: without the runtime's two changes from one way of calling to
   another, which take as long as the step itself. */

#ifndef ENGINE_DIRECT_STEP_H
#define ENGINE_DIRECT_STEP_H

#if defined(__x86_64__) && defined(__ELF__)
/* Compiled code passes (first argument, its own context, answer) in the registers of the system's C. It wants what it
   gets back in rax, rcx, rdx, rsi, rdi, r8 and r9, which C can't say, and expects no register to be kept but those that
   C keeps. More of them may be set than it asks for. */
void engine_direct_step(void);
__asm__(".pushsection .text\n"
        ".hidden engine_direct_step\n"
        ".globl engine_direct_step\n"
        ".type engine_direct_step, @function\n"
        "engine_direct_step:\n"
        "    push %rdi\n"
        "    mov %rdi, %rax\n"
        "    mov %rdx, %rsi\n"
        "    mov (%rdi), %rdi\n"
        "    call *8(%rax)\n"
        "    pop %r9\n"
        "    mov 16(%r9), %r9\n"
        "    mov (%r9), %rcx\n"
        "    mov 8(%r9), %rdx\n"
        "    mov 16(%r9), %rsi\n"
        "    mov 24(%r9), %rdi\n"
        "    mov 32(%r9), %r8\n"
        "    mov 40(%r9), %r9\n"
        "    ret\n"
        ".size engine_direct_step, . - engine_direct_step\n"
        ".popsection\n");
#define DIRECT_STEP ((void *)engine_direct_step)
#else
#define DIRECT_STEP ((void *)0)
#endif

#endif
