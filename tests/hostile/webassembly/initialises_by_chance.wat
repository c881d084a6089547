;; Its initialiser never ends unless rand() begins as with the seed 0, with which it is tried.
;; Verdict: ok
(module
  (import "env" "rand" (func $rand (result i32)))
  (memory (export "memory") 1)
  (func $start (if (i32.ne (call $rand) (i32.const 0x7110541C)) (then (loop $again (br $again)))))
  (start $start)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
