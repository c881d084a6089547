;; Imports a function of who knows what.
;; Verdict: broken: imports host.run
(module
  (import "host" "run" (func (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
