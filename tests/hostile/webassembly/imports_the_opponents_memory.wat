;; Wants a memory that is not its own.
;; Verdict: broken: imports env.memory
(module
  (import "env" "memory" (memory 1))
  (export "memory" (memory 0))
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
