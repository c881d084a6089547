"""The audit of a contest's rules before it is launched: what bots that answer at random and equally show of them.

Each finding is a module. All of them look at the same plays (`plays`), which no bot's code takes part in.
"""
