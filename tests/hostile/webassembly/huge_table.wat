;; Has a table of millions.
;; Verdict: broken: can't start
(module
  (memory (export "memory") 1)
  (table 10000000 funcref)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32 i32) (result i32) (i32.const 1))
)
