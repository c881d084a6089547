;; What bots may import, each without effect. libc drags most of it in: a call says
;; "not supported" (WASI's errno 58), exit traps. None reads or writes the bot's memory,
;; so files have nothing to tell. Of time, chance and their empty environment they are told by
;; engine/wasm/surroundings.pyx, which also listens.
(module $tournament  ;; named, so that its frames aren't taken for a bot's
  (func (export "args_get") (param i32 i32) (result i32) (i32.const 58))
  (func (export "args_sizes_get") (param i32 i32) (result i32) (i32.const 58))
  (func (export "environ_get") (param i32 i32) (result i32) (i32.const 0)) ;; all of no variables
  (func (export "fd_close") (param i32) (result i32) (i32.const 58))
  (func (export "fd_fdstat_get") (param i32 i32) (result i32) (i32.const 58))
  (func (export "fd_fdstat_set_flags") (param i32 i32) (result i32) (i32.const 58))
  (func (export "fd_prestat_dir_name") (param i32 i32 i32) (result i32) (i32.const 58))
  (func (export "fd_prestat_get") (param i32 i32) (result i32) (i32.const 58))
  (func (export "fd_read") (param i32 i32 i32 i32) (result i32) (i32.const 58))
  (func (export "fd_seek") (param i32 i64 i32 i32) (result i32) (i32.const 58))
  (func (export "sched_yield") (result i32) (i32.const 58))
  (func (export "proc_exit") (param i32) unreachable)

  ;; rand() for modules that import it; bots compiled here bring their own.
  ;; SplitMix64, as in tournament/artifacts/bot_runtime/randomness.c.
  (global $seed (mut i64) (i64.const 0))
  (global $state (mut i64) (i64.const 0))
  (func (export "tournament_seed_random") (param i64)
    (global.set $seed (local.get 0))
    (global.set $state (local.get 0)))
  (func (export "srand") (param i32)
    (global.set $state
      (i64.add (global.get $seed)
        (i64.mul (i64.const 0xD1B54A32D192ED03) (i64.add (i64.extend_i32_u (local.get 0)) (i64.const 1))))))
  (func (export "rand") (result i32) (local $z i64)
    (local.set $z (i64.add (global.get $state) (i64.const 0x9E3779B97F4A7C15)))
    (global.set $state (local.get $z))
    (local.set $z
      (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 30))) (i64.const 0xBF58476D1CE4E5B9)))
    (local.set $z
      (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27))) (i64.const 0x94D049BB133111EB)))
    (i32.wrap_i64 (i64.shr_u (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31))) (i64.const 33))))
)
