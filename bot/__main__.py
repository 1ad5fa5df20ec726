"""`minebot`, and `python -m bot`: the process."""

import sys


def main() -> int:
    """Run the command line; return the exit code."""
    if sys.argv[1:] in (["toggle"], ["stop"]):
        return _give(sys.argv[1])
    from bot.last_resort import run  # noqa: PLC0415 - an order does not wait for it

    return run("minebot", "bot.cli")


def _give(order: str) -> int:
    """Give an order to the bots that run; a person has pressed a key, and waits."""
    try:
        from bot.playing.orders import give_at_once  # noqa: PLC0415 - so that its failure is told, too

        return give_at_once(order)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - `finish` judges it
        failure = error
    from bot.last_resort import finish  # noqa: PLC0415 - seldom needed

    def fail() -> int:
        raise failure

    return finish("minebot", fail)


if __name__ == "__main__":
    sys.exit(main())
