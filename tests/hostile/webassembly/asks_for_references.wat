;; Takes references to a function, which costs far more time than fuel.
;; Verdict: broken: ref.func
(module
  (memory (export "memory") 1)
  (func $some)
  (elem declare func $some)
  (func (export "a") (param i32) (result i32)
    (loop $again (drop (ref.func $some)) (drop (ref.func $some)) (br $again))
    (i32.const 1))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
