"""The games that come built in, a folder for each: its core, and what is known of its chances."""
