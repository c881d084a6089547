/* A core's step as compiled WebAssembly calls a function: without the runtime's two changes from one way of calling to
   another, which take as long as the step itself. */

#ifndef ENGINE_DIRECT_STEP_H
#define ENGINE_DIRECT_STEP_H

#if defined(__x86_64__) && defined(__ELF__)
/* Compiled code passes (first argument, its own context, answer) in the registers of the system's C. It wants the next
   function's number, or STOP, in eax, and expects no register to be kept but those that C keeps.

   The first argument is a StepArgument (referee.pxd), which has a Decision: both are read by their members' places. What
   the core's step gives is compared with DECIDE. */
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
        "    pop %rdx\n"
        "    cmp $2, %eax\n"
        "    jne 0f\n"
        "    mov 16(%rdx), %rdx\n"
        "    mov (%rdx), %eax\n"
        "    add %eax, %eax\n"
        "    add 4(%rdx), %eax\n"
        "    ret\n"
        "0:  mov %eax, 24(%rdx)\n"
        "    mov $-1, %eax\n"
        "    ret\n"
        ".size engine_direct_step, . - engine_direct_step\n"
        ".popsection\n");
#define DIRECT_STEP ((void *)engine_direct_step)
#else
#define DIRECT_STEP ((void *)0)
#endif

#endif
