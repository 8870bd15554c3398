"""Functions for a worker's child to run; they stand in a module so that the child can import them."""

import os
import signal
import sys
import time

from limen.kit.process_child import watch


class Stubborn(Exception):
    """An exception that pickle cannot rebuild."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def add(one, two):
    return one + two


def pid():
    return os.getpid()


def echo(data):
    return data


def fail(text):
    raise ValueError(text)


def fail_stubbornly():
    raise Stubborn("this", "that")


def leave(status):
    os._exit(status)


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def sleep(path, seconds):
    path.write_text(str(os.getpid()))
    time.sleep(seconds)


def talk():
    print("noise")  # noqa: T201 - that it prints is the point
    sys.stdout.flush()
    os.write(1, b"more noise\n")
    return "said"


def hog(size):
    return len(bytearray(size))


def environment():
    return dict(os.environ)


def unpicklable():
    return lambda: None


def interrupt_self():
    os.kill(os.getpid(), signal.SIGINT)
    return "still here"


def abort():
    os.abort()


def watched(limit_bytes):
    watch(lambda: limit_bytes)
