"""The audit of a contest's rules before its launch: what bots show about them that answer at random and equally well.

Each kind of finding is a module. All of them use the same plays (`plays`), which run no code of bots.
"""
