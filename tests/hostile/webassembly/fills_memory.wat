;; Writes all its memory again and again with one instruction.
;; Verdict: disqualified: fuel
(module
  (memory (export "memory") 900)
  (func (export "a") (param i32) (result i32)
    (loop $again
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 50000000))
      (br $again))
    (i32.const 1))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
