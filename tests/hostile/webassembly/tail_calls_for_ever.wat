;; Goes from one function into another without end and without stack.
;; Verdict: broken: tail calls or return_call
(module
  (memory (export "memory") 1)
  (func $there (param i32) (result i32) (return_call $back (local.get 0)))
  (func $back (param i32) (result i32) (return_call $there (local.get 0)))
  (func (export "a") (param i32) (result i32) (return_call $there (local.get 0)))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
