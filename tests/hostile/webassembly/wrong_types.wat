;; Its functions take something else.
;; Verdict: broken: expected
(module
  (memory (export "memory") 1)
  (func (export "a") (param f64) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
