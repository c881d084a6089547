;; Uses what is turned off: memory of 64 bits.
;; Verdict: broken: not a WebAssembly module
(module
  (memory (export "memory") i64 1)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
