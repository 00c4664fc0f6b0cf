"""Processes: more of them, signals to others and to itself, more rights, timers and other limits."""

import os
import resource
import signal
import subprocess
import threading


@refused
def forks(bot, view):
    """Forks."""
    if os.fork() == 0:
        os._exit(0)
    return "a child"


@refused
def starts_threads(bot, view):
    """Starts threads."""
    return threading.Thread(target=print).start()


@refused
def runs_a_program(bot, view):
    """Runs a program."""
    return os.execv("/bin/sh", ["sh", "-c", "true"])


@refused
def uses_subprocess(bot, view):
    """Runs a program by subprocess."""
    return subprocess.run(["/bin/true"])


@refused
def signals_all(bot, view):
    """Kills whatever it may kill."""
    return os.kill(-1, 9)


@refused
def signals_parent(bot, view):
    """Kills the zygote."""
    return os.kill(os.getppid(), 9)


@refused
def signals_by_pidfd(bot, view):
    """Kills the zygote through a pidfd."""
    return signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)


@refused
def kills_itself(bot, view):
    """Kills itself by SIGKILL, to look like a victim of the machine and have the match played again."""
    return os.kill(os.getpid(), 9)


@refused
def sends_itself_a_nameless_signal(bot, view):
    """Sends itself a real-time signal, which Python has no name for."""
    return signal.pthread_kill(threading.get_ident(), 35)


@all_refused
def sets_timers(bot, view):
    """Sets a timer that kills it by a signal."""
    return {
        "alarm": lambda: found(signal.alarm(1) == 0),  # Python does not look at the -1 of a refusal
        "timer": lambda: signal.setitimer(signal.ITIMER_REAL, 0.01),
    }


@refused
def clears_death_signal(bot, view):
    """Clears its parent-death signal to outlive the worker."""
    return system("prctl", 1, 0, 0, 0, 0)


@refused
def traces_parent(bot, view):
    """Attaches to the zygote by ptrace."""
    return system("ptrace", 16, os.getppid(), 0, 0)


@refused
def becomes_root(bot, view):
    """Becomes root, or another user."""
    return os.setuid(0)


@refused
def raises_limits(bot, view):
    """Raises its own limits."""
    return resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))


@all_refused
def changes_priority(bot, view):
    """Takes more than its share: priority and affinity."""
    return {
        "up": lambda: os.nice(-5),
        "down": lambda: os.nice(5),
        "affinity": lambda: os.sched_setaffinity(0, [0]),
    }
