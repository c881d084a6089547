;; Has a table of millions.
;; Verdict: broken: has a table of 10,000,000 elements; at most 100,000 are allowed
(module
  (memory (export "memory") 1)
  (table 10000000 funcref)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
