;; Loops before anything is called.
;; Verdict: broken: can't start: ran out of fuel
(module
  (memory (export "memory") 1)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
  (func $start (loop $again (br $again)))
  (start $start)
)
