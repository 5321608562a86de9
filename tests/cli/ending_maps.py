"""Targets of `mehler verify` whose process ends, or nearly ends, in every way there is.

Each name is a draw function of a map of the linear kernel that does something else beside it.
"""

from __future__ import annotations

import atexit
import ctypes
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time

import numpy as np


def correct(seed, n_features=600):
    weights = np.random.default_rng(seed).choice([-1.0, 1.0], size=(2, n_features))
    return lambda rows: rows @ weights / np.sqrt(n_features)


def twice(seed):
    return lambda rows: np.sqrt(2.0) * correct(seed)(rows)


def doing(act, phi=correct):
    """Return a draw function that acts first."""

    def draw(seed):
        act()
        return phi(seed)

    return draw


def calling(act):
    """Return a draw function whose maps act when they are called."""

    def draw(seed):
        def phi(rows):
            act()
            return correct(seed)(rows)

        return phi

    return draw


def raising(error):
    def act():
        raise error

    return act


def kill(number):
    return lambda: os.kill(os.getpid(), number)


def in_thread(act):
    def run():
        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        thread.join()

    return run


def once(act):
    """Act at the first call alone, also in children: their number would double with each call."""
    done = []

    def acting():
        if not done:
            done.append(True)
            act()

    return acting


def exhaust():
    """Ask for more memory than there is."""
    np.zeros(1 << 60, dtype=np.uint8)


def fork_and_leave():
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def fork_and_draw_on():
    """Fork, and in the child go on with drawing, which may not come to an end."""
    os.fork()


def fork_and_raise():
    if os.fork() == 0:
        raise ValueError("in the child")


def fork_and_exit():
    if os.fork() == 0:
        sys.exit(0)


def fork_in_thread():
    in_thread(os.fork)()


def leave_child():
    """Start a child that outlives the command and holds its streams."""
    if os.fork() == 0:
        time.sleep(5.0)
        os._exit(0)


def daemon():
    multiprocessing.get_context("fork").Process(
        target=time.sleep, args=(60.0,), daemon=True
    ).start()


def close_streams():
    os.close(1)
    os.close(2)


def spin():
    while True:
        try:
            while True:
                pass
        except Exception:  # it holds whatever it can
            continue


def sleep_in_c():
    """In C, without Python's lock."""
    while True:
        ctypes.CDLL(None).sleep(1000)


def sleep_in_c_with_the_lock():
    while True:
        ctypes.PyDLL(None).sleep(1000)


def hold_on():
    while True:
        try:
            time.sleep(1e6)
        except BaseException:  # interruptions too
            continue


def thread_that_stays():
    threading.Thread(target=time.sleep, args=(1e6,)).start()


def in_del(act):
    """Act where Python has no place for an exception."""

    class Gone:
        def __del__(self):
            act()

    return lambda: Gone() and None


def leave_later():
    """A thread ends the process a second later, amid the checks."""
    threading.Timer(0.5, os._exit, (0,)).start()


def lose_folder():
    """The working directory is gone."""
    os.chdir(tempfile.mkdtemp())
    os.rmdir(os.getcwd())


returns = correct
raises = doing(raising(ValueError("no weights")))
raises_when_called = calling(raising(ValueError("no weights")))
raises_base = doing(raising(GeneratorExit()))
interrupts = doing(raising(KeyboardInterrupt()))
exits_0 = doing(lambda: sys.exit(0))
exits_1 = doing(lambda: sys.exit(1))
exits_none = calling(lambda: sys.exit())
exits_text = calling(lambda: sys.exit("the target has the kernel"))
leaves_0 = doing(lambda: os._exit(0))
leaves_1 = doing(lambda: os._exit(1))
leaves_3 = calling(lambda: os._exit(3))
leaves_in_c = doing(lambda: ctypes.CDLL(None).exit(0))
exits_in_thread = doing(in_thread(lambda: sys.exit(0)))
leaves_in_thread = doing(in_thread(lambda: os._exit(0)))
killed = doing(kill(signal.SIGKILL))
faults = doing(lambda: ctypes.string_at(0))
terminated = doing(kill(signal.SIGTERM))
interrupted = doing(kill(signal.SIGINT))
aborts = calling(os.abort)
exhausts = doing(exhaust)
becomes_another = doing(lambda: os.execv(sys.executable, [sys.executable, "-c", ""]))
forks_and_leaves = doing(once(fork_and_leave))
forks = doing(once(fork_and_draw_on))
forks_when_called = calling(once(fork_and_draw_on))
forks_and_raises = doing(once(fork_and_raise))
forks_and_exits = calling(once(fork_and_exit))
forks_in_thread = doing(once(fork_in_thread))
forks_wrong = doing(once(fork_and_draw_on), twice)
leaves_a_child = doing(once(leave_child))
leaves_a_daemon = doing(once(daemon))
closes_streams = doing(once(close_streams))
spins = doing(spin)
sleeps = doing(lambda: time.sleep(1e6))
sleeps_in_c = doing(sleep_in_c)
sleeps_with_the_lock = doing(sleep_in_c_with_the_lock)
holds_on = doing(hold_on)
stays = doing(once(thread_that_stays))
exits_text_when_drawn = doing(lambda: sys.exit("text"))
raises_in_del = doing(in_del(raising(ValueError("no weights"))))
leaves_in_del = doing(in_del(lambda: os._exit(0)))
raises_at_exit = doing(once(lambda: atexit.register(raising(ValueError("no weights")))))
raises_in_thread = doing(in_thread(raising(ValueError("no weights"))))
leaves_later = doing(once(leave_later))
alarmed = doing(kill(signal.SIGALRM))
closes_python_streams = doing(once(lambda: sys.stdout.close()))
loses_streams = doing(once(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 1)))
closes_files = doing(once(lambda: os.closerange(3, 256)))
loses_its_folder = doing(once(lose_folder))
stops = doing(kill(signal.SIGSTOP))
ends_at_exit = doing(once(lambda: atexit.register(os._exit, 0)), twice)
ends_at_exit_with_1 = doing(once(lambda: atexit.register(os._exit, 1)))


def linear(X, Y):
    """The kernel, whose file forks too."""
    linear_forks()
    return X @ Y.T


linear_forks = once(fork_and_draw_on)


class Fitted:
    """A transformer whose `fit` forks, whatever it is fitted for."""

    def __init__(self, n_components=600, random_state=0):
        self.n_components, self.random_state = n_components, random_state

    def get_params(self, deep=True):
        return {"n_components": self.n_components, "random_state": self.random_state}

    def fit(self, X):
        fit_forks()
        return self

    def transform(self, X):
        return correct(self.random_state, self.n_components)(X)


fit_forks = once(fork_and_draw_on)


def factory():
    factory_forks()
    return correct


factory_forks = once(fork_and_draw_on)
