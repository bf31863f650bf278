# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of programs, a row each: see rows.Shape for the columns.  Called by
shapes.py; more checks of a shape are functions here, named in its row."""

import os
import signal

import fctest
from checks import Difference
from rows import TRANSPORTS, Shape

BOTH = ("gcc", "clang")
BOTH_CXX = ("g++", "clang++")
SIGNALLED = "signal"
PLUGINS = [word for name in ("red", "green") for word in ("{folder}/{program}-" + name + ".so", name)]

REUSED = ["{folder}/{program}-" + name + ".so" for name in ("red", "green", "slow")]


def profile_of(run, function):
    """The profiles that have the function, and its figures in them."""
    return [(profile, each) for profile in run.profiles for each in profile.functions
            if each.name == function]


# ---- More to check -----------------------------------------------------------------------


def check_thread_names(run):
    names = sorted(thread.name for thread in run.profiles[0].threads)
    expected = sorted([f"worker-{i}" for i in range(64)] + [os.path.basename(run.program)[:15]])
    if names != expected:
        raise Difference(f"the threads are called {names}")


def check_thread_count(count):
    def check_it(run):
        found = len(run.profiles[0].threads)
        if found != count:
            raise Difference(f"{found} threads, not {count}")
    return check_it


def check_inherited(run):
    """The child returns through its parent's frames: they are there by name, with time but
    without calls."""
    child = next(profile for profile in run.profiles if profile.ppid == run.profiles[0].pid)
    figures = {function.name: function for function in child.functions}
    for name in ("main", "through", "middle", "inner", "checked_fork"):
        if name not in figures:
            raise Difference(f"{name} is missing in the child")
        if figures[name].calls != 0 or figures[name].total_ns == 0:
            raise Difference(f"inherited: {figures[name]}")
    if sorted(context.path for context in child.contexts if context.path[-1] == "step")[0][0] != \
            "main":
        raise Difference("the child's calls have lost their way from main")


def check_unsent(run):
    unsent = run.profiles[0].losses.get("unsent-buffers", 0)
    if unsent < 1200 - 1023:
        raise Difference(f"{unsent} buffers are told to be lost")


def check_children(count, steps):
    """All alike: the oracle has nothing to add but a thousand files."""
    def check_it(run):
        parent = run.profiles[0].pid
        children = [profile for profile in run.profiles if profile.ppid == parent]
        if len(children) != count:
            raise Difference(f"{len(children)} children, not {count}")
        for child in children:
            calls = {function.name: function.calls for function in child.functions}
            expected = {"main": 0, "many": 0, "checked_fork": 0, "work": 1, "step": steps}
            if calls != expected:
                raise Difference(f"a child called {calls}, not {expected}")
    return check_it


def check_clones(count, steps):
    """The oracle knows nothing of these: its counters are in memory that they share."""
    def check_it(run):
        parent = run.profiles[0].pid
        calls = [{function.name: function.calls for function in profile.functions}
                 for profile in run.profiles if profile.ppid == parent]
        if len(calls) != count or any((each["step"], each["work"], each["child"]) != (steps, 1, 1)
                                      for each in calls):
            raise Difference(f"the children called {calls}")
    return check_it


def check_waiting(run):
    """The child goes on in coroutines that waited when it was forked, as called from where the
    parent called them."""
    child = next(profile for profile in run.profiles if profile.ppid == run.profiles[0].pid)
    paths = {tuple(context.path) for context in child.contexts}
    for path in (("main", "run", "resume", "body"), ("main", "run", "resume", "body", "wait_below")):
        if path not in paths:
            raise Difference(f"no context {path}: {sorted(paths)}")
    if any(path[0] != "main" for path in paths):
        raise Difference(f"contexts that begin nowhere: {sorted(paths)}")


def check_child_clock(run):
    """The child sleeps right after its fork: this time is in its profile."""
    child = next(profile for profile in run.profiles if profile.ppid == run.profiles[0].pid)
    if child.run_ns < 200 * 10 ** 6:
        raise Difference(f"the child slept 200 ms and ran {child.run_ns} ns")
    slow = next(function for function in child.functions if function.name == "slow_child")
    if slow.total_ns < 200 * 10 ** 6:
        raise Difference(f"slow_child took {slow.total_ns} ns")


def check_chain(run):
    """One pid, five images, five files, each with its command line."""
    if len({profile.pid for profile in run.profiles}) != 1:
        raise Difference("the images have different pids")
    words = sorted(profile.arguments[-1] for profile in run.profiles)
    if words != ["1", "2", "3", "4", "5"]:
        raise Difference(f"the command lines end in {words}")
    ends = sorted(profile.end for profile in run.profiles)
    if ends != ["exec"] * 4 + ["exit"]:
        raise Difference(f"the images end by {ends}")


def check_sleeper(run):
    """The unprofiled program was alive when the manager had already ended."""
    os.kill(run.truth.value("value:sleeper"), signal.SIGKILL)


def check_handler_time(run):
    figures = {function.name: function for function in run.profiles[0].functions}
    handler, interrupted = figures["handler"], figures["interrupted"]
    if handler.local_ns < 2 * 199 * 10 ** 6:
        raise Difference(f"the handler took 400 ms, and {handler.local_ns} ns are on its account")
    if abs(interrupted.total_ns - interrupted.local_ns - handler.total_ns) > 10:
        raise Difference(f"interrupted: {interrupted}, by {handler}")


def check_no_unknown(run):
    """Every function has a name: plug-ins that came and went, too."""
    unknown = [function.name for profile in run.profiles for function in profile.functions
               if "+0x" in function.name and not function.uncounted]
    if unknown:
        raise Difference(f"without a name: {unknown}")


def check_plugins(turns):
    def check_it(run):
        check_no_unknown(run)
        calls = {function.name: 0 for function in run.profiles[0].functions}
        for function in run.profiles[0].functions:
            calls[function.name] += function.calls
        for number, name in enumerate(("red", "green")):
            expected = {f"{name}_work": turns, f"{name}_built": turns,
                        f"{name}_torn_down": turns, f"{name}_step": turns * (12 + number)}
            found = {key: calls.get(key) for key in expected}
            if found != expected:
                raise Difference(f"calls: {found}, not {expected}")
    return check_it


def check_reused(red, green):
    """What the libraries of reused.c were told to do, in all processes."""
    def check_it(run):
        check_no_unknown(run)
        calls = {}
        for function in (each for profile in run.profiles for each in profile.functions):
            calls[function.name] = calls.get(function.name, 0) + function.calls
        expected = {"red_work": len(red), "red_step": sum(red), "green_work": len(green), "green_step": sum(green)}
        found = {name: calls.get(name, 0) for name in expected}
        if found != expected:
            raise Difference(f"calls: {found}, not {expected}")
    return check_it


def calls_of_counted(profile):
    """Without the functions that have samples alone, of the C library for one."""
    return {function.name: function.calls for function in profile.functions if not function.uncounted}


def check_host(run):
    calls = calls_of_counted(run.profiles[0])
    if calls != {"main": 1, "run": 1, "call": 1}:
        raise Difference(f"calls: {calls}")


def check_held(run):
    calls = calls_of_counted(run.profiles[0])
    expected = {"red_work": 2, "red_step": 2 * 10000 + 2, "red_built": 1, "red_torn_down": 1}
    if calls != expected:
        raise Difference(f"calls: {calls}, not {expected}")


def check_preloaded(run):
    check_no_unknown(run)


def check_asleep(run):
    """The time between the last record and the death is the running function's."""
    if run.transport == "pipe":
        return  # its entry was in the buffer
    sleepy = profile_of(run, "sleepy")[0][1]
    if sleepy.local_ns < 300 * 10 ** 6:
        raise Difference(f"sleepy() was killed after 300 ms: {sleepy.local_ns} ns")


# ---- Programs of several files ---------------------------------------------------------------


def build_host(host_is_profiled=True):
    """The plug-ins are called as the program, with their own name behind it."""
    def build(case, shape, compiler, profiled):
        program = f"{shape.name}-{compiler}{'' if profiled else '-plain'}"
        for name in ("red", "green"):
            case.compile("plugin.c", "-shared", "-fPIC", f"-DNAME={name}", compiler=compiler,
                         profiled=profiled, output=f"{program}-{name}.so")
        return case.compile(shape.source, compiler=compiler,
                            profiled=profiled and host_is_profiled, output=program)
    return build


def build_with_plugin(case, shape, compiler, profiled):
    program = f"{shape.name}-{compiler}{'' if profiled else '-plain'}"
    case.compile("plugin.c", "-shared", "-fPIC", "-DNAME=red", compiler=compiler,
                 profiled=profiled, output=f"{program}-red.so")
    return case.compile(shape.source, compiler=compiler, profiled=profiled, output=program)


def build_reused(case, shape, compiler, profiled):
    program = f"{shape.source[:-2]}-{compiler}{'' if profiled else '-plain'}"
    place = "-Wl,-Ttext-segment=0x600000000000"  # where the loader puts it, if nothing else is there
    for name, flag in (("red", place), ("green", place), ("slow", "-DWAITS")):
        case.compile("reused_lib.c", "-shared", "-fPIC", f"-DNAME={name}", flag, compiler=compiler,
                     profiled=profiled, output=f"{program}-{name}.so")
    return case.compile(shape.source, "-rdynamic", compiler=compiler, profiled=profiled, output=program)


def build_waiting(case, shape, compiler, profiled):
    program = f"{shape.name}-{compiler}{'' if profiled else '-plain'}"
    case.compile(shape.source, "-shared", "-fPIC", "-DLIBRARY", compiler=compiler, profiled=profiled,
                 output=f"{program}.so")
    return case.compile(shape.source, compiler=compiler, profiled=profiled, output=program)


def build_interposed(case, shape, compiler, profiled):
    suffix = f"-{compiler}{'' if profiled else '-plain'}"
    library = case.compile("interposed_lib.c", "-shared", "-fPIC", compiler=compiler,
                           profiled=profiled, output=f"libinterposed{suffix}.so")
    return case.compile("interposed.c", "-Wl,--no-as-needed", library, "-rdynamic", compiler=compiler, profiled=profiled,
                        output=shape.name + suffix)


def build_instrumented_only(case, shape, compiler, profiled):
    """Compiled with -finstrument-functions and nothing else."""
    flags = ["-finstrument-functions"] if profiled else []
    return case.compile(shape.source, *flags, compiler=compiler, profiled=False,
                        output=shape.name + compiler + ("" if profiled else "-plain"))


def build_without_startfiles(case, shape, compiler, profiled):
    start = case.command(["gcc", "-print-file-name=Scrt1.o"]).strip()
    return case.compile(shape.source, "-pie", "-fPIE", "-nostartfiles", start, compiler=compiler,
                        profiled=profiled,
                        output=shape.name + compiler + ("" if profiled else "-plain"))


def library():
    found = [os.path.join(folder, "libfc.so.4") for folder, _, names in os.walk(fctest.PREFIX)
             if "libfc.so.4" in names]
    return found[0]


# ---- The table -------------------------------------------------------------------------------

THREADS = [
    Shape("threads-at-once", "threads_many.c", ["at-once", 64], compilers=BOTH,
          check=check_thread_names),
    Shape("threads-in-turn", "threads_many.c", ["in-turn", 10000], further=["in-turn", 2000],
          check=check_thread_count(10001), after_inlining={"check": check_thread_count(2001)},
          lean={"check": check_thread_count(2001)}),
    Shape("threads-detached", "threads_many.c", ["detached", 100]),
    Shape("threads-alive", "threads_many.c", ["alive", 64],
          check=check_thread_count(65)),
    Shape("threads-pthread-exit", "threads_many.c", ["exit", 200]),
    Shape("threads-cancelled", "threads_many.c", ["cancel", 200]),
    Shape("threads-cancelled-anywhere", "threads_many.c", ["cancel-anywhere", 50], oracle=False,
          repairs="any"),
    Shape("threads-exit-from-thread", "threads_many.c", ["exit-from-thread", 8], status=3,
          end=("exit", 3)),
    # they give their last chunk away while the process ends: none of them was stopped
    Shape("threads-end-too", "threads_many.c", ["end-too", 64]),
    Shape("threads-main-first", "threads_many.c", ["main-first", 8]),
    Shape("threads-many-more-than-chunks", "threads_many.c", ["alive", 1500],
          env={"FC_BUFFER_SIZE": "1"}),
    # beyond 1023 chunks each has a buffer of its own, which goes with it
    Shape("threads-more-than-chunks-killed", "threads_many.c", ["killed", 1200],
          status=-signal.SIGKILL, oracle=False, processes=1, env={"FC_BUFFER_SIZE": "1"},
          pipe_may_lose=1201, shared_may_lose=250, check=check_unsent,
          counted={"shared_may_lose": 1200},  # chunks are for counters, too
          lean={"check": None}),
    Shape("threads-thread-mode", "threads_many.c", ["at-once", 16], oracle=False, processes=17,
          env={"FC_ALLOW_THREAD": "1"}),
    Shape("threads-single-mode", "threads_many.c", ["at-once", 16], env={"FC_NO_FORK": "1"}),
    Shape("thread-local", "thread_local.cc", [16], compilers=BOTH_CXX),
]

PROCESSES = [
    Shape("fork-from-threads", "fork_tree.c", ["from-threads", 16]),
    Shape("fork-nested", "fork_tree.c", ["nested", 12]),
    Shape("fork-many", "fork_tree.c", ["many", 1000], further=None,
          oracle=False, processes=1001, check=check_children(1000, 3), env={"FC_CHILDREN": "apart"},
          # what was counted in the parent when it forked is not on the child's stack
          counted={"repairs": "exits", "check": None}),
    Shape("fork-through", "fork_tree.c", ["through", 6], check=check_inherited, lean={"check": None}),
    Shape("fork-orphan", "fork_tree.c", ["orphan", 3]),
    Shape("daemonize", "fork_tree.c", ["daemonize", 5000]),
    # The parent ends within libc, unseen: what it had it sent when it forked, but who knows?
    Shape("libc-daemon", "fork_tree.c", ["libc-daemon", 5000], pipe_may_lose=1),
    Shape("fork-clock", "fork_tree.c", ["slow-child", 200], check=check_child_clock, lean={"check": None}),
    Shape("fork-raw", "fork_tree.c", ["raw", 3], oracle=False, processes=4),
    Shape("clone", "clones.c", ["clone", 3000], oracle=False, processes=21, other_stacks=True,
          check=check_clones(20, 3000)),
    Shape("clone-same-memory", "clones.c", ["clone-vm", 3000], oracle=False, processes=1,
          other_stacks=True),
    Shape("call-fork", "clones.c", ["fork", 3000], oracle=False, processes=21,
          check=check_clones(20, 3000)),
    Shape("call-clone", "clones.c", ["clone-call", 3000], oracle=False, processes=21,
          check=check_clones(20, 3000)),
    Shape("call-clone3", "clones.c", ["clone3", 3000], oracle=False, processes=21,
          check=check_clones(20, 3000)),
    Shape("fork-amid-loading", "loading_forks.c", [100, "{folder}/{program}-red.so"],
          build=build_with_plugin, lean=None, oracle=False, processes=101, env={"FC_CHILDREN": "apart"}),
    Shape("fork-then-load", "fork_then_load.c", [500, "{folder}/{program}-red.so"], build=build_with_plugin,
          oracle=False, processes=1, env={"FC_NO_FORK": "1"}, further=None),
    Shape("exec-chain", "exec_chain.c", ["chain", 5], status=9, check=check_chain),
    Shape("exec-chain-killed", "exec_chain.c", ["chain-killed", 40], status=-signal.SIGKILL,
          processes=40, pipe_may_lose=1),
    Shape("exec-failing", "exec_chain.c", ["failing", 20]),
    Shape("fork-exec", "exec_chain.c", ["fork-exec", 4]),
    Shape("exec-family", "exec_family.c"),
    Shape("vfork-exec", "exec_chain.c", ["vfork-exec", 4]),
    Shape("vfork-exit", "exec_chain.c", ["vfork-exit", 4]),
    Shape("fork-large-environment", "environments.c", ["fork", 20000], oracle=False, processes=4),
    Shape("vfork-large-environment", "environments.c", ["vfork", 20000], oracle=False,
          processes=1),
    Shape("spawn-large-environment", "environments.c", ["spawn", 20000], oracle=False,
          processes=1),
    Shape("largest-environment", "environments.c", ["limit", 150000], oracle=False, further=None),
    Shape("posix-spawn", "exec_chain.c", ["spawn", 4]),
    Shape("system", "exec_chain.c", ["system", 4]),
    Shape("popen", "exec_chain.c", ["popen", 4]),
    Shape("exec-unprofiled", "exec_chain.c", ["into-unprofiled", 50], end=("exec", 0)),
    Shape("exec-through-unprofiled", "exec_chain.c", ["through-unprofiled", 50], status=3),
    Shape("leaves-unprofiled", "exec_chain.c", ["leaves-unprofiled", 50], oracle=False,
          check=check_sleeper, transparent=False),
]

JUMPS = [
    Shape("longjmp-deep", "longjmp_loop.c", ["deep-frames", 1000], compilers=BOTH,
          repairs="jumped"),
    Shape("longjmp-into-loop", "longjmp_loop.c", ["into-loop", 100000], compilers=BOTH,
          repairs="jumped", long_args=["into-loop", "1000000"]),
    Shape("longjmp-alternating", "longjmp_loop.c", ["alternating", 100000], compilers=BOTH,
          repairs="jumped"),
    Shape("longjmp-different-frames", "longjmp_loop.c", ["different-frames", 100000],
          compilers=BOTH, repairs="jumped"),
    Shape("siglongjmp", "longjmp_loop.c", ["from-handler", 20000], compilers=BOTH,
          repairs="jumped"),
    Shape("signal-stack", "longjmp_loop.c", ["signal-stack", 20000], compilers=BOTH),
    Shape("siglongjmp-signal-stack", "longjmp_loop.c", ["off-signal-stack", 20000],
          compilers=BOTH, repairs="jumped"),
    Shape("recursion-million", "longjmp_loop.c", ["recursion", 1000000]),
    Shape("misaligned-stack", "misaligned.c"),
    Shape("misaligned-stack-clock", "misaligned.c", env={"FC_TIME_MODE": "ext"}),
    Shape("tail-calls", "longjmp_loop.c", ["tail-calls", 20000], compilers=BOTH, flags=("-O2",),
          callers=False),
    Shape("close-frames", "close_frames.c", [5000], flags=("-O2",)),
    # who calls at a rare site is not always learnt; how often that site calls is exact
    Shape("phases", "phases.c", [20, 100], compilers=BOTH, callers=False),
    Shape("phases-O2", "phases.c", [20, 100], flags=("-O2",), compilers=BOTH, callers=False),
    Shape("coroutines", "coroutines.c", ["turns", 20], compilers=BOTH, other_stacks=True),
    Shape("coroutines-threads", "coroutines.c", ["threads", 20], other_stacks=True),
    Shape("coroutines-signal", "signal_coroutines.c", [10], compilers=BOTH, repairs="jumped",
          counted={"repairs": "any"}, other_stacks=True),
    Shape("coroutines-fork", "coroutine_forks.c", check=check_waiting, other_stacks=True, lean={"check": None}),
    Shape("coroutines-reused", "coroutines.c", ["reuse", 40], other_stacks=True),
    Shape("own-coroutines", "own_coroutines.c", [100, 16384], compilers=BOTH, other_stacks=True),
    Shape("own-coroutines-O2", "own_coroutines.c", [50, 65536], flags=("-O2",), compilers=BOTH,
          callers=False, other_stacks=True),
    Shape("own-coroutines-thread", "own_coroutines.c", [200, 65536, "thread"], other_stacks=True),
    Shape("throw", "throw_through.cc", [5000], compilers=("g++",),
          after_inlining={"repairs": "some"}),
    Shape("throw-clang", "throw_through.cc", [5000], compilers=("clang++",), repairs="some"),
    Shape("throw-O2", "throw_through.cc", [5000], compilers=("g++",), flags=("-O2",),
          callers=False, after_inlining={"repairs": "some"}),
    Shape("throw-clang-O2", "throw_through.cc", [5000], compilers=("clang++",), flags=("-O2",),
          repairs="some", callers=False),
]

SIGNALS = [
    # Counted: a handler may fill the chunk, so that its function begins to be counted, while it
    # interrupts a hook that had found it was not.  The record of that call is then behind the
    # beginning and has no exit, or no entry: each call is there, and the frame is mended.
    Shape("signal-storm", "signal_storm.c", [2000, 1], oracle=False, further=[500, 1],
          long_args=["60000", "1"], counted={"repairs": "exits"}),
    Shape("signal-storm-threads", "signal_storm.c", [2000, 4], oracle=False, further=[500, 4],
          long_args=["60000", "4"], counted={"repairs": "exits"}),
    Shape("signal-storm-clang-O2", "signal_storm.c", [1000, 2], oracle=False, further=[500, 2], flags=("-O2",),
          compilers=("clang",), callers=False, counted={"repairs": "exits"},
          after_inlining=None, lean=None),  # step() is inlined
    Shape("handler-time", "handler_time.c", check=check_handler_time, lean={"check": None}),
]

LIBRARIES = [
    Shape("plugins-in-turn", "plugin_host.c",
          ["turns", 30, *PLUGINS],
          compilers=BOTH, build=build_host(), oracle=False, check=check_plugins(30)),
    # past 4,096 modules the manager does not list one that it knows again
    Shape("plugins-crowded", "plugin_host.c",
          ["turns", 2100, *PLUGINS],
          build=build_host(), oracle=False, check=check_plugins(2100), further=None),
    Shape("plugins-in-thread", "plugin_host.c",
          ["thread", 30, *PLUGINS],
          build=build_host(), oracle=False, check=check_plugins(30)),
    Shape("plugins-kept", "plugin_host.c",
          ["keep", 1, *PLUGINS],
          build=build_host(), check=check_plugins(1)),
    Shape("plugins-unprofiled-host", "plugin_host.c",
          ["turns", 30, *PLUGINS],
          build=build_host(host_is_profiled=False), oracle=False, check=check_plugins(30)),
    # what is loaded beside a libfc is not profiled, and the host is as if it were not there
    Shape("plugins-namespace", "plugin_host.c", ["namespace", 1, *PLUGINS[:2]],
          build=build_host(), oracle=False, check=check_host),
    # the oracle itself asks the loader for its list where a process ends
    *(Shape(f"held-list-{way}", "held_list.c", [way, PLUGINS[0]], build=build_with_plugin, oracle=False, **row)
      for way, row in (("works", {"processes": 1}), ("ends", {"processes": 1}), ("forks", {"processes": 2}),
                       ("exits", {"processes": 1, "status": 3}))),
    Shape("held-list-unprofiled-host", "held_list.c", ["calls", PLUGINS[0]], oracle=False, processes=1,
          build=build_host(host_is_profiled=False), check=check_held),
    *(Shape(f"reused-{way}", "reused.c", [way, *REUSED], build=build_reused, oracle=False,
            check=check_reused([11], [calls]))
      for way, calls in (("fills", 20000), ("ends", 11), ("forks", 11), ("executes", 11), ("closes", 11),
                         ("left", 20000), ("late", 20000))),
    *(Shape(f"constructor-waits-{way}", "constructor_waits.cc", ["{folder}/{program}.so", way], build=build_waiting,
            compilers=("g++",), status=status, oracle=False, processes=4, other_stacks=True)
      for way, status in (("goes-on", 0), ("quits", 3))),
    Shape("interposed", "interposed.c", build=build_interposed, compilers=BOTH,
          callers=False, check=check_no_unknown),
    Shape("own-init", "own_init.c", flags=("-O0", "-Wl,-init=own_init", "-Wl,-fini=own_fini")),
    Shape("own-init-fini", "own_init_fini.c", build=build_without_startfiles, compilers=BOTH),
    Shape("static-init", "static_init.cc", compilers=BOTH_CXX),
    Shape("around-main", "aroundmain.c", compilers=BOTH),
    Shape("preloaded", "fork_tree.c", ["nested", 3], build=build_instrumented_only, oracle=False,
          processes=4, env={"LD_PRELOAD": library()}, check=check_preloaded),
    Shape("no-pie", "fork_tree.c", ["nested", 3], flags=("-O0", "-no-pie", "-fno-pie")),
]

ENDS = [
    Shape("end-return", "ends.c", ["return"], status=7, end=("exit", 7)),
    Shape("end-exit", "ends.c", ["exit"], status=7, end=("exit", 7),
          stack=["main", "end", "end_exit"]),
    Shape("end-_exit", "ends.c", ["_exit"], status=7, end=("exit", 7),
          stack=["main", "end", "end__exit"]),
    Shape("end-quick_exit", "ends.c", ["quick_exit"], status=7, end=("exit", 7),
          stack=["main", "end", "end_quick_exit"]),
    Shape("end-abort", "ends.c", ["abort"], status=-signal.SIGABRT, pipe_may_lose=2,
          end=(SIGNALLED, signal.SIGABRT), stack=["main", "end", "end_abort"]),
    Shape("end-segv", "ends.c", ["segv"], status=-signal.SIGSEGV, pipe_may_lose=2,
          end=(SIGNALLED, signal.SIGSEGV), stack=["main", "end", "fault"]),
    Shape("end-segv-handled", "ends.c", ["segv-handled"], status=signal.SIGSEGV, pipe_may_lose=2,
          end=("exit", signal.SIGSEGV),
          stack=["main", "end", "end_segv_handled", "fault", "last_words"]),
    Shape("end-sigterm", "ends.c", ["sigterm"], status=-signal.SIGTERM, pipe_may_lose=2,
          end=(SIGNALLED, signal.SIGTERM), stack=["main", "end", "end_sigterm"]),
    Shape("end-sigkill", "ends.c", ["sigkill"], status=-signal.SIGKILL, pipe_may_lose=2,
          end=(SIGNALLED, signal.SIGKILL), stack=["main", "end", "end_sigkill"]),
    Shape("end-stack-overflow", "ends.c", ["stack-overflow"], status=-signal.SIGSEGV,
          oracle=False, pipe_may_lose=2, end=(SIGNALLED, signal.SIGSEGV)),
    Shape("end-stack-overflow-handled", "ends.c", ["stack-overflow-handled"], status=9,
          oracle=False, pipe_may_lose=2, end=("exit", 9)),
    Shape("end-stack-overflows", "ends.c", ["stack-overflows"], status=7, oracle=False, pipe_may_lose=2,
          repairs="any", end=("exit", 7)),
    Shape("end-out-of-memory", "ends.c", ["out-of-memory"], status=-signal.SIGABRT,
          oracle=False, pipe_may_lose=2, end=(SIGNALLED, signal.SIGABRT)),
    Shape("end-asleep", "ends.c", ["asleep"], status=-signal.SIGKILL, pipe_may_lose=2,
          end=(SIGNALLED, signal.SIGKILL), stack=["main", "end", "end_asleep", "sleepy"],
          check=check_asleep, lean={"check": None}),
    Shape("end-cut-off", "cut_off.c", oracle=False, processes=1, pipe_may_lose=1,
          shared_stops=1, says="FCheck: the profile manager is gone, profiling stops here\n", lean=None),  # nothing is sent in the meantime
    Shape("end-cpu-limit", "ends.c", ["cpu-limit"], status=-signal.SIGXCPU, pipe_may_lose=2, further=None,
          end=(SIGNALLED, signal.SIGXCPU)),
]

GROUPS = {"threads": THREADS, "processes": PROCESSES, "jumps": JUMPS, "signals": SIGNALS,
          "libraries": LIBRARIES, "ends": ENDS}


def transport_of(shape):
    """One for each shape, as many over the pipe as not, for tests that run them in a way of their
    own: every shape meets both as it is, and every way does, with half of the shapes each."""
    names = sorted(each.name for group in GROUPS.values() for each in group)
    return TRANSPORTS[names.index(shape.name) % len(TRANSPORTS)]
