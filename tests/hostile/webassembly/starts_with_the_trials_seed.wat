;; Starts when it is tried, with the seed 0, and never in a leg.
;; Verdict: disqualified: can't start
(module
  (memory (export "memory") 1)
  (func (export "tournament_start") (param i32 i64)
    (if (i64.ne (local.get 1) (i64.const 0)) (then unreachable)))
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
