/* A core's step as compiled WebAssembly calls a function: without the runtime's two changes from one way of calling to
   another, which take as long as the step itself. */

#ifndef ENGINE_DIRECT_STEP_H
#define ENGINE_DIRECT_STEP_H

#if defined(__x86_64__) && defined(__ELF__)
/* Compiled code passes (first argument, its own context, answer) in the registers of the system's C. It wants what it
   gets back in rax, rcx, rdx, rsi, rdi, r8 and r9, which C can't say, and expects no register to be kept but those that
   C keeps. More of them may be set than it asks for.

   The first argument is a StepArgument (referee.pxd), which has a Decision: both are read by their members' places. What
   the core's step gives is compared with DECIDE; rax gets the next function's number, or STOP. */
#define ENGINE_DIRECT_STEP(name, arguments)                                                                            \
    void name(void);                                                                                                   \
    __asm__(".pushsection .text\n"                                                                                     \
            ".hidden " #name "\n"                                                                                      \
            ".globl " #name "\n"                                                                                       \
            ".type " #name ", @function\n" #name ":\n"                                                                 \
            "    push %rdi\n"                                                                                          \
            "    mov %rdi, %rax\n"                                                                                     \
            "    mov %rdx, %rsi\n"                                                                                     \
            "    mov (%rdi), %rdi\n"                                                                                   \
            "    call *8(%rax)\n"                                                                                      \
            "    pop %r9\n"                                                                                            \
            "    cmp $2, %eax\n"                                                                                       \
            "    jne 0f\n"                                                                                             \
            "    mov 16(%r9), %r9\n"                                                                                   \
            "    mov (%r9), %eax\n"                                                                                    \
            "    add %eax, %eax\n"                                                                                     \
            "    add 4(%r9), %eax\n" arguments "    ret\n"                                                             \
            "0:  mov %eax, 24(%r9)\n"                                                                                  \
            "    mov $-1, %eax\n"                                                                                      \
            "    ret\n"                                                                                                \
            ".size " #name ", . - " #name "\n"                                                                         \
            ".popsection\n")
ENGINE_DIRECT_STEP(engine_direct_step_of_one, "    mov 16(%r9), %rcx\n");
ENGINE_DIRECT_STEP(engine_direct_step_of_six, "    mov 16(%r9), %rcx\n"
                                              "    mov 24(%r9), %rdx\n"
                                              "    mov 32(%r9), %rsi\n"
                                              "    mov 40(%r9), %rdi\n"
                                              "    mov 48(%r9), %r8\n"
                                              "    mov 56(%r9), %r9\n");
#define DIRECT_STEP(most) ((most) > 1 ? (void *)engine_direct_step_of_six : (void *)engine_direct_step_of_one)
#else
#define DIRECT_STEP(most) ((void *)0)
#endif

#endif
