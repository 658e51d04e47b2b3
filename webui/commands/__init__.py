"""The subcommands of `tilekeeper`, a module a subject, loaded when they are called."""
