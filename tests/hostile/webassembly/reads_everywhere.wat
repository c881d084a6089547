;; Reads each page that it can name, in the hope of its opponent's.
;; Verdict: disqualified: out of bounds
(module
  (memory (export "memory") 1)
  (func (export "a") (param i32) (result i32) (local $place i32) (local $sum i32)
    (loop $again
      (local.set $sum (i32.add (local.get $sum) (i32.load (local.get $place))))
      (local.set $place (i32.add (local.get $place) (i32.const 4096)))
      (br_if $again (local.get $place)))
    (local.get $sum))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
