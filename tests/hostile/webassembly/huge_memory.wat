;; Starts with all the memory that WebAssembly can name.
;; Verdict: broken: at most 64 are allowed, and 8 for its stack
(module
  (memory (export "memory") 65536)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
