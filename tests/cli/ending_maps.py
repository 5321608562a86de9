"""Draw functions whose process ends, or nearly ends, in every way there is."""

import functools
import multiprocessing
import os
import signal
import sys
import threading
import time


def doing(act):
    """Return a draw function that acts first."""

    def draw(seed):
        act()
        return lambda X: X

    return draw


def raising(error):
    def act():
        raise error

    return act


def kill(number):
    return lambda: os.kill(os.getpid(), number)


def interrupt():
    """What started the tests may ignore interrupts, and its children then do."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGINT)


def pool():
    """A pool that hangs, in a process that was forked."""
    multiprocessing.get_context("fork").Pool(2).map(time.sleep, [1e6, 1e6])


returns = doing(lambda: None)
raises = doing(raising(ValueError("no weights")))
interrupted = doing(interrupt)
exits_0 = doing(lambda: sys.exit(0))
leaves_0 = doing(lambda: os._exit(0))
killed = doing(kill(signal.SIGKILL))
# One thread, whatever the number of draws.
stays = doing(functools.cache(lambda: threading.Thread(target=time.sleep, args=(1e6,)).start()))
sleeps = doing(lambda: time.sleep(1e6))
pools = doing(pool)
