;; Has no memory for the struct that it is shown.
;; Verdict: broken: can't start
(module
  (memory (export "memory") 0 0)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
