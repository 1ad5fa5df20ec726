"""The subcommands of `minebot`, one module each: `EXAMPLE`, `add_arguments(parser)`, `run(args) -> int`."""
