;; Imports the system's way to open files.
;; Verdict: broken: opens files
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "a") (param i32) (result i32) (i32.const 5))
  (func (export "b") (param i32) (result i32) (i32.const 1))
)
