"""Runs the top block of a GNU Radio flow graph for xopt, and writes its counters as JSON.

Usage: runner.py PLAN.json. The plan names the module that grcc generated, the variants to measure and the output
file. The runner is a separate program: the user's Python executes it together with the user's flow graph. It exits
with 0 after a measurement, and with 3 after it wrote an error to the output file.
"""

import ctypes
import importlib.util
import json
import math
import mmap
import os
import platform
import re
import sys
import threading
import time
import traceback

PLAN = None
SETTLE = 0.05  # s between a change of the variant and its window
STOP_TIMEOUT = 5.0  # s for the flow graph to stop
NO_STREAM = 2.0  # s after the warm-up until a flow graph without stream data is an error
SLOW_PERIOD = 0.002  # s between the delays of a slowed thread
EDGE = re.compile(r"(.*?):(\d+)->(.*):(\d+)$")  # names of blocks may contain "->"


def write(result):
    """Writes the output file completely or not at all."""
    path = PLAN["out"]
    with open(path + ".part", "w") as f:
        json.dump(result, f, allow_nan=False)
    os.rename(path + ".part", path)


def fail(kind, text, **more):
    """Writes an error and ends the process at once: threads of the flow graph may still run."""
    more.update(kind=kind, text=str(text))
    write({"error": more})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(3)


def last_line(error):
    """Returns the text of an exception, with the line of the generated module that caused it."""
    lines = [f.line for f in traceback.extract_tb(error.__traceback__) if f.filename == PLAN["module"]]
    text = "%s: %s" % (type(error).__name__, str(error).strip() or "no text")
    return text, (lines[-1] if lines else "")


class Graph:
    """Records the blocks of all connections, because hierarchical blocks keep only some of their inner blocks."""

    def __init__(self):
        self.blocks = {}  # by unique id
        self.parent = {}  # unique id of the enclosing hierarchical block

    def note(self, outer, points):
        for p in points:
            b = p[0] if isinstance(p, tuple) else p
            try:
                uid = b.unique_id()
            except Exception:
                continue  # a port name
            if uid == outer.unique_id():
                continue
            self.blocks[uid] = b
            self.parent[uid] = outer.unique_id()

    def watch(self, gr):
        def wrapped(original):
            def connect(outer, *points):
                self.note(outer, points)
                return original(outer, *points)
            return connect
        for name in ("connect", "msg_connect"):
            setattr(gr.hier_block2, name, wrapped(getattr(gr.hier_block2, name)))


def any_method(*args, **kwargs):
    """Replaces the methods of a replaced hardware block."""
    return 0


def stub_class(gr, blocks):
    class Stub(gr.hier_block2):
        """A null source or null sink in place of a hardware block."""

        def __init__(self, size, sources, sinks):
            gr.hier_block2.__init__(self, "xopt_stub", gr.io_signature(sinks, sinks, size) if sinks else
                                    gr.io_signature(0, 0, 0), gr.io_signature(sources, sources, size)
                                    if sources else gr.io_signature(0, 0, 0))
            for i in range(sources):
                self.connect(blocks.null_source(size), (self, i))
            for i in range(sinks):
                self.connect((self, i), blocks.null_sink(size))

        def __getattr__(self, name):
            impl = object.__getattribute__(self, "_impl")
            return getattr(impl, name, any_method)
    return Stub


def replace_hardware(gr, replaced):
    """Replaces the constructors of audio, UHD and Soapy blocks."""
    from gnuradio import blocks
    stub = stub_class(gr, blocks)
    sizes = {"fc64": 16, "fc32": 8, "sc16": 4, "sc8": 2, "f32": 4, "s16": 2, "s8": 1}

    def made(what, size, sources, sinks):
        replaced.append(what)
        return stub(size, sources, sinks)

    def channels(args):
        return max(1, len(getattr(args, "channels", None) or [0]))

    def cpu_format(args):
        return sizes.get(str(getattr(args, "cpu_format", "fc32")), 8)

    try:
        from gnuradio import audio
        audio.source = lambda *a, **k: made("audio source", 4, PLAN["audio"].get("source", 1), 0)
        audio.sink = lambda *a, **k: made("audio sink", 4, 0, PLAN["audio"].get("sink", 1))
    except ImportError:
        pass
    try:
        from gnuradio import uhd
        uhd.usrp_source = lambda dev, args, *a, **k: made("UHD source", cpu_format(args), channels(args), 0)
        uhd.usrp_sink = lambda dev, args, *a, **k: made("UHD sink", cpu_format(args), 0, channels(args))
    except ImportError:
        pass
    try:
        from gnuradio import soapy
        soapy.source = lambda dev, kind, n, *a, **k: made("Soapy source", sizes.get(kind, 8), n, 0)
        soapy.sink = lambda dev, kind, n, *a, **k: made("Soapy sink", sizes.get(kind, 8), 0, n)
    except ImportError:
        pass


def load():
    """Imports the generated module and returns it."""
    folder = os.path.dirname(PLAN["module"])
    sys.path.insert(0, folder)
    sys.argv = [PLAN["module"]]
    spec = importlib.util.spec_from_file_location(PLAN["class"], PLAN["module"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[PLAN["class"]] = module
    try:
        spec.loader.exec_module(module)
    except ImportError as e:
        fail("import", e)
    except BaseException as e:
        text, line = last_line(e)
        fail("import", text, line=line)
    return module


def snippet(module, section, tb):
    run = getattr(module, "snippets_" + section, None)
    if run:
        run(tb)


class Thread:
    """The thread of a block: its counters in /proc."""

    def __init__(self, tid):
        self.tid = tid
        self.file = open("/proc/self/task/%d/schedstat" % tid, "rb", buffering=0)

    def used(self):
        """Returns the processor time and the time on the run queue, in seconds."""
        try:
            self.file.seek(0)
            run, wait = self.file.read().split()[:2]
            return int(run) * 1e-9, int(wait) * 1e-9
        except (OSError, ValueError):
            return None, None


def tasks():
    names = {}
    for t in os.listdir("/proc/self/task"):
        try:
            with open("/proc/self/task/%s/comm" % t) as f:
                names[int(t)] = f.read().rstrip("\n")
        except OSError:
            pass
    return names


def ask(f, *args):
    try:
        return f(*args)
    except Exception:
        return None


def task_name(name, uid):
    """Returns the name of a block's thread. GNU Radio shortens the name of the block so that it has 16 characters with
    the unique id. Linux keeps 15 of them."""
    return (name[:16 - len(uid)] + uid)[:15]


class Block:
    """A block of the flattened graph."""

    def __init__(self, uid, handle):
        self.uid, self.handle = uid, handle
        self.name = ask(handle.name) if handle is not None else uid.rstrip("0123456789")
        self.task = task_name(self.name, str(handle.unique_id())) if handle is not None else ""
        self.ins, self.outs = set(), set()
        self.thread = None
        self.unique = handle.unique_id() if handle is not None else None

    def describe(self, graph, names):
        h = self.handle
        own = u = self.unique
        if h is None and own is not None:  # created in the constructor of the preceding hierarchical block
            u = max((k for k, b in graph.blocks.items() if k < own), default=None)
            if u is not None and hasattr(graph.blocks[u], "pc_work_time_total"):
                u = None
        while u is not None and u not in names:
            u = graph.parent.get(u)
        return {
            "uid": self.uid, "class": self.name, "grc": names.get(u, ""), "inner": u != own,
            "inputs": [self.size("input", i) for i in sorted(self.ins)],
            "outputs": [self.size("output", i) for i in sorted(self.outs)],
            "in_ports": sorted(self.ins), "out_ports": sorted(self.outs),
            "thread": self.thread is not None, "counters": h is not None and hasattr(h, "pc_work_time_total"),
        }

    def size(self, side, port):
        if self.handle is None:
            return 0
        return ask(lambda: getattr(self.handle, side + "_signature")().sizeof_stream_item(port)) or 0


def flatten(tb, graph):
    """Returns the flattened blocks by name, and the stream edges, as GNU Radio lists them. The name is the alias of the
    block, by default its class and a number."""
    blocks, edges = {}, []
    handles = {ask(h.alias): h for h in graph.blocks.values()}
    for line in tb.edge_list().splitlines():
        if "->" not in line:
            continue
        m = EDGE.match(line.strip())
        if not m:
            fail("format", "unknown edge %r in the list of GNU Radio" % line)
        ends = [m.group(1), int(m.group(2)), m.group(3), int(m.group(4))]
        for side in (0, 1):
            name, port = ends[2 * side], ends[2 * side + 1]
            b = blocks.setdefault(name, Block(name, handles.get(name)))
            (b.ins if side else b.outs).add(port)
        edges.append(dict(zip(("from", "out", "to", "in"), ends)))
    messages = [line.strip() for line in (ask(tb.msg_edge_list) or "").splitlines() if "->" in line]
    for name, h in handles.items():  # blocks that only exchange messages have threads, too
        if name and name not in blocks and hasattr(h, "pc_work_time_total"):
            blocks[name] = Block(name, h)
    return blocks, edges, messages


def find_threads(blocks, before, cpus):
    """Assigns the thread ids to the blocks by the names of the threads. Blocks with the same name get a distinct
    sequence of processor affinities for a moment, which identifies their threads."""
    groups = {}
    for tid, name in tasks().items():
        if tid not in before:
            groups.setdefault(name, [[], []])[0].append(tid)
    for b in blocks.values():
        groups.setdefault(b.task, [[], []])[1].append(b)
    hidden = groups.pop("", [[], []])[1]
    for tids, group in groups.values():
        if len(tids) == 1 and len(group) == 1:
            group[0].thread = Thread(tids[0])
        elif len(cpus) > 1 and len(tids) > 1:
            tell_apart(sorted(tids), [b for b in group if b.handle is not None], cpus)
    find_hidden(hidden, {n: g[0] for n, g in groups.items() if not g[1]})


def find_hidden(hidden, unused):
    """Assigns threads to the inner blocks of hierarchical blocks in C++, which Python cannot access. The number at the
    end of a thread's name is the unique id, and blocks of a class have the same order in their aliases and their ids."""
    of_class = {}
    for b in hidden:
        of_class.setdefault(b.name, []).append(b)
    for name, group in of_class.items():
        found = sorted((int(n[len(name):]), tids[0]) for n, tids in unused.items()
                       if len(n) < 15 and n.startswith(name) and n[len(name):].isdigit() and len(tids) == 1)
        cut = [tids[0] for n, tids in unused.items() if len(n) == 15 and n[:13] == name[:13] and len(tids) == 1]
        if len(group) == 1 and len(cut) == 1:
            group[0].thread = Thread(cut[0])
        elif len(found) == len(group):
            group.sort(key=lambda b: int(b.uid[len(name):] or 0))
            for b, (uid, tid) in zip(group, found):
                b.thread, b.unique = Thread(tid), uid


def tell_apart(tids, group, cpus):
    code = dict.fromkeys(tids, 0)
    own = {b.uid: list(ask(b.handle.processor_affinity) or []) for b in group}
    rounds = (len(group)).bit_length()
    for k in range(rounds):
        for i, b in enumerate(group):
            ask(b.handle.set_processor_affinity, [cpus[(i + 1) >> k & 1]])
        for t in tids:
            at = ask(os.sched_getaffinity, t) or set(cpus)
            if len(at) > 1:
                code[t] = -1
            elif code[t] >= 0:
                code[t] |= (cpus[1] in at) << k
    for b in group:
        ask(b.handle.unset_processor_affinity)
    for t in tids:
        ask(os.sched_setaffinity, t, cpus)
    for i, b in enumerate(group):
        found = [t for t in tids if code[t] == i + 1]
        if len(found) == 1:
            b.thread = Thread(found[0])
        if own[b.uid]:
            ask(b.handle.set_processor_affinity, own[b.uid])


class Delay:
    """Adds a known amount of processor work to a thread: signals start a loop of machine code in the thread. The code
    records the duration of each loop in ticks of the time-stamp counter."""

    SIGNAL = 63
    RING = 256  # recorded durations
    AT = 64  # offset of the durations in the shared memory; offset 0 has the number of loops executed
    OUTLIER = 2.0  # durations above this multiple of the median contain a preemption

    def __init__(self):
        if platform.machine() != "x86_64":
            fail("slow", "the experiment needs machine code for %s, and has only x86_64" % platform.machine())
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.data = mmap.mmap(-1, self.AT + 4 * self.RING)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.code))
        self.counter = ctypes.c_uint32.from_buffer(self.data)
        self.ticks = (ctypes.c_uint32 * self.RING).from_buffer(self.data, self.AT)
        loops = 1000000
        self.set(loops)
        call = ctypes.CFUNCTYPE(None, ctypes.c_int)(self.address)
        self.per_tick = self.per_loop = math.inf
        for k in range(20):
            t = time.perf_counter()
            call(0)
            t = time.perf_counter() - t
            self.per_tick = min(self.per_tick, t / self.ticks[k])
            self.per_loop = min(self.per_loop, t / loops)
        self.libc.signal(self.SIGNAL, ctypes.c_void_p(self.address))

    def set(self, loops):
        """rdtsc; mov esi, eax; mov ecx, loops; again: dec ecx; jnz again; rdtsc; sub eax, esi; mov rdi, data;
        mov edx, [rdi]; inc dword [rdi]; and edx, RING - 1; mov [rdi + 4 * rdx + AT], eax; ret"""
        code = (b"\x0f\x31\x89\xc6\xb9" + int(loops).to_bytes(4, "little") +
                b"\xff\xc9\x75\xfc\x0f\x31\x29\xf0\x48\xbf" +
                ctypes.addressof(self.counter).to_bytes(8, "little") +
                b"\x8b\x17\xff\x07\x81\xe2" + (self.RING - 1).to_bytes(4, "little") +
                b"\x89\x44\x97" + bytes([self.AT]) + b"\xc3")
        self.code[:len(code)] = code

    def executed(self):
        """Returns the number of loops executed so far."""
        return self.counter.value

    def work(self, since):
        """Returns the processor time of the loops since executed() was equal to since, in seconds."""
        count = self.counter.value - since
        if count <= 0:
            return 0.0
        last = sorted(self.ticks[(since + k) % self.RING] for k in range(count)[-self.RING:])
        kept = [t for t in last if t <= self.OUTLIER * last[len(last) // 2]]
        return sum(kept) / len(kept) * count * self.per_tick

    def run(self, tid, share, stop):
        """Signals a thread every SLOW_PERIOD until stop is set."""
        self.set(max(1, share * SLOW_PERIOD / self.per_loop))
        tgkill, pid, next_at = 234, os.getpid(), time.monotonic()
        while not stop.is_set():
            late = time.monotonic() - next_at
            for _ in range(max(1, int(late / SLOW_PERIOD))):
                self.libc.syscall(tgkill, pid, tid, self.SIGNAL)
                next_at += SLOW_PERIOD
            stop.wait(max(0.0, next_at - time.monotonic()))


def machine_used():
    """Returns the processor time that all programs used on this machine, in seconds."""
    with open("/proc/stat") as f:
        v = [int(x) for x in f.readline().split()[1:]]
    idle = v[3] + v[4]
    return (sum(v[:8]) - idle) / os.sysconf("SC_CLK_TCK")


class Windows:
    """Measures windows of the running graph."""

    def __init__(self, blocks, cpus, ended):
        self.blocks, self.cpus, self.ended = blocks, cpus, ended
        self.delay = Delay() if any(v.get("slow") for v in PLAN["variants"]) else None
        self.own = {}
        for b in blocks.values():
            if b.thread:
                self.own[b.uid] = ask(os.sched_getaffinity, b.thread.tid) or set(cpus)

    def items(self):
        read, written = {}, {}
        for u, b in self.blocks.items():
            if b.handle is not None:
                read[u] = [ask(b.handle.nitems_read, i) for i in sorted(b.ins)]
                written[u] = [ask(b.handle.nitems_written, i) for i in sorted(b.outs)]
        return time.monotonic(), read, written

    def times(self):
        return {u: b.thread.used() for u, b in self.blocks.items() if b.thread}

    def pin(self, affinity):
        for u, b in self.blocks.items():
            if b.thread:
                ask(os.sched_setaffinity, b.thread.tid, affinity.get(u) or self.own[u])

    def sleep(self, seconds):
        if self.ended.wait(seconds):
            raise EOFError

    def counted(self):
        return [b for b in self.blocks.values() if b.handle is not None and hasattr(b.handle, "pc_work_time_total")]

    def measure(self, number, variant):
        self.pin(variant.get("affinity") or {})
        stop, thread = threading.Event(), None
        for u, share in (variant.get("slow") or {}).items():
            b = self.blocks.get(u)
            if b is None or b.thread is None:
                fail("slow", "cannot find the thread of block %s" % u)
            thread = threading.Thread(target=self.delay.run, args=(b.thread.tid, share, stop), daemon=True)
            thread.start()
        self.sleep(SETTLE)
        if PLAN["counters"]:
            for b in self.counted():
                b.handle.reset_perf_counters()
        used, own = machine_used(), time.process_time()
        loops = self.delay.executed() if thread else 0
        cpu, (at, read, written) = self.times(), self.items()
        self.sleep(PLAN["window"])
        to, read2, written2 = self.items()
        cpu2 = self.times()
        slowed = self.delay.work(loops) if thread else 0.0
        used, own = machine_used() - used, time.process_time() - own
        others = min(max(0.0, used - own), (to - at) * os.cpu_count())
        result = {"variant": number, "seconds": to - at, "others": others, "own": own, "slowed": slowed, "blocks": {}}
        for u, b in self.blocks.items():
            r = {"read": difference(read.get(u), read2.get(u)), "written": difference(written.get(u), written2.get(u))}
            if u in cpu and cpu[u][0] is not None and cpu2[u][0] is not None:
                r["cpu"], r["queued"] = cpu2[u][0] - cpu[u][0], cpu2[u][1] - cpu[u][1]
            result["blocks"][u] = r
        if PLAN["counters"]:
            for b in self.counted():
                self.add_counters(b, result["blocks"][b.uid])
        if thread:
            stop.set()
            thread.join()
        return result

    def add_counters(self, b, r):
        total, mean = ask(b.handle.pc_work_time_total), ask(b.handle.pc_work_time_avg)
        r["work"], r["call"] = finite(total) * 1e-9, finite(mean) * 1e-9
        r["in_full"] = [finite(x) for x in ask(b.handle.pc_input_buffers_full_avg) or []]
        r["out_full"] = [finite(x) for x in ask(b.handle.pc_output_buffers_full_avg) or []]


def finite(x):
    """Returns a counter; 0 if GNU Radio has no valid value, such as before the first work call."""
    return float(x) if x is not None and math.isfinite(x) else 0.0


def difference(a, b):
    return [y - x if x is not None and y is not None else -1 for x, y in zip(a or [], b or [])]


def prepare(tb, graph):
    """Sets the sizes of buffers that the plan requests, and removes the limits of throttles."""
    for b in list(graph.blocks.values()):
        inner = graph.parent[b.unique_id()] != tb.unique_id() or hasattr(b, "primitive_connect")
        if PLAN["minoutbuf"] and hasattr(b, "set_min_output_buffer") and not inner:
            size = ask(lambda: b.output_signature().sizeof_stream_item(0))
            if size:
                ask(b.set_min_output_buffer, max(1, PLAN["minoutbuf"] // size))
        if PLAN["unthrottle"] and ask(b.name) in ("throttle", "throttle2"):
            ask(b.set_sample_rate, 1e15)


def top_names(tb):
    """Returns the names of the flow graph's blocks by unique id: attributes of the top block."""
    names = {}
    for name, value in vars(tb).items():
        uid = ask(lambda: value.unique_id())
        if isinstance(uid, int):
            names[uid] = name
    return names


def ratelike(b):
    """Returns the sample rate of a throttle; 0 for other blocks."""
    return (ask(b.handle.sample_rate) or 0) if b.handle is not None and b.name.startswith("throttle") else 0


def measure(module, tb, graph, replaced):
    """Starts the graph, measures all windows, and writes the output file."""
    from gnuradio import gr
    from gnuradio.gr.gr_python import top_block_wait_unlocked
    cpus = sorted(os.sched_getaffinity(0))
    before, ended = tasks(), threading.Event()
    try:
        tb.start(PLAN["max_nouts"]) if PLAN["max_nouts"] else tb.start()
        snippet(module, "main_after_start", tb)
    except BaseException as e:
        fail("start", last_line(e)[0])
    started = time.monotonic()

    def wait():
        top_block_wait_unlocked(tb._impl)
        ended.set()
    threading.Thread(target=wait, daemon=True).start()
    blocks, edges, messages = flatten(tb, graph)
    if not edges:
        fail("no-streams", "the flow graph has no stream connections")
    try:
        if ended.wait(PLAN["warmup"]):
            raise EOFError
        find_threads(blocks, before, cpus)
        w = Windows(blocks, cpus, ended)
        at, read, written = w.items()
        while not any(n for list_ in read.values() for n in list_ if n and n > 0):
            if time.monotonic() - at > NO_STREAM:
                fail("no-items", "no block consumed an item in %.1f s" % (PLAN["warmup"] + NO_STREAM))
            w.sleep(0.1)
            _, read, written = w.items()
        windows, n = [], len(PLAN["variants"])
        if n == 1 and PLAN["variants"][0].get("affinity"):  # as long as unpinned graphs run before their windows
            w.pin(PLAN["variants"][0]["affinity"])
            w.sleep(PLAN["warmup"])
        for r in range(PLAN["rounds"]):
            for i in range(n):
                v = (i + r) % n  # no variant is always first
                windows.append(w.measure(v, PLAN["variants"][v]))
    except EOFError:
        heads = sorted(b.name for b in blocks.values() if b.name in ("head", "vector_source", "file_source"))
        fail("ended", "%.2f" % (time.monotonic() - started), heads=heads)
    names = top_names(tb)
    listed = []
    for b in blocks.values():
        d = b.describe(graph, names)
        d["throttle"] = ratelike(b)
        listed.append(d)
    write({"gnuradio": gr.version(), "python": platform.python_version(), "cpus": cpus, "blocks": listed,
           "edges": edges, "messages": messages, "windows": windows, "replaced": replaced,
           "seconds": time.monotonic() - started})
    stopper = threading.Thread(target=tb.stop, daemon=True)
    stopper.start()
    stopper.join(STOP_TIMEOUT)
    ended.wait(STOP_TIMEOUT)
    os._exit(0)


def guarded(*args):
    try:
        measure(*args)
    except BaseException as e:
        traceback.print_exc()
        fail("runner", last_line(e)[0])


def main():
    global PLAN
    with open(sys.argv[1]) as f:
        PLAN = json.load(f)
    try:
        from gnuradio import gr
    except ImportError as e:
        fail("no-gnuradio", e)
    if PLAN["counters"] and not gr.prefs().get_bool("PerfCounters", "on", False):
        fail("counters-off", "GNU Radio ignores GR_CONF_PERFCOUNTERS_ON")
    graph, replaced = Graph(), []
    graph.watch(gr)
    if PLAN["headless"]:
        replace_hardware(gr, replaced)
    module, app = load(), None
    top = getattr(module, PLAN["class"], None)
    if top is None:
        fail("import", "the generated module has no class %s" % PLAN["class"])
    if PLAN["qt"]:
        from PyQt5 import Qt
        app = Qt.QApplication(sys.argv)
    try:
        tb = top()
        snippet(module, "main_after_init", tb)
    except BaseException as e:
        text, line = last_line(e)
        fail("construct", text, line=line)
    prepare(tb, graph)
    if app is None:
        guarded(module, tb, graph, replaced)
    tb.show()
    threading.Thread(target=guarded, args=(module, tb, graph, replaced), daemon=True).start()
    timer = Qt.QTimer()  # lets Python handle signals
    timer.timeout.connect(lambda: None)
    timer.start(500)
    app.exec_()
    fail("ended", "0")


if __name__ == "__main__":
    main()
